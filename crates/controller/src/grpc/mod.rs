//! gRPC: for clients. The service is described in `proto/bandwise/saba/v1/controller.proto`; what it hears goes to the
//! same event loop as what comes by HTTP.

mod answers;
mod codec;
mod requests;
mod service;

use crate::Marking;
use crate::daemon::Handle;
use axum::Router;
use proto::saba_server::{SERVICE_NAME, SabaServer};

/// Messages and the service, as `proto/` describes them.
#[allow(missing_docs, clippy::all)]
pub mod proto {
    tonic::include_proto!("bandwise.saba.v1");
}

pub use requests::MissingField;

/// The largest message of a request, in bytes. The largest that says something has less than a KiB.
pub const LARGEST: usize = 64 << 10;

/// The service, answered by the daemon behind `handle`. Packets of a level carry what `marking` says.
pub fn router(handle: Handle, marking: Marking) -> Router {
    let service = SabaServer::new(service::Service { handle, marking });
    let service = service.max_decoding_message_size(LARGEST);
    Router::new().route_service(&format!("/{SERVICE_NAME}/{{call}}"), service)
}
