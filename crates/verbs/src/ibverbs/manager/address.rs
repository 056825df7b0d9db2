//! The IP addresses of both sides, which their GIDs contain.

use crate::ibverbs::{Chosen, VerbsError};
use bandwise_session::{Gid, ManagerPort, Side};
use std::io;
use std::net::{IpAddr, Ipv6Addr};

/// Returns the IP address that a GID contains.
fn address(gid: Option<Gid>) -> Result<IpAddr, VerbsError> {
    let needs = |what: &str| {
        let what = format!(
            "RDMA-CM uses IP addresses, and {what}; RoCE needs an IPv4 or a global IPv6 address (-x; \
             `bandwise devices` shows them)"
        );
        VerbsError::manager(what, io::ErrorKind::AddrNotAvailable.into())
    };
    let address = Ipv6Addr::from(gid.ok_or_else(|| needs("there is no GID"))?.0);
    match address.to_ipv4_mapped() {
        Some(address) => Ok(address.into()),
        None if address.is_unicast_link_local() => Err(needs("this GID is valid on one link only")),
        None => Ok(address.into()),
    }
}

/// Checks that RDMA-CM can use the chosen device and GID.
///
/// # Errors
///
/// Returns an error if the GID contains no IP address that others can reach.
pub fn usable(chosen: &Chosen) -> Result<(), VerbsError> {
    own(chosen).map(drop)
}

/// Returns the address of this side.
pub(super) fn own(chosen: &Chosen) -> Result<IpAddr, VerbsError> {
    address(chosen.gid.map(|(_, gid)| gid))
}

/// Returns the address at which the other side waits.
pub(super) fn theirs(side: &Side) -> Result<(IpAddr, ManagerPort), VerbsError> {
    let Some(manager) = side.manager else {
        return Err(VerbsError::Peer("it does not listen by RDMA-CM".to_owned()));
    };
    Ok((address(side.gid)?, manager))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routable_gids_are_addresses() {
        let of = |text: &str| address(Some(Gid(text.parse::<Ipv6Addr>().unwrap().octets())));
        assert_eq!(of("::ffff:10.0.0.1").unwrap().to_string(), "10.0.0.1");
        assert_eq!(of("2001:db8::1").unwrap().to_string(), "2001:db8::1");
        assert!(of("fe80::1").unwrap_err().to_string().contains("one link only"));
        assert!(address(None).unwrap_err().to_string().contains("no GID"));
    }
}
