//! The daemon around Saba's controller (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters", thesis
//! 2022, sections 4.3 and 4.4; here `Saba`).
//!
//! - [`cluster`] is several of them with one store, in etcd.
//! - [`core`] decides, without I/O: who is taken, what is stored, which port is written when.
//! - [`credentials`] say who speaks, and what they may say.
//! - [`daemon`] is the process around it: threads, a recording, an audit trail, metrics.
//! - [`http`] is how people and scripts reach it, [`grpc`] how clients do: two ways of saying the same to one event loop.
//! - [`settings`] are read from one file, before anything is touched.
//! - [`store`] keeps what must outlive the process.

pub mod cluster;
pub mod core;
pub mod credentials;
pub mod daemon;
pub mod grpc;
pub mod http;
mod marking;
mod pattern;
mod serve;
pub mod settings;
pub mod store;

pub use marking::Marking;
pub use serve::{Listener, Tls, TlsError};

/// All that is answered at a listener, by the daemon behind `handle`, to whom `gate` lets pass. Packets of a level carry
/// what `marking` says.
pub fn router(
    handle: daemon::Handle,
    metrics: daemon::Metrics,
    marking: Marking,
    authenticator: credentials::Authenticator,
) -> axum::Router {
    let all = grpc::router(handle.clone(), marking.clone());
    let all = all.merge(http::router(handle, metrics, marking));
    all.layer(axum::middleware::from_fn_with_state(
        authenticator,
        credentials::Authenticator::authenticate,
    ))
}

/// Writes what is logged to standard error, a line of JSON each, from now on.
pub fn log_to_standard_error() {
    let logs = tracing_subscriber::fmt().json().flatten_event(true).with_target(false);
    // Who has set up logs before keeps them.
    let _ = logs.with_writer(std::io::stderr).try_init();
}
