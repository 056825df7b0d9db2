//! [`Vouching`]: the question of an agent to another one, whose queue pairs are these?
//!
//! The coordinator passes the addresses of queue pairs from agent to agent. An agent does not rely on it: before it
//! connects its queue pairs, it asks at the address itself for an agent with the token that has made these queue pairs
//! for this flow of its current run.

use crate::coordinator::{Peer, Reply};
use crate::message::{FromAgent, ToAgent};
use crate::{Challenge, SealError, Token};
use bandwise_session::Side;
use bandwise_units::Time;

/// The question, from the first line to the answer.
#[derive(Debug)]
pub struct Vouching {
    peer: Peer,
    question: ToAgent,
}

/// The next action after received bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VouchStep {
    /// Wait for more bytes.
    Wait,
    /// Send a line, and wait.
    Send(String),
    /// Nothing: the agent has vouched for the side.
    Done,
}

/// The reason for which nobody vouches for a side.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VouchError {
    /// The agent refuses the connection.
    #[error("{0}")]
    Refused(String),
    /// The agent has other queue pairs.
    #[error("the agent there has not made these queue pairs")]
    NotIts,
    /// The peer is no agent with this token.
    #[error(transparent)]
    Seal(#[from] SealError),
}

impl Vouching {
    /// Returns the question whether a side of a flow is an agent's, and the first line to it. `challenge` has to be
    /// random.
    pub fn new(token: Token, challenge: Challenge, flow: u16, side: Side) -> (Vouching, String) {
        // The caller has the deadlines.
        let (peer, line) = Peer::new(token, challenge, Time::ZERO);
        (Vouching { peer, question: ToAgent::Vouch { flow, side } }, line)
    }

    /// Handles bytes from the agent.
    ///
    /// # Errors
    ///
    /// Returns [`VouchError`] if the agent does not vouch for the side.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<VouchStep, VouchError> {
        self.peer.push(bytes);
        match self.peer.next() {
            None => Ok(VouchStep::Wait),
            Some(Ok(Reply::Challenge)) => {
                Ok(self.peer.seal(&self.question).map_or(VouchStep::Wait, VouchStep::Send))
            }
            Some(Ok(Reply::Message(FromAgent::Vouched(true)))) => Ok(VouchStep::Done),
            Some(Ok(Reply::Message(FromAgent::Vouched(false)))) => Err(VouchError::NotIts),
            Some(Ok(Reply::Message(_))) => {
                Err(VouchError::Refused("it sent an unexpected answer".to_owned()))
            }
            Some(Ok(Reply::Refused(why))) => Err(VouchError::Refused(why)),
            Some(Err(error)) => Err(error.into()),
        }
    }
}
