//! The daemon around Saba's controller (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters", thesis
//! 2022, sections 4.3 and 4.4; here `Saba`).
//!
//! - [`client`]: a client of the interface for people and scripts.
//! - [`cluster`]: several controllers that share one store in etcd.
//! - [`core`]: the decisions, without I/O: admission of clients, the order of writes to the store, the configuration of
//!   ports.
//! - [`credentials`]: authentication of callers and their permissions.
//! - [`daemon`]: the process around the core: threads, a recording, an audit log, metrics.
//! - [`http`]: the interface for people and scripts.
//! - [`grpc`]: the interface for clients. Both pass calls to the same event loop.
//! - [`settings`]: the settings file, read and checked before anything is touched.
//! - [`store`]: the records that outlive the process.
//!
//! # Examples
//!
//! The core is a state machine: inputs go in with the time, outputs are polled. An answer follows only after
//! [`core::Input::Stored`].
//!
//! ```
//! use bandwise_controller::core::{Answer, Clustering, Core, Input, Output, Owner, Profiles, Rules, State, Ticket};
//! use bandwise_input::Source;
//! use bandwise_saba::{controller::Settings, table::read};
//! use std::{num::NonZeroU16, time::Duration};
//!
//! let table = "application,share,time_s\nsort,1,100\nsort,0.5,200\nsort,0.25,400\n";
//! let table = read::csv(&Source::new("table.csv", table)).unwrap();
//! let profiles = Profiles::new(table, Clustering { levels: NonZeroU16::new(8).unwrap(), seed: 1 });
//! let mut core =
//!     Core::new(Rules::default(), Settings::default(), profiles, State::default(), Duration::ZERO)?;
//!
//! let (ticket, owner) = (Ticket(1), Owner::from("spark"));
//! core.handle(Duration::ZERO, Input::Hello { ticket, owner });
//! let Some(Output::Store { write, .. }) = core.poll() else { panic!() };
//! core.handle(Duration::from_millis(1), Input::Stored { write, error: None, revision: 0 });
//! let Some(Output::Answer { answer: Ok(Answer::Welcome { lease_ms, .. }), .. }) = core.poll() else {
//!     panic!()
//! };
//! assert_eq!(lease_ms, 30_000);
//! # Ok::<(), bandwise_controller::core::InvalidRecord>(())
//! ```

mod bounds;
pub mod client;
pub mod cluster;
pub mod core;
pub mod credentials;
pub mod daemon;
pub mod grpc;
pub mod http;
mod log;
mod marking;
mod pattern;
mod pem;
mod present;
mod serve;
pub mod settings;
pub mod store;

pub use log::log_to_standard_error;
pub use marking::Marking;
pub use present::Present;
pub use serve::{Admission, Listener, Tls, raise_descriptor_limit};

/// Returns the routes of a listener: gRPC and HTTP over the daemon behind `handle`, for callers that `authenticator`
/// accepts. Answers translate a priority level into a mark by `marking`.
pub fn router(
    handle: daemon::Handle,
    metrics: daemon::Metrics,
    marking: Marking,
    authenticator: credentials::Authenticator,
) -> axum::Router {
    let all = grpc::router(handle.clone(), marking.clone());
    let all = all.merge(http::router(handle, metrics, marking));
    serve::whole_requests(all).layer(axum::middleware::from_fn_with_state(
        authenticator,
        credentials::Authenticator::authenticate,
    ))
}
