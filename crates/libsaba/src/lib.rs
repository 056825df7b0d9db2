//! The client library of Saba's controller (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters",
//! thesis 2022, section 4.4, table 4.1). A program registers an application and its connections. The controller assigns
//! a mark, by which switches recognise the application's packets.
//!
//! Without a controller every call succeeds and has no effect. When a controller becomes reachable, all current state
//! is registered again.
//!
//! | thesis, table 4.1 | C | Rust |
//! |---|---|---|
//! | `saba_app_register` | `saba_app_register` | [`Application::register`] |
//! | `saba_conn_create` | `saba_conn_create` | [`Application::connect`] |
//! | `saba_conn_destroy` | `saba_conn_destroy` | dropping a [`Connection`] |
//! | `saba_app_deregister` | `saba_app_deregister` | dropping an [`Application`] |
//!
//! A [`Client`] is an application for programs with a thread of their own. [`environment`] lists the variables that a
//! program's starter sets.
//!
//! # Examples
//!
//! ```
//! use saba::{Application, Options};
//!
//! let controller = "unix:/nonexistent/controller.sock".parse()?;
//! let application = Application::register("sort", Options { controller, ..Options::default() })?;
//! let connection = application.connect(None, "h3")?;
//! // No controller is reachable, so packets stay unmarked.
//! assert_eq!(connection.mark(), None);
//! assert!(application.unreachable().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod application;
mod client;
mod driver;
mod endpoint;
mod endpoints;
pub mod environment;
mod failover;
mod ffi;
mod files;
mod http;
mod last_error;
mod lease_thread;
mod mark;
mod options;
mod pool;
mod resolve;
mod session;
mod signals;
mod socket;
mod tls;

pub use application::{Application, Connection};
pub use client::{Client, Opened};
pub use endpoint::{Endpoint, InvalidEndpoint};
pub use endpoints::Endpoints;
pub use mark::{InvalidMark, Mark};
pub use options::Options;
pub use resolve::Resolve;
pub use tls::TlsFiles;

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The controller has refused the request, with its reason and the allowed values.
    #[error("{0}")]
    Refused(String),
    /// An argument is invalid, with the allowed values.
    #[error("{0}")]
    Argument(String),
    /// The socket can't be marked.
    #[error("the socket can't be marked: {0}")]
    Socket(String),
    /// The library can't carry out the call, because of the system or of a fault of its own.
    #[error("the call failed: {0}")]
    Fault(String),
}
