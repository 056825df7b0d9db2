//! What a program tells Saba's controller (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters",
//! thesis 2022, section 4.4, table 4.1): that an application runs, and which connections it has. Packets of those
//! carry the mark that the controller says, by which switches know whose they are.
//!
//! Without a controller all of it works and changes nothing. A controller that comes back hears again what there is.
//!
//! | thesis, table 4.1 | C | here |
//! |---|---|---|
//! | `saba_app_register` | `saba_app_register` | [`Application::register`] |
//! | `saba_conn_create` | `saba_conn_create` | [`Application::connect`] |
//! | `saba_conn_destroy` | `saba_conn_destroy` | dropping a [`Connection`] |
//! | `saba_app_deregister` | `saba_app_deregister` | dropping an [`Application`] |
//!
//! A [`Client`] is an application without a thread, for who has one. What a program under Saba is told by those who
//! start it stands in [`environment`].

mod application;
mod client;
pub mod environment;
mod ffi;
mod files;
mod keeper;
mod mark;
mod options;
mod place;
mod places;
mod round;
mod session;
mod speaker;
mod tls;
mod wire;

pub use application::{Application, Connection};
pub use client::{Client, Opened};
pub use mark::{Mark, NoMark};
pub use options::Options;
pub use place::{NoPlace, Place};
pub use places::Places;
pub use tls::TlsFiles;

/// What the controller refuses, or what can't be said to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The controller refused, in its words. It says what is allowed.
    #[error("{0}")]
    Refused(String),
    /// An argument that can't be used; it says what is allowed.
    #[error("{0}")]
    Argument(String),
    /// A socket that can't be marked.
    #[error("the socket can't be marked: {0}")]
    Socket(String),
}
