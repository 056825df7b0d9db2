//! [`Owner`]: the authenticated owner of clients.

use super::input::Input;
use super::machine::Core;
use super::output::Output;
use super::request::{Answer, ClientId, Refusal};
use serde::{Deserialize, Serialize};

/// The identity of an authenticated caller: a credential, or a user of this machine. Nobody else can use the owner's
/// clients, and limits count all of them together.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner(Box<str>);

impl From<&str> for Owner {
    fn from(name: &str) -> Self {
        Owner(name.into())
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Core {
    /// Passes on an input if its caller owns the client that it names. Otherwise the answer is the same as for a client
    /// that does not exist.
    pub(super) fn own(&self, input: Input) -> Result<Input, Output> {
        let is_foreign = |client: &ClientId, caller: &Owner| {
            self.state().owner_of(*client).is_some_and(|owner| owner != caller)
        };
        let (ticket, answer) = match &input {
            Input::Request { ticket, owner, request, .. } if is_foreign(&request.client, owner) => {
                (*ticket, Err(Refusal::NoSuchClient(request.client)))
            }
            Input::Renew { ticket, owner, client } if is_foreign(client, owner) => {
                (*ticket, Err(Refusal::NoSuchClient(*client)))
            }
            Input::Goodbye { ticket, owner, client } if is_foreign(client, owner) => {
                (*ticket, Ok(Answer::Done))
            }
            _ => return Ok(input),
        };
        Err(Output::Answer { ticket, answer })
    }
}
