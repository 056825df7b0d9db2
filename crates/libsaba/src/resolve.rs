//! [`Resolve`]: a resolver of host names.

use std::io;
use std::net::IpAddr;

/// Returns the addresses of a host that an endpoint names.
pub type Resolve = fn(&str) -> io::Result<Vec<IpAddr>>;
