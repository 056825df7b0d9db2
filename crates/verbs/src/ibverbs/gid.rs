//! [`Gid`]: what a port is called across subnets, and which of them to use.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::Ipv6Addr;

/// A global identifier (GID): 128 bits, written as IPv6 addresses are (IBTA 4.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Ipv6Addr", into = "Ipv6Addr")]
pub struct Gid(pub [u8; 16]);

impl Gid {
    /// Whether it stands for an IPv4 address.
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

/// What packets look like that are sent from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GidKind {
    /// InfiniBand.
    Ib,
    /// RoCE in frames of its own.
    RoceV1,
    /// RoCE over UDP and IP.
    RoceV2,
}

impl GidKind {
    pub(super) fn from_code(code: u32) -> Option<GidKind> {
        [GidKind::Ib, GidKind::RoceV1, GidKind::RoceV2].get(code as usize).copied()
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            GidKind::Ib => "InfiniBand",
            GidKind::RoceV1 => "RoCE v1",
            GidKind::RoceV2 => "RoCE v2",
        }
    }
}

/// An entry of a port's table of identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GidInfo {
    /// Its place in the table: what `-x` takes.
    pub index: u32,
    /// The identifier.
    pub gid: Gid,
    /// What packets look like; none for a code that is not known here.
    pub kind: Option<GidKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_an_address() {
        let mut raw = [0; 16];
        (raw[10], raw[11]) = (0xff, 0xff);
        raw[12..].copy_from_slice(&[10, 0, 0, 1]);
        assert_eq!(Gid(raw).to_string(), "::ffff:10.0.0.1");
        assert_eq!(GidKind::from_code(2), Some(GidKind::RoceV2));
        assert_eq!(GidKind::from_code(3), None);
    }
}
