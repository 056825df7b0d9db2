//! [`Peer`]: the address of a connection's other end.

use std::net::{Ipv4Addr, Ipv6Addr};

/// An IPv6 address. IPv4 addresses are mapped (RFC 4291, 2.5.5.2), as in dual-stack sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Peer(Ipv6Addr);

/// The address families at the start of a `sockaddr` (Linux, bits/sockaddr.h).
const IPV4: u16 = 2;
const IPV6: u16 = 10;

impl Peer {
    /// Returns the address in a `sockaddr`, or `None` for families other than IP and for truncated addresses.
    pub(crate) fn of(sockaddr: &[u8]) -> Option<Peer> {
        let family = u16::from_ne_bytes(sockaddr.get(..2)?.try_into().ok()?);
        match family {
            // sockaddr_in: family, port, address; sockaddr_in6: family, port, flow label, address.
            IPV4 if sockaddr.len() >= 16 => {
                let address: [u8; 4] = sockaddr[4..8].try_into().ok()?;
                Some(Peer(Ipv4Addr::from(address).to_ipv6_mapped()))
            }
            IPV6 if sockaddr.len() >= 24 => {
                let address: [u8; 16] = sockaddr[8..24].try_into().ok()?;
                Some(Peer(Ipv6Addr::from(address)))
            }
            _ => None,
        }
    }

    /// Returns the address of the words from [`words`](Self::words), or of a GID (IBTA 4.1.1).
    pub(crate) fn from_words([high, low]: [u64; 2]) -> Peer {
        Peer(Ipv6Addr::from((u128::from(high) << 64) | u128::from(low)))
    }

    pub(crate) fn words(self) -> [u64; 2] {
        let bits = u128::from(self.0);
        [(bits >> 64) as u64, bits as u64]
    }

    /// Returns the IPv4 address, if packets have one.
    pub(crate) fn ipv4(self) -> Option<Ipv4Addr> {
        self.0.to_ipv4_mapped()
    }

    /// Returns whether the address can be that of one other host: not loopback, unspecified, multicast or broadcast.
    pub(crate) fn is_elsewhere(self) -> bool {
        match self.ipv4() {
            Some(v4) => {
                !(v4.is_loopback() || v4.is_unspecified() || v4.is_multicast() || v4.is_broadcast())
            }
            None => !(self.0.is_loopback() || self.0.is_unspecified() || self.0.is_multicast()),
        }
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.ipv4() {
            Some(v4) => v4.fmt(f),
            None => self.0.fmt(f),
        }
    }
}

impl std::str::FromStr for Peer {
    type Err = std::net::AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A zone, as in fe80::1%eth0, names an interface, not a host.
        let text = text.split('%').next().unwrap_or(text);
        let address: std::net::IpAddr = text.parse()?;
        Ok(Peer(match address {
            std::net::IpAddr::V4(v4) => v4.to_ipv6_mapped(),
            std::net::IpAddr::V6(v6) => v6,
        }))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::{SocketAddr, UdpSocket};

    /// Returns an address in the kernel's layout.
    pub(crate) fn sockaddr(address: SocketAddr) -> Vec<u8> {
        let mut bytes = Vec::new();
        match address {
            SocketAddr::V4(v4) => {
                bytes.extend(IPV4.to_ne_bytes());
                bytes.extend(v4.port().to_be_bytes());
                bytes.extend(v4.ip().octets());
                bytes.extend([0; 8]);
            }
            SocketAddr::V6(v6) => {
                bytes.extend(IPV6.to_ne_bytes());
                bytes.extend(v6.port().to_be_bytes());
                bytes.extend(v6.flowinfo().to_ne_bytes());
                bytes.extend(v6.ip().octets());
                bytes.extend(v6.scope_id().to_ne_bytes());
            }
        }
        bytes
    }

    fn peer(address: &str) -> Peer {
        address.parse().unwrap()
    }

    proptest! {
        /// Any bytes are accepted.
        #[test]
        fn any_sockaddr_bytes_are_accepted(bytes: Vec<u8>) {
            if let Some(peer) = Peer::of(&bytes) {
                prop_assert_eq!(Peer::from_words(peer.words()), peer);
            }
        }

        #[test]
        fn peer_addresses_round_trip(address: [u8; 16], v4: [u8; 4], port: u16) {
            let v6 = Ipv6Addr::from(address);
            let seen = Peer::of(&sockaddr((v6, port).into())).unwrap();
            prop_assert_eq!(seen.words(), Peer(v6).words());
            let seen = Peer::of(&sockaddr((Ipv4Addr::from(v4), port).into())).unwrap();
            prop_assert_eq!(seen.ipv4(), Some(Ipv4Addr::from(v4)));
            prop_assert_eq!(seen.to_string().parse(), Ok(seen));
        }
    }

    #[test]
    fn loopback_unspecified_and_multicast_are_not_remote() {
        for own in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::", "0.0.0.0"] {
            assert!(!peer(own).is_elsewhere(), "{own}");
        }
        for many in ["224.0.0.1", "255.255.255.255", "ff02::1", "::ffff:224.0.0.1"] {
            assert!(!peer(many).is_elsewhere(), "{many}");
        }
        for other in ["10.0.0.3", "::ffff:10.0.0.3", "fe80::1%eth0", "2001:db8::1", "169.254.0.1"] {
            assert!(peer(other).is_elsewhere(), "{other}");
        }
        assert_eq!(peer("::ffff:10.0.0.3"), peer("10.0.0.3"));
    }

    /// The layout is the system's: the address of a real socket is read.
    #[test]
    fn layout_matches_the_systems_sockaddr() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(socket) = UdpSocket::bind(address) else { continue };
            let there = crate::system::local(std::os::fd::AsRawFd::as_raw_fd(&socket)).unwrap();
            assert_eq!(there, peer(&socket.local_addr().unwrap().ip().to_string()));
        }
    }
}
