//! [`Peer`]: the coordinator's state of an agent.

use crate::clocks::ClockError;
use crate::message::{FromAgent, Greeting, ToAgent};
use crate::{Challenge, Challenges, ClockDifference, SealError, Seals, Speaker, Token};
use bandwise_session::{Lines, decode, encode};
use bandwise_units::Time;

/// A line from an agent.
#[derive(Debug)]
pub(crate) enum Reply {
    Challenge,
    Refused(String),
    Message(FromAgent),
}

#[derive(Debug)]
pub(crate) struct Peer {
    lines: Lines,
    token: Token,
    challenge: Challenge,
    seals: Option<Seals>,
    /// True if the connection is open.
    pub(crate) is_there: bool,
    /// The time of the last sealed message, or of the connection.
    pub(crate) last_received: Time,
    /// The last time at which the agent is known to have been alive: an answered clock request was
    /// sent then.
    pub(crate) alive: Time,
    /// The names of the device and the clock.
    pub(crate) welcome: Option<(String, String)>,
    /// The number of the last clock request, and its time if it is outstanding.
    number: u64,
    asked: Option<Time>,
    /// The number of exchanges in this series, and their bounds: before the start, and after the end.
    pub(crate) exchanges: u32,
    series: Vec<ClockDifference>,
    /// The bounds of the last exchange, also outside of a series.
    latest: Option<ClockDifference>,
    pub(crate) starting: bool,
}

impl Peer {
    /// Returns the state of a connected agent, and the first line to send.
    pub(crate) fn new(token: Token, challenge: Challenge, now: Time) -> (Peer, String) {
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

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Returns the next line; `None` if it is incomplete.
    pub(crate) fn next(&mut self) -> Option<Result<Reply, SealError>> {
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
    pub(crate) fn seal(&mut self, message: &ToAgent) -> Option<String> {
        self.seals.as_mut().filter(|_| self.is_there).map(|seals| seals.seal(message))
    }

    /// Returns the number of a new clock request; `None` before the welcome, and while a request is outstanding.
    pub(crate) fn ask(&mut self, now: Time) -> Option<u64> {
        if self.asked.is_some() || self.welcome.is_none() || !self.is_there {
            return None;
        }
        self.number += 1;
        self.asked = Some(now);
        Some(self.number)
    }

    /// Starts a new series of exchanges.
    pub(crate) fn begin_exchanges(&mut self) {
        self.exchanges = 0;
    }

    /// Handles a clock reading. Exchanges outside of a series do not count.
    pub(crate) fn clock(
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
    pub(crate) fn difference(&self) -> Option<ClockDifference> {
        self.series.first().copied()
    }

    /// Returns the largest error of the estimated difference, at the start or at the end.
    pub(crate) fn clock_error(&self) -> Option<Time> {
        let first = self.series.first()?;
        self.series.iter().map(|later| first.error_by(*later)).max()
    }

    /// Returns the largest error by the last exchange, for a run that is cut short and has no
    /// exchanges after its end.
    pub(crate) fn clock_error_so_far(&self) -> Option<Time> {
        let so_far = self.series.first()?.error_by(self.latest?);
        self.clock_error().map(|error| error.max(so_far))
    }
}
