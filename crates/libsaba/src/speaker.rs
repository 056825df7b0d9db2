//! [`Speaker`]: says to a controller what the session wants said, keeps the lease, and finds one that is there, or comes
//! back. Instances of a controller share what they know, so a request that one did not answer is said to the next as
//! it is, with its number, and is done once.

use crate::round::Round;
use crate::session::{Heard, Said, Session};
use crate::wire::Wire;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// The shortest time between two renewals of a lease, whatever that is.
const SHORTEST_RENEWAL: Duration = Duration::from_millis(50);

/// A session, and who speaks for it.
#[derive(Debug)]
pub(crate) struct Speaker {
    pub(crate) session: Session,
    /// One for each place.
    wires: Vec<Wire>,
    round: Round,
    /// Why each of them failed, since one has answered.
    whys: Vec<Option<String>>,
    /// When they are tried again, if none has answered.
    again: Option<Instant>,
    /// When the lease is to be renewed.
    renew: Option<Instant>,
}

impl Speaker {
    /// `wires` has at least one.
    pub(crate) fn new(session: Session, wires: Vec<Wire>) -> Self {
        let places = NonZeroUsize::new(wires.len()).expect("there is a place");
        let (round, whys) = (Round::new(places), vec![None; wires.len()]);
        Speaker { session, wires, round, whys, again: None, renew: None }
    }

    /// What one of them answered; none if nobody did.
    fn exchange(&mut self, (method, path, body): &Said) -> Option<Heard> {
        loop {
            let at = self.round.at();
            let answer = self.wires[at].ask(method, path, body);
            match answer.and_then(|(status, body)| heard(status, body)) {
                Ok(heard) => {
                    self.round.answered();
                    self.whys.fill(None);
                    self.again = None;
                    return Some(heard);
                }
                Err(why) => self.whys[at] = Some(format!("{}: {why}", self.wires[at].place())),
            }
            if let Some(wait) = self.round.failed() {
                self.again = Some(Instant::now() + wait);
                return None;
            }
        }
    }

    /// Why no controller has answered, in words of each place, if none has.
    pub(crate) fn away(&self) -> Option<String> {
        self.again?;
        Some(self.whys.iter().flatten().cloned().collect::<Vec<_>>().join("; "))
    }

    /// Whether none has answered.
    pub(crate) fn is_away(&self) -> bool {
        self.again.is_some()
    }

    /// Says all that is to be said, if there is somebody who hears it.
    pub(crate) fn say(&mut self) {
        while let Some(said) = self.session.say() {
            match self.exchange(&said) {
                Some(heard) => self.session.hear(heard),
                None => return,
            }
        }
    }

    /// The same, unless none has answered a moment ago: a program does not wait for them again.
    pub(crate) fn say_if_there(&mut self) {
        if !self.is_away() {
            self.say();
        }
    }

    /// How long [`beat`](Self::beat) is not needed.
    fn left(&self) -> Duration {
        let due = self.again.or(self.renew);
        due.map_or(Duration::ZERO, |due| due.saturating_duration_since(Instant::now()))
    }

    /// Renews the lease and says the rest, if that is due; how long until it is.
    pub(crate) fn beat(&mut self) -> Duration {
        if self.left().is_zero() {
            self.again = None;
            self.renew();
        }
        self.left()
    }

    fn renew(&mut self) {
        if let Some(said) = self.session.renewal() {
            match self.exchange(&said) {
                Some(Heard::Forgotten) => self.session.forgotten(),
                Some(_) => {}
                None => return,
            }
        }
        self.say();
        let wait = Duration::from_millis(self.session.lease_ms() / 3).max(SHORTEST_RENEWAL);
        self.renew = Some(Instant::now() + wait);
    }

    /// The last word, if somebody hears it; else the lease ends.
    pub(crate) fn say_goodbye(&mut self) {
        if let Some(goodbye) = self.session.goodbye().filter(|_| !self.is_away()) {
            self.exchange(&goodbye);
        }
    }
}

/// What an answer means; why it is none.
fn heard(status: u16, body: Value) -> Result<Heard, String> {
    let said = body["error"].as_str().map(str::to_owned);
    let in_words = |said: Option<String>| said.unwrap_or_else(|| format!("status {status}"));
    match status {
        200..300 => Ok(Heard::Done(body)),
        _ if body["refusal"].get("no_such_client").is_some() => Ok(Heard::Forgotten),
        // It can't be stored, too many wait, or an instance is cut off from its store: the same can be said again.
        500.. => Err(in_words(said)),
        _ => Ok(Heard::Refused(in_words(said))),
    }
}
