//! [`Service`]: the gRPC service; each call passes through the event loop.

use super::MissingField;
use super::proto::saba_server::Saba;
use super::proto::{
    CreateConnectionRequest, CreateConnectionResponse, DeregisterApplicationRequest,
    DeregisterApplicationResponse, DestroyConnectionRequest, DestroyConnectionResponse,
    GoodbyeRequest, GoodbyeResponse, HelloRequest, HelloResponse, KeepAliveRequest,
    KeepAliveResponse, Mark, RegisterApplicationRequest, RegisterApplicationResponse,
};
use crate::Marking;
use crate::core::Answer;
use crate::credentials::{Caller, Unauthenticated};
use crate::daemon::{Call, Handle};
use bandwise_saba::mapping::PriorityLevel;
use tonic::{Request, Response, Status};

/// The gRPC service.
pub(super) struct Service {
    pub(super) handle: Handle,
    /// The marks of priority levels.
    pub(super) marking: Marking,
}

impl Service {
    async fn call<M>(&self, request: Request<M>) -> Result<Answer, Status>
    where
        M: TryInto<Call, Error = MissingField>,
    {
        let nobody = || Status::unauthenticated(Unauthenticated::NoCredential.to_string());
        let caller = request.extensions().get::<Caller>().cloned().ok_or_else(nobody)?;
        Ok(self.handle.call(&caller, request.into_inner().try_into()?).await?)
    }

    fn mark(&self, level: PriorityLevel) -> Option<Mark> {
        let number = self.marking.of(level).map(u32::from);
        let (dscp, sl) = match self.marking {
            Marking::Dscp(_) => (number, None),
            Marking::ServiceLevels(_) => (None, number),
        };
        Some(Mark { level: level.0.into(), dscp, sl })
    }
}

/// Returns an internal error: the core has answered another kind of request.
fn other(answer: &Answer) -> Status {
    Status::internal(format!("unexpected answer: {answer:?}"))
}

#[tonic::async_trait]
impl Saba for Service {
    async fn hello(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<HelloResponse>, Status> {
        match self.call(request).await? {
            Answer::Welcome { client, lease_ms } => {
                Ok(Response::new(HelloResponse { client: client.0, lease_ms }))
            }
            answer => Err(other(&answer)),
        }
    }

    async fn keep_alive(
        &self,
        request: Request<KeepAliveRequest>,
    ) -> Result<Response<KeepAliveResponse>, Status> {
        self.call(request).await?;
        Ok(Response::new(KeepAliveResponse {}))
    }

    async fn goodbye(
        &self,
        request: Request<GoodbyeRequest>,
    ) -> Result<Response<GoodbyeResponse>, Status> {
        self.call(request).await?;
        Ok(Response::new(GoodbyeResponse {}))
    }

    async fn register_application(
        &self,
        request: Request<RegisterApplicationRequest>,
    ) -> Result<Response<RegisterApplicationResponse>, Status> {
        match self.call(request).await? {
            Answer::Registered { application, level, doubts } => {
                let (application, mark) = (application.0, self.mark(level));
                Ok(Response::new(RegisterApplicationResponse { application, mark, doubts }))
            }
            answer => Err(other(&answer)),
        }
    }

    async fn deregister_application(
        &self,
        request: Request<DeregisterApplicationRequest>,
    ) -> Result<Response<DeregisterApplicationResponse>, Status> {
        self.call(request).await?;
        Ok(Response::new(DeregisterApplicationResponse {}))
    }

    async fn create_connection(
        &self,
        request: Request<CreateConnectionRequest>,
    ) -> Result<Response<CreateConnectionResponse>, Status> {
        match self.call(request).await? {
            Answer::Connected { connection, level } => {
                let (connection, mark) = (connection.0, self.mark(level));
                Ok(Response::new(CreateConnectionResponse { connection, mark }))
            }
            answer => Err(other(&answer)),
        }
    }

    async fn destroy_connection(
        &self,
        request: Request<DestroyConnectionRequest>,
    ) -> Result<Response<DestroyConnectionResponse>, Status> {
        self.call(request).await?;
        Ok(Response::new(DestroyConnectionResponse {}))
    }
}
