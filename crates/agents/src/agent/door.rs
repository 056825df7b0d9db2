//! [`Door`]: one connection, from its first byte on.

use crate::message::{FromAgent, Greeting, ToAgent};
use crate::{Challenge, Challenges, SILENCE, SealError, Seals, Speaker, Token};
use bandwise_session::{Lines, decode};
use bandwise_units::Time;

/// What came.
#[derive(Debug)]
pub(super) enum Heard {
    /// The other side's challenge.
    Greeting,
    /// Something that is sealed.
    Message(ToAgent),
}

/// A connection.
#[derive(Debug)]
pub(super) struct Door {
    lines: Lines,
    challenge: Challenge,
    /// Once both challenges are known.
    seals: Option<Seals>,
    /// When who has not shown the token is turned away.
    until: Time,
}

impl Door {
    pub(super) fn new(challenge: Challenge, now: Time) -> Self {
        let until = now.saturating_add(SILENCE);
        Door { lines: Lines::default(), challenge, seals: None, until }
    }

    pub(super) fn deadline(&self) -> Time {
        self.until
    }

    /// It has the agent at its disposal, and other deadlines.
    pub(super) fn enter(&mut self) {
        self.until = Time::MAX;
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The next thing that it says; `None` until there is all of it.
    pub(super) fn next(&mut self, token: &Token) -> Option<Result<Heard, SealError>> {
        let line = match self.lines.next_line()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error.into())),
        };
        Some(match &mut self.seals {
            Some(seals) => seals.open(&line).map(Heard::Message),
            None => self.greeting(&line, token),
        })
    }

    fn greeting(&mut self, line: &[u8], token: &Token) -> Result<Heard, SealError> {
        let coordinator = match decode(line)? {
            Greeting::Challenge(challenge) => challenge,
            Greeting::Refused(_) => return Err(SealError::Forged),
        };
        let challenges = Challenges { agent: self.challenge, coordinator };
        self.seals = Some(Seals::new(token.clone(), Speaker::Agent, challenges));
        Ok(Heard::Greeting)
    }

    /// A message as a line; `None` before both challenges are known.
    pub(super) fn seal(&mut self, message: &FromAgent) -> Option<String> {
        self.seals.as_mut().map(|seals| seals.seal(message))
    }
}
