//! [`listen`]: the listener of servers and agents.

use crate::failure::Failure;
use crate::output::note;
use anyhow::Context;
use std::fmt::Display;
use std::net::{SocketAddr, TcpListener};

/// Listens at the address of `--listen`, and prints the address with the `purpose`.
pub(super) fn listen(at: SocketAddr, purpose: impl Display) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(at).map_err(|error| {
        let message = format!("--listen {at}: {error}");
        Failure::usage(message, "an address of this host, and a free port")
    })?;
    let at = listener.local_addr().context("the address that is listened at")?;
    note(format_args!("listening at {at}, to measure with {purpose}"));
    if at.ip().is_loopback() {
        note("only this host can reach that address; others with --listen 0.0.0.0");
    }
    Ok(listener)
}
