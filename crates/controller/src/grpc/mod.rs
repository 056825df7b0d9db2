//! The gRPC interface for clients, described in `proto/bandwise/saba/v1/controller.proto`. Calls by
//! gRPC and by HTTP go to the same event loop.

mod answers;
mod codec;
mod requests;
mod service;

use crate::Marking;
use crate::daemon::Handle;
use axum::Router;
use proto::saba_server::{SERVICE_NAME, SabaServer};

/// The messages and the service of `proto/`.
#[allow(missing_docs, clippy::all)]
pub mod proto {
    tonic::include_proto!("bandwise.saba.v1");
}

pub use requests::MissingField;

/// The largest request message, in bytes. Valid requests have less than 1 KiB.
pub const LARGEST: usize = 64 << 10;

/// Returns the gRPC service over the daemon behind `handle`. `marking` translates levels into marks.
pub fn router(handle: Handle, marking: Marking) -> Router {
    let service = SabaServer::new(service::Service { handle, marking });
    let service = service.max_decoding_message_size(LARGEST);
    Router::new().route_service(&format!("/{SERVICE_NAME}/{{call}}"), service)
}
