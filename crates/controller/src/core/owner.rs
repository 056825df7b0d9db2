//! [`Owner`]: whose clients are.

use super::input::Input;
use super::machine::Core;
use super::output::Output;
use super::request::{Answer, ClientId, Refusal};
use serde::{Deserialize, Serialize};

/// By what somebody is known who has shown who they are: a credential, or a user of this machine. Their clients are
/// nobody else's, and what all of them have together has a limit.
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
    /// Lets through what somebody says as a client of their own. Who speaks as another's is told what is said of
    /// clients that never were.
    pub(super) fn own(&self, input: Input) -> Result<Input, Output> {
        let is_anothers = |client: &ClientId, caller: &Owner| {
            self.state().owner_of(*client).is_some_and(|owner| owner != caller)
        };
        let (ticket, answer) = match &input {
            Input::Request { ticket, owner, request, .. }
                if is_anothers(&request.client, owner) =>
            {
                (*ticket, Err(Refusal::NoSuchClient(request.client)))
            }
            Input::Renew { ticket, owner, client } if is_anothers(client, owner) => {
                (*ticket, Err(Refusal::NoSuchClient(*client)))
            }
            Input::Goodbye { ticket, owner, client } if is_anothers(client, owner) => {
                (*ticket, Ok(Answer::Done))
            }
            _ => return Ok(input),
        };
        Err(Output::Answer { ticket, answer })
    }
}
