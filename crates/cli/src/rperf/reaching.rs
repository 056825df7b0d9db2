//! [`reach`]: connections with those who listen on other hosts.

use bandwise_agents::Address;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long it may take in all, however many addresses a host's name has.
const PATIENCE: Duration = Duration::from_secs(3);

/// A connection with whoever listens there.
pub(super) fn reach(listener: &Address) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(ErrorKind::NotFound, "it has no address");
    let until = Instant::now() + PATIENCE;
    for address in (listener.name.as_str(), listener.port).to_socket_addrs()? {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}
