//! [`Peer`]: an agent as the coordinator sees it.

use crate::clocks::ClockError;
use crate::message::{FromAgent, Greeting, ToAgent};
use crate::{Challenge, Challenges, ClockDifference, SealError, Seals, Speaker, Token};
use bandwise_session::{Lines, decode, encode};
use bandwise_units::Time;

/// What an agent says.
#[derive(Debug)]
pub(super) enum Said {
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
    /// Whether the connection stands.
    pub(super) is_there: bool,
    /// When it said something that was sealed, or was connected.
    pub(super) heard: Time,
    /// It was there then, or later: its clock was asked for, and the answer came.
    pub(super) alive: Time,
    /// Its device and clock, for people.
    pub(super) welcome: Option<(String, String)>,
    /// Clocks are asked for by numbers; when the last one was, if there is no answer yet.
    number: u64,
    asked: Option<Time>,
    /// Exchanges of this series, and what they show: before the start, and after the end.
    pub(super) exchanges: u32,
    series: Vec<ClockDifference>,
    /// What the last exchange of all shows, of a series or not.
    latest: Option<ClockDifference>,
    pub(super) starting: bool,
}

impl Peer {
    /// An agent that is connected, and what is to be said to it first.
    pub(super) fn new(token: Token, challenge: Challenge, now: Time) -> (Peer, String) {
        let peer = Peer {
            lines: Lines::default(),
            token,
            challenge,
            seals: None,
            is_there: true,
            heard: now,
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

    /// The next thing that it says; `None` until there is all of it.
    pub(super) fn next(&mut self) -> Option<Result<Said, SealError>> {
        let line = match self.lines.next_line()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error.into())),
        };
        // Who refuses may not have the token, and says so in the clear; a tag never begins so.
        let is_clear = line.first() == Some(&b'{');
        Some(match &mut self.seals {
            Some(seals) if !is_clear => seals.open(&line).map(Said::Message),
            _ => self.greeting(&line),
        })
    }

    fn greeting(&mut self, line: &[u8]) -> Result<Said, SealError> {
        match decode(line)? {
            Greeting::Challenge(agent) if self.seals.is_none() => {
                let challenges = Challenges { agent, coordinator: self.challenge };
                let seals = Seals::new(self.token.clone(), Speaker::Coordinator, challenges);
                self.seals = Some(seals);
                Ok(Said::Challenge)
            }
            Greeting::Challenge(_) => Err(SealError::Forged),
            Greeting::Refused(why) => Ok(Said::Refused(format!("it refuses: {why}"))),
        }
    }

    /// A message as a line; `None` when nobody is there to be told.
    pub(super) fn seal(&mut self, message: &ToAgent) -> Option<String> {
        self.seals.as_mut().filter(|_| self.is_there).map(|seals| seals.seal(message))
    }

    /// A number to ask for the clock with; `None` before it was welcomed, and while the last one is not answered.
    pub(super) fn ask(&mut self, now: Time) -> Option<u64> {
        if self.asked.is_some() || self.welcome.is_none() || !self.is_there {
            return None;
        }
        self.number += 1;
        self.asked = Some(now);
        Some(self.number)
    }

    /// Exchanges are counted anew.
    pub(super) fn begin_exchanges(&mut self) {
        self.exchanges = 0;
    }

    /// Its clock has been told. Exchanges that don't count are of no series.
    pub(super) fn clock(
        &mut self,
        number: u64,
        read: Time,
        now: Time,
        is_counted: bool,
    ) -> Result<(), ClockError> {
        // One that was not asked for shows nothing.
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

    /// What the exchanges before the start show.
    pub(super) fn difference(&self) -> Option<ClockDifference> {
        self.series.first().copied()
    }

    /// How far what was taken for the difference can be from what it was, at the start or at the end.
    pub(super) fn clock_error(&self) -> Option<Time> {
        let first = self.series.first()?;
        self.series.iter().map(|later| first.error_by(*later)).max()
    }

    /// The same by the last exchange of all, for a run that is cut short: nobody asks for clocks after its end.
    pub(super) fn clock_error_so_far(&self) -> Option<Time> {
        let so_far = self.series.first()?.error_by(self.latest?);
        self.clock_error().map(|error| error.max(so_far))
    }
}
