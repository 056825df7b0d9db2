//! [`Connection`]: a connection of an agent, from its first byte on.

use crate::message::{FromAgent, Greeting, ToAgent};
use crate::{Challenge, Challenges, SILENCE, SealError, Seals, Speaker, Token};
use bandwise_session::{Lines, decode};
use bandwise_units::Time;

/// A line from the other side.
#[derive(Debug)]
pub(super) enum Received {
    /// The challenge of the coordinator.
    Greeting,
    /// A sealed message.
    Message(ToAgent),
}

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    lines: Lines,
    challenge: Challenge,
    /// The seals, when both challenges are known.
    seals: Option<Seals>,
    /// The deadline by which the other side has to prove that it has the token.
    until: Time,
}

impl Connection {
    pub(super) fn new(challenge: Challenge, now: Time) -> Self {
        let until = now.saturating_add(SILENCE);
        Connection { lines: Lines::default(), challenge, seals: None, until }
    }

    pub(super) fn deadline(&self) -> Time {
        self.until
    }

    /// Marks the coordinator of this connection as accepted; its run has other deadlines.
    pub(super) fn enter(&mut self) {
        self.until = Time::MAX;
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Returns the next line; `None` if it is incomplete.
    pub(super) fn next(&mut self, token: &Token) -> Option<Result<Received, SealError>> {
        let line = match self.lines.next_line()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error.into())),
        };
        Some(match &mut self.seals {
            Some(seals) => seals.open(&line).map(Received::Message),
            None => self.greeting(&line, token),
        })
    }

    fn greeting(&mut self, line: &[u8], token: &Token) -> Result<Received, SealError> {
        let coordinator = match decode(line)? {
            Greeting::Challenge(challenge) => challenge,
            Greeting::Refused(_) => return Err(SealError::Forged),
        };
        let challenges = Challenges { agent: self.challenge, coordinator };
        self.seals = Some(Seals::new(token.clone(), Speaker::Agent, challenges));
        Ok(Received::Greeting)
    }

    /// Returns a message as a sealed line; `None` before both challenges are known.
    pub(super) fn seal(&mut self, message: &FromAgent) -> Option<String> {
        self.seals.as_mut().map(|seals| seals.seal(message))
    }
}
