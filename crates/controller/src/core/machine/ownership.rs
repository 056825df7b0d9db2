//! The check that a caller owns the client that it names.

use super::Core;
use crate::core::input::Input;
use crate::core::output::Output;
use crate::core::owner::Owner;
use crate::core::request::{ClientId, Refusal};

impl Core {
    /// Passes on an input if its caller owns the client that it names. Otherwise returns the same
    /// answer as for an unknown client.
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
                (*ticket, Err(Refusal::NoSuchClient(*client)))
            }
            _ => return Ok(input),
        };
        Err(Output::Answer { ticket, answer })
    }
}
