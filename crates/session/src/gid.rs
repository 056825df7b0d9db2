//! [`Gid`]: the address of a port across subnets.

use core::net::Ipv6Addr;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A global identifier (GID): 128 bits, written as IPv6 addresses are (IBTA 4.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Ipv6Addr", into = "Ipv6Addr")]
pub struct Gid(pub [u8; 16]);

impl Gid {
    /// Returns `true` if the GID is an IPv4 address mapped to IPv6.
    pub fn is_ipv4(self) -> bool {
        Ipv6Addr::from(self).to_ipv4_mapped().is_some()
    }
}

impl From<Ipv6Addr> for Gid {
    fn from(address: Ipv6Addr) -> Gid {
        Gid(address.octets())
    }
}

impl From<Gid> for Ipv6Addr {
    fn from(gid: Gid) -> Ipv6Addr {
        gid.0.into()
    }
}

impl fmt::Display for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ipv6Addr::from(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gid_is_read_as_an_ipv6_address() {
        let mut raw = [0; 16];
        (raw[10], raw[11]) = (0xff, 0xff);
        raw[12..].copy_from_slice(&[10, 0, 0, 1]);
        assert_eq!(Gid(raw).to_string(), "::ffff:10.0.0.1");
    }
}
