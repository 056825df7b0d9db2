//! [`PortAddress`] and [`AllowedPeer`]: the addresses of queue pairs, and those with which a side connects its own.
//!
//! A side names the address of its queue pairs itself. Without a check it could name that of another host, to which
//! traffic would then go.

use crate::{Gid, Side};
use core::net::{IpAddr, Ipv6Addr};
use std::fmt;
use std::str::FromStr;

/// The address of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortAddress {
    /// A global identifier.
    Gid(Gid),
    /// A local identifier, on InfiniBand.
    Lid(u16),
}

impl PortAddress {
    /// Returns the IP address that others can reach; `None` for a LID, and for a GID of one link or subnet only.
    pub fn ip(self) -> Option<IpAddr> {
        let PortAddress::Gid(gid) = self else { return None };
        let address = Ipv6Addr::from(gid).to_canonical();
        match address {
            IpAddr::V6(address) if address.is_unicast_link_local() => None,
            _ => Some(address),
        }
    }
}

impl From<IpAddr> for PortAddress {
    fn from(address: IpAddr) -> Self {
        PortAddress::Gid(bits(address).into())
    }
}

impl fmt::Display for PortAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortAddress::Gid(gid) => Ipv6Addr::from(*gid).to_canonical().fmt(f),
            PortAddress::Lid(lid) => write!(f, "lid:{lid}"),
        }
    }
}

/// Returns the GID's form of an address.
fn bits(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
}

impl Side {
    /// Returns the addresses by which packets reach this side: GID, LID, or both.
    pub fn addresses(&self) -> impl Iterator<Item = PortAddress> {
        let lid = (self.lid != 0 || self.gid.is_none()).then_some(PortAddress::Lid(self.lid));
        self.gid.map(PortAddress::Gid).into_iter().chain(lid)
    }
}

/// Addresses with which queue pairs may be connected, besides those that prove to be the peer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedPeer {
    /// All addresses.
    Any,
    /// The GIDs that begin with these bits.
    Network(Gid, u8),
    /// A local identifier.
    Lid(u16),
}

impl AllowedPeer {
    /// Returns `true` if this includes the address.
    pub fn includes(self, address: PortAddress) -> bool {
        match (self, address) {
            (AllowedPeer::Any, _) => true,
            (AllowedPeer::Network(network, length), PortAddress::Gid(gid)) => {
                let [network, gid] = [network, gid].map(|gid| u128::from_be_bytes(gid.0));
                let rest = 128 - u32::from(length);
                (network ^ gid).checked_shr(rest).unwrap_or(0) == 0
            }
            (AllowedPeer::Lid(lid), PortAddress::Lid(other)) => lid == other,
            _ => false,
        }
    }
}

/// A text that is no [`AllowedPeer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an address of queue pairs")]
pub struct AllowedPeerError;

impl AllowedPeerError {
    /// Returns the allowed form, for error messages.
    pub const fn allowed(self) -> &'static str {
        "an IP address or GID, with a prefix length or without: 10.0.0.2, 10.0.0.0/24, fe80::5; lid:17; any"
    }
}

impl FromStr for AllowedPeer {
    type Err = AllowedPeerError;

    fn from_str(text: &str) -> Result<Self, AllowedPeerError> {
        if text == "any" {
            return Ok(AllowedPeer::Any);
        }
        if let Some(lid) = text.strip_prefix("lid:") {
            return lid.parse().map(AllowedPeer::Lid).map_err(|_| AllowedPeerError);
        }
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| AllowedPeerError)?;
        let most: u8 = if address.is_ipv4() { 32 } else { 128 };
        let length: u8 = length.map_or(Ok(most), str::parse).map_err(|_| AllowedPeerError)?;
        if length > most {
            return Err(AllowedPeerError);
        }
        Ok(AllowedPeer::Network(bits(address).into(), 128 - most + length))
    }
}

/// Returns the first address of a side that is neither allowed nor known to be the peer's.
pub fn foreign(
    side: &Side,
    allowed: &[AllowedPeer],
    is_peers: impl Fn(PortAddress) -> bool,
) -> Option<PortAddress> {
    let is_allowed = |address| allowed.iter().any(|peer| peer.includes(address));
    side.addresses().find(|&address| !is_allowed(address) && !is_peers(address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Region;
    use bandwise_rdma::wire::Mtu;

    fn side(gid: Option<&str>, lid: u16) -> Side {
        let gid = gid.map(|text| text.parse::<Ipv6Addr>().unwrap().into());
        let region = Region { address: 0, rkey: 0, bytes: 0 };
        let (manager, queue_pairs) = (None, Vec::new());
        Side { device: "a".into(), lid, gid, mtu: Mtu::MAX, region, manager, queue_pairs }
    }

    #[test]
    fn side_has_its_peers_address_or_an_allowed_one() {
        let from: IpAddr = "10.0.0.2".parse().unwrap();
        let first = |side: &Side, allowed: &[&str]| {
            let allowed: Vec<AllowedPeer> = allowed.iter().map(|t| t.parse().unwrap()).collect();
            foreign(side, &allowed, |a| a == from.into()).map(|address| address.to_string())
        };
        let own = side(Some("::ffff:10.0.0.2"), 0);
        let third = side(Some("::ffff:10.0.0.3"), 0);
        assert_eq!(first(&own, &[]), None);
        assert_eq!(first(&third, &[]).as_deref(), Some("10.0.0.3"));
        assert_eq!(first(&third, &["10.0.1.0/24", "any"]), None);
        assert_eq!(first(&third, &["10.0.0.0/24"]), None);
        assert_eq!(first(&third, &["10.0.0.2/31"]), None);
        assert_eq!(first(&third, &["0.0.0.0/0"]), None);
        assert!(first(&third, &["10.0.0.4/30", "lid:0", "::/128"]).is_some());
        // On InfiniBand both addresses count.
        let infiniband = side(Some("fe80::5"), 17);
        assert_eq!(first(&infiniband, &["fe80::/64"]).as_deref(), Some("lid:17"));
        assert_eq!(first(&infiniband, &["lid:17"]).as_deref(), Some("fe80::5"));
        assert_eq!(first(&infiniband, &["lid:17", "::/0"]), None);
        assert_eq!(first(&side(None, 0), &["::/0"]).as_deref(), Some("lid:0"));
    }

    #[test]
    fn addresses_of_one_link_are_no_ip_addresses() {
        let ip = |text: &str| {
            let gid: Gid = text.parse::<Ipv6Addr>().unwrap().into();
            PortAddress::Gid(gid).ip().map(|ip| ip.to_string())
        };
        assert_eq!(ip("::ffff:10.0.0.1").as_deref(), Some("10.0.0.1"));
        assert_eq!(ip("2001:db8::1").as_deref(), Some("2001:db8::1"));
        assert_eq!((ip("fe80::1"), PortAddress::Lid(1).ip()), (None, None));
    }

    #[test]
    fn invalid_peers_are_refused() {
        for text in ["", "node1", "10.0.0.1/33", "::/129", "10.0.0.1/", "lid:", "lid:65536", "ANY"]
        {
            assert_eq!(text.parse::<AllowedPeer>(), Err(AllowedPeerError), "{text}");
        }
    }
}
