//! [`reach`]: connections to other hosts.

use bandwise_agents::Address;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The time limit over all addresses of a host.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Connects to a listener, trying each of its addresses for 3 s in all.
///
/// # Errors
///
/// Returns the error of the last address.
pub fn reach(listener: &Address) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(ErrorKind::NotFound, "it has no address");
    let until = Instant::now() + TIMEOUT;
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
