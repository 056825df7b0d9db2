//! [`Connection`]: a connection of an agent, from its first byte on.

use crate::message::{FromAgent, Greeting, ToAgent};
use crate::{Challenge, Challenges, SILENCE, SealError, Seals, Speaker, Token};
use bandwise_session::{Lines, decode};
use bandwise_units::Time;
use core::net::{IpAddr, Ipv6Addr};

/// A line from the other side.
#[derive(Debug)]
pub(super) enum Received {
    /// The challenge of the coordinator.
    Greeting,
    /// A sealed message.
    Message(ToAgent),
}

/// The origin of connections: an IPv4 address, or an IPv6 network, of whose addresses a host has any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin(IpAddr);

impl Origin {
    /// Returns the origin of an address.
    pub(super) fn of(address: IpAddr) -> Self {
        Origin(match address.to_canonical() {
            IpAddr::V6(address) => {
                Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
            }
            address => address,
        })
    }
}

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    origin: Origin,
    lines: Lines,
    challenge: Challenge,
    /// The seals, when both challenges are known.
    seals: Option<Seals>,
    /// The deadline by which the other side has to prove that it has the token.
    until: Time,
}

impl Connection {
    pub(super) fn new(origin: Origin, challenge: Challenge, now: Time) -> Self {
        let until = now.saturating_add(SILENCE);
        Connection { origin, lines: Lines::default(), challenge, seals: None, until }
    }

    pub(super) fn origin(&self) -> Origin {
        self.origin
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
