//! What messages say to the daemon.

use super::proto::{
    CreateConnectionRequest, DeregisterApplicationRequest, DestroyConnectionRequest,
    GoodbyeRequest, HelloRequest, KeepAliveRequest, RegisterApplicationRequest, Sender,
};
use crate::core::{Asked, ClientId, Request};
use crate::daemon::Said;
use bandwise_saba::controller::{ApplicationId, ConnectionId};

/// A message that lacks something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the request has no {0} (allowed: one with it; see bandwise/saba/v1/controller.proto)")]
pub struct Unreadable(&'static str);

/// What has to be given. A number that isn't would be 0, which is somebody's.
fn given<T>(value: Option<T>, name: &'static str) -> Result<T, Unreadable> {
    value.ok_or(Unreadable(name))
}

fn ask(sender: Option<Sender>, request: Request) -> Result<Said, Unreadable> {
    let Sender { client, number, heard_below } = given(sender, "sender")?;
    let client = ClientId(given(client, "sender.client")?);
    let number = given(number, "sender.number")?;
    Ok(Said::Ask(Asked { client, number, heard_below, request }))
}

impl TryFrom<HelloRequest> for Said {
    type Error = Unreadable;

    fn try_from(_: HelloRequest) -> Result<Said, Unreadable> {
        Ok(Said::Hello)
    }
}

impl TryFrom<KeepAliveRequest> for Said {
    type Error = Unreadable;

    fn try_from(message: KeepAliveRequest) -> Result<Said, Unreadable> {
        Ok(Said::Renew(ClientId(given(message.client, "client")?)))
    }
}

impl TryFrom<GoodbyeRequest> for Said {
    type Error = Unreadable;

    fn try_from(message: GoodbyeRequest) -> Result<Said, Unreadable> {
        Ok(Said::Goodbye(ClientId(given(message.client, "client")?)))
    }
}

impl TryFrom<RegisterApplicationRequest> for Said {
    type Error = Unreadable;

    fn try_from(message: RegisterApplicationRequest) -> Result<Said, Unreadable> {
        let RegisterApplicationRequest { sender, name, nodes, dataset, job } = message;
        ask(sender, Request::Register { name, nodes, dataset, job })
    }
}

impl TryFrom<DeregisterApplicationRequest> for Said {
    type Error = Unreadable;

    fn try_from(message: DeregisterApplicationRequest) -> Result<Said, Unreadable> {
        let application = ApplicationId(given(message.application, "application")?);
        ask(message.sender, Request::Deregister { application })
    }
}

impl TryFrom<CreateConnectionRequest> for Said {
    type Error = Unreadable;

    fn try_from(message: CreateConnectionRequest) -> Result<Said, Unreadable> {
        let CreateConnectionRequest { sender, application, from, to } = message;
        let application = ApplicationId(given(application, "application")?);
        ask(sender, Request::Connect { application, from, to })
    }
}

impl TryFrom<DestroyConnectionRequest> for Said {
    type Error = Unreadable;

    fn try_from(message: DestroyConnectionRequest) -> Result<Said, Unreadable> {
        let connection = ConnectionId(given(message.connection, "connection")?);
        ask(message.sender, Request::Close { connection })
    }
}
