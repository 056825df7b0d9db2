//! [`Peer`]: the host at the other end of a connection, and the addresses of its queue pairs.

use bandwise_session::{AllowedPeer, PortAddress, Side, foreign};
use bandwise_verbs::Control;
use bandwise_verbs::ibverbs::{DeviceInfo, PortInfo, devices};
use std::net::IpAddr;

/// The host at the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    at: IpAddr,
    /// The addresses of this host's RDMA devices, if the other end is on it.
    own: Vec<PortAddress>,
}

/// An address that is not the peer's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "its queue pairs are at {address}, and its TCP connection is at {at}: connect by the network of the RDMA devices, or \
     give --peer {address} to the side that refuses"
)]
pub struct ForeignError {
    address: PortAddress,
    at: IpAddr,
}

impl Peer {
    /// Returns the peer of a connection.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection has ended, or the devices of this host can't be listed.
    pub fn of(control: &Control) -> anyhow::Result<Peer> {
        let (at, here) = control.ends()?;
        let own = if at.is_loopback() || at == here { own_addresses()? } else { Vec::new() };
        Ok(Peer::new(at, own))
    }

    pub(crate) fn new(at: IpAddr, own: Vec<PortAddress>) -> Peer {
        Peer { at: at.to_canonical(), own }
    }

    /// Checks that the queue pairs of a side are at the peer's address, or at an allowed one. Traffic to them then goes to
    /// no third host.
    ///
    /// # Errors
    ///
    /// Returns [`ForeignError`] for any other address.
    pub fn check(&self, side: &Side, allowed: &[AllowedPeer]) -> Result<(), ForeignError> {
        let is_its = |address| address == self.at.into() || self.own.contains(&address);
        match foreign(side, allowed, is_its) {
            None => Ok(()),
            Some(address) => Err(ForeignError { address, at: self.at }),
        }
    }
}

/// Returns the addresses of all RDMA devices of this host.
fn own_addresses() -> anyhow::Result<Vec<PortAddress>> {
    let ports = |device: DeviceInfo| device.ports;
    let addresses = |port: PortInfo| {
        let lid = (port.lid != 0).then_some(PortAddress::Lid(port.lid));
        port.gids.into_iter().map(|info| PortAddress::Gid(info.gid)).chain(lid)
    };
    Ok(devices()?.into_iter().flat_map(ports).flat_map(addresses).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_rdma::wire::Mtu;
    use bandwise_session::{Gid, Region};
    use std::net::Ipv6Addr;

    fn side(gid: &str) -> Side {
        let gid: Gid = gid.parse::<Ipv6Addr>().unwrap().into();
        let region = Region { address: 0, rkey: 0, bytes: 64 };
        let (gid, manager, queue_pairs) = (Some(gid), None, Vec::new());
        Side { device: "d".into(), lid: 0, gid, mtu: Mtu::MAX, region, manager, queue_pairs }
    }

    #[test]
    fn queue_pairs_of_a_third_host_are_refused() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let peer = |at, own: &[&str]| Peer::new(ip(at), own.iter().map(|a| ip(a).into()).collect());
        let check = |peer: Peer, gid, allowed: &[AllowedPeer]| peer.check(&side(gid), allowed);
        assert_eq!(check(peer("10.0.0.2", &[]), "::ffff:10.0.0.2", &[]), Ok(()));
        assert_eq!(check(peer("::ffff:10.0.0.2", &[]), "::ffff:10.0.0.2", &[]), Ok(()));
        let error = check(peer("10.0.0.2", &[]), "::ffff:10.0.0.3", &[]).unwrap_err().to_string();
        for part in ["are at 10.0.0.3,", "is at 10.0.0.2:", "--peer 10.0.0.3 "] {
            assert!(error.contains(part), "{error}");
        }
        // A peer on this host may use any of its devices.
        assert_eq!(check(peer("127.0.0.1", &["10.0.0.3"]), "::ffff:10.0.0.3", &[]), Ok(()));
        let allowed = "fe80::/64".parse().unwrap();
        assert_eq!(check(peer("10.0.0.2", &[]), "fe80::5", &[allowed]), Ok(()));
        assert!(check(peer("10.0.0.2", &[]), "fe80::5", &[]).is_err());
    }
}
