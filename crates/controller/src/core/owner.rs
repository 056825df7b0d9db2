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
        let is_anothers = |client: &ClientId, by: &Owner| {
            self.state().owner_of(*client).is_some_and(|owner| owner != by)
        };
        let (ticket, answer) = match &input {
            Input::Ask { ticket, by, asked, .. } if is_anothers(&asked.client, by) => {
                (*ticket, Err(Refusal::NoSuchClient(asked.client)))
            }
            Input::Renew { ticket, by, client } if is_anothers(client, by) => {
                (*ticket, Err(Refusal::NoSuchClient(*client)))
            }
            Input::Goodbye { ticket, by, client } if is_anothers(client, by) => {
                (*ticket, Ok(Answer::Done))
            }
            _ => return Ok(input),
        };
        Err(Output::Answer { ticket, answer })
    }
}
