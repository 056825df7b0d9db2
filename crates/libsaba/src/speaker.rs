//! [`Speaker`]: says to the controller what the session wants said, keeps the lease, and finds a controller that comes
//! back.

use crate::session::{Heard, Said, Session};
use crate::wire::Wire;
use std::io;
use std::time::{Duration, Instant};

/// From one try to reach a controller that is away to the next, at first; twice as long after each.
const RETRY: Duration = Duration::from_millis(500);

/// The longest such wait.
const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// A session, and who speaks for it.
#[derive(Debug)]
pub(crate) struct Speaker {
    pub(crate) session: Session,
    wire: Wire,
    /// When a controller that did not answer is tried again, and how long after the try before.
    away: Option<(Instant, Duration)>,
}

impl Speaker {
    pub(crate) fn new(session: Session, wire: Wire) -> Self {
        Speaker { session, wire, away: None }
    }

    fn exchange(&mut self, (method, path, body): &Said) -> io::Result<Heard> {
        let answer = self.wire.ask(method, path, body);
        let (status, body) = answer.inspect_err(|_| self.is_away())?;
        match status {
            200..300 => Ok(Heard::Done(body)),
            _ if body["refusal"].get("no_such_client").is_some() => Ok(Heard::Forgotten),
            // It can't be stored, or too many wait: the same can be said again.
            500.. => {
                self.is_away();
                Err(io::ErrorKind::ResourceBusy.into())
            }
            _ => {
                let said = body["error"].as_str().map(str::to_owned);
                Ok(Heard::Refused(said.unwrap_or_else(|| format!("refused, with status {status}"))))
            }
        }
    }

    fn is_away(&mut self) {
        let wait = self.away.map_or(RETRY, |(_, wait)| (2 * wait).min(LONGEST_RETRY));
        self.away = Some((Instant::now() + wait, wait));
    }

    /// Says all that is to be said, if there is somebody who hears it.
    pub(crate) fn say(&mut self) {
        while let Some(said) = self.session.say() {
            match self.exchange(&said) {
                Ok(heard) => self.session.hear(heard),
                Err(_) => return,
            }
            self.away = None;
        }
    }

    /// The same, unless it did not answer a moment ago: a program does not wait for it again.
    pub(crate) fn say_if_there(&mut self) {
        if self.away.is_none() {
            self.say();
        }
    }

    /// Renews the lease and says the rest; how long until that is due again.
    pub(crate) fn beat(&mut self) -> Duration {
        if let Some((again, _)) = self.away {
            let left = again.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return left;
            }
        }
        let renewed = self.session.renewal().map(|said| self.exchange(&said));
        match renewed {
            Some(Ok(Heard::Forgotten)) => {
                self.away = None;
                self.session.forgotten();
            }
            Some(Ok(_)) => self.away = None,
            Some(Err(_)) | None => {}
        }
        if !matches!(renewed, Some(Err(_))) {
            self.say();
        }
        match self.away {
            Some((again, _)) => again.saturating_duration_since(Instant::now()),
            None => Duration::from_millis((self.session.lease_ms() / 3).max(50)),
        }
    }

    /// The last word, if somebody hears it; else the lease ends.
    pub(crate) fn say_goodbye(&mut self) {
        if let Some(goodbye) = self.session.goodbye().filter(|_| self.away.is_none()) {
            let _ = self.exchange(&goodbye);
        }
    }
}
