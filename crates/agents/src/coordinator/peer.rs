//! [`Peer`]: the coordinator's state of an agent.

use crate::clocks::ClockError;
use crate::message::{FromAgent, Greeting, ToAgent};
use crate::{Challenge, Challenges, ClockDifference, SealError, Seals, Speaker, Token};
use bandwise_session::{Lines, decode, encode};
use bandwise_units::Time;

/// A line from an agent.
#[derive(Debug)]
pub(super) enum Reply {
    Challenge,
    Refused(String),
    Message(FromAgent),
}

#[derive(Debug)]
pub(super) struct Peer {
    lines: Lines,
    token: Token,
    challenge: Challenge,
    seals: Option<Seals>,
    /// True if the connection is open.
    pub(super) is_there: bool,
    /// The time of the last sealed message, or of the connection.
    pub(super) last_received: Time,
    /// The last time at which the agent is known to have been alive: an answered clock request was
    /// sent then.
    pub(super) alive: Time,
    /// The names of the device and the clock.
    pub(super) welcome: Option<(String, String)>,
    /// The number of the last clock request, and its time if it is outstanding.
    number: u64,
    asked: Option<Time>,
    /// The number of exchanges in this series, and their bounds: before the start, and after the end.
    pub(super) exchanges: u32,
    series: Vec<ClockDifference>,
    /// The bounds of the last exchange, also outside of a series.
    latest: Option<ClockDifference>,
    pub(super) starting: bool,
}

impl Peer {
    /// Returns the state of a connected agent, and the first line to send.
    pub(super) fn new(token: Token, challenge: Challenge, now: Time) -> (Peer, String) {
        let peer = Peer {
            lines: Lines::default(),
            token,
            challenge,
            seals: None,
            is_there: true,
            last_received: now,
            alive: now,
            welcome: None,
            number: 0,
            asked: None,
            exchanges: 0,
            series: Vec::new(),
            latest: None,
            starting: false,
        };
        (peer, encode(&Greeting::Challenge(challenge)) + "\n")
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Returns the next line; `None` if it is incomplete.
    pub(super) fn next(&mut self) -> Option<Result<Reply, SealError>> {
        let line = match self.lines.next_line()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error.into())),
        };
        // An agent that refuses may lack the token and answers in the clear. A tag never begins
        // with this character.
        let is_clear = line.first() == Some(&b'{');
        Some(match &mut self.seals {
            Some(seals) if !is_clear => seals.open(&line).map(Reply::Message),
            _ => self.greeting(&line),
        })
    }

    fn greeting(&mut self, line: &[u8]) -> Result<Reply, SealError> {
        match decode(line)? {
            Greeting::Challenge(agent) if self.seals.is_none() => {
                let challenges = Challenges { agent, coordinator: self.challenge };
                let seals = Seals::new(self.token.clone(), Speaker::Coordinator, challenges);
                self.seals = Some(seals);
                Ok(Reply::Challenge)
            }
            Greeting::Challenge(_) => Err(SealError::Forged),
            Greeting::Refused(why) => Ok(Reply::Refused(format!("it refuses: {why}"))),
        }
    }

    /// Returns a message as a sealed line; `None` if the agent is disconnected.
    pub(super) fn seal(&mut self, message: &ToAgent) -> Option<String> {
        self.seals.as_mut().filter(|_| self.is_there).map(|seals| seals.seal(message))
    }

    /// Returns the number of a new clock request; `None` before the welcome, and while a request is outstanding.
    pub(super) fn ask(&mut self, now: Time) -> Option<u64> {
        if self.asked.is_some() || self.welcome.is_none() || !self.is_there {
            return None;
        }
        self.number += 1;
        self.asked = Some(now);
        Some(self.number)
    }

    /// Starts a new series of exchanges.
    pub(super) fn begin_exchanges(&mut self) {
        self.exchanges = 0;
    }

    /// Handles a clock reading. Exchanges outside of a series do not count.
    pub(super) fn clock(
        &mut self,
        number: u64,
        read: Time,
        now: Time,
        is_counted: bool,
    ) -> Result<(), ClockError> {
        // A reading without a request has no bounds.
        let Some(asked) = self.asked.take_if(|_| number == self.number) else { return Ok(()) };
        let one = ClockDifference::of(asked, read, now);
        (self.alive, self.latest) = (asked, Some(one));
        if !is_counted {
            return Ok(());
        }
        match self.series.last_mut().filter(|_| self.exchanges > 0) {
            Some(so_far) => *so_far = so_far.and(one)?,
            None => self.series.push(one),
        }
        self.exchanges += 1;
        Ok(())
    }

    /// Returns the bounds from the exchanges before the start.
    pub(super) fn difference(&self) -> Option<ClockDifference> {
        self.series.first().copied()
    }

    /// Returns the largest error of the estimated difference, at the start or at the end.
    pub(super) fn clock_error(&self) -> Option<Time> {
        let first = self.series.first()?;
        self.series.iter().map(|later| first.error_by(*later)).max()
    }

    /// Returns the largest error by the last exchange, for a run that is cut short and has no
    /// exchanges after its end.
    pub(super) fn clock_error_so_far(&self) -> Option<Time> {
        let so_far = self.series.first()?.error_by(self.latest?);
        self.clock_error().map(|error| error.max(so_far))
    }
}
