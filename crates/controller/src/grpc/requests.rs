//! The translation of gRPC messages into calls.

use super::proto::{
    CreateConnectionRequest, DeregisterApplicationRequest, DestroyConnectionRequest,
    GoodbyeRequest, HelloRequest, KeepAliveRequest, RegisterApplicationRequest, Sender,
};
use crate::core::{ClientId, NumberedRequest, Request};
use crate::daemon::Call;
use bandwise_saba::controller::{ApplicationId, ConnectionId};

/// A message without a required field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request has no {0} (allowed: one with it; see bandwise/saba/v1/controller.proto)")]
pub struct MissingField(&'static str);

/// Returns a required field. Its default, 0, would be a valid id.
fn given<T>(value: Option<T>, name: &'static str) -> Result<T, MissingField> {
    value.ok_or(MissingField(name))
}

fn ask(sender: Option<Sender>, request: Request) -> Result<Call, MissingField> {
    let Sender { client, number, acknowledged_below } = given(sender, "sender")?;
    let client = ClientId(given(client, "sender.client")?);
    let number = given(number, "sender.number")?;
    Ok(Call::Request(NumberedRequest { client, number, acknowledged_below, request }))
}

impl TryFrom<HelloRequest> for Call {
    type Error = MissingField;

    fn try_from(_: HelloRequest) -> Result<Call, MissingField> {
        Ok(Call::Hello)
    }
}

impl TryFrom<KeepAliveRequest> for Call {
    type Error = MissingField;

    fn try_from(message: KeepAliveRequest) -> Result<Call, MissingField> {
        Ok(Call::Renew(ClientId(given(message.client, "client")?)))
    }
}

impl TryFrom<GoodbyeRequest> for Call {
    type Error = MissingField;

    fn try_from(message: GoodbyeRequest) -> Result<Call, MissingField> {
        Ok(Call::Goodbye(ClientId(given(message.client, "client")?)))
    }
}

impl TryFrom<RegisterApplicationRequest> for Call {
    type Error = MissingField;

    fn try_from(message: RegisterApplicationRequest) -> Result<Call, MissingField> {
        let RegisterApplicationRequest { sender, name, nodes, dataset, job } = message;
        ask(sender, Request::Register { name, nodes, dataset, job })
    }
}

impl TryFrom<DeregisterApplicationRequest> for Call {
    type Error = MissingField;

    fn try_from(message: DeregisterApplicationRequest) -> Result<Call, MissingField> {
        let application = ApplicationId(given(message.application, "application")?);
        ask(message.sender, Request::Deregister { application })
    }
}

impl TryFrom<CreateConnectionRequest> for Call {
    type Error = MissingField;

    fn try_from(message: CreateConnectionRequest) -> Result<Call, MissingField> {
        let CreateConnectionRequest { sender, application, from, to } = message;
        let application = ApplicationId(given(application, "application")?);
        ask(sender, Request::Connect { application, from, to })
    }
}

impl TryFrom<DestroyConnectionRequest> for Call {
    type Error = MissingField;

    fn try_from(message: DestroyConnectionRequest) -> Result<Call, MissingField> {
        let connection = ConnectionId(given(message.connection, "connection")?);
        ask(message.sender, Request::Close { connection })
    }
}
