//! The daemon around Saba's controller (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters", thesis
//! 2022, sections 4.3 and 4.4; here `Saba`).
//!
//! - [`core`] decides, without I/O: who is taken, what is stored, which port is written when.
//! - [`daemon`] is the process around it: threads, a recording, an audit trail, metrics.
//! - [`http`] is how people and scripts reach it.
//! - [`settings`] are read from one file, before anything is touched.
//! - [`store`] keeps what must outlive the process.

pub mod core;
pub mod daemon;
pub mod http;
mod marking;
mod serve;
pub mod settings;
pub mod store;

pub use marking::Marking;
pub use serve::Door;

/// Writes what is logged to standard error, a line of JSON each, from now on.
pub fn log_to_standard_error() {
    let logs = tracing_subscriber::fmt().json().flatten_event(true).with_target(false);
    // Who has set up logs before keeps them.
    let _ = logs.with_writer(std::io::stderr).try_init();
}
