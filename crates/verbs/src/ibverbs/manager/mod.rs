//! RDMA's connection manager (RDMA-CM): it finds the way to an IP address by the network's own means, and the two
//! sides' kernels connect queue pairs by messages of their own (IBTA 12). What is to be measured is agreed over TCP
//! as without it.
//!
//! Of what it finds out, the way to the other side, its queue pair and the first packet's number are taken; time-outs
//! are those that are used without it.

mod channel;
mod connect;
mod listen;

pub use connect::connect;
pub use listen::Listener;

pub(super) use channel::Id;

use super::{Chosen, VerbsError};
use bandwise_session::{Gid, ManagerPort, Side};
use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// Connections that were made; they end with this.
pub struct Connections {
    // In the order in which they may be dropped.
    _ids: Vec<channel::Id>,
    _channel: channel::Channel,
}

/// How long both sides have for all of it.
const PATIENCE: Duration = Duration::from_secs(4);

/// What went wrong.
fn failed(what: impl Into<String>, error: io::Error) -> VerbsError {
    VerbsError::Manager { what: what.into(), error }
}

/// The IP address that an identifier is.
fn address(gid: Option<Gid>) -> Result<IpAddr, VerbsError> {
    let needs = |what: &str| {
        let what = format!(
            "RDMA-CM goes by IP addresses, and {what}: needed is one of RoCE that is IPv4 or global IPv6 (-x; \
             `bandwise devices` shows them)"
        );
        failed(what, io::ErrorKind::AddrNotAvailable.into())
    };
    let address = Ipv6Addr::from(gid.ok_or_else(|| needs("there is no identifier (GID)"))?.0);
    match address.to_ipv4_mapped() {
        Some(address) => Ok(address.into()),
        None if address.is_unicast_link_local() => {
            Err(needs("this identifier (GID) is of one link alone"))
        }
        None => Ok(address.into()),
    }
}

/// Whether RDMA-CM can go by what was chosen.
pub fn usable(chosen: &Chosen) -> Result<(), VerbsError> {
    own(chosen).map(drop)
}

/// The address of this side.
fn own(chosen: &Chosen) -> Result<IpAddr, VerbsError> {
    address(chosen.gid.map(|(_, gid)| gid))
}

/// What a connection shows: which queue pair it is for, and the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticket {
    number: u32,
    secret: u32,
}

impl Ticket {
    fn to_bytes(self) -> [u8; 8] {
        (u64::from(self.number) << 32 | u64::from(self.secret)).to_be_bytes()
    }

    /// The network may have added zeros.
    fn of(bytes: &[u8]) -> Option<Ticket> {
        let all = u64::from_be_bytes(*bytes.first_chunk()?);
        Some(Ticket { number: (all >> 32) as u32, secret: all as u32 })
    }
}

/// The address where another side waits.
fn theirs(side: &Side) -> Result<(IpAddr, ManagerPort), VerbsError> {
    let Some(manager) = side.manager else {
        return Err(VerbsError::Peer("it does not wait for connections by RDMA-CM".to_owned()));
    };
    Ok((address(side.gid)?, manager))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_that_are_addresses() {
        let of = |text: &str| address(Some(Gid(text.parse::<Ipv6Addr>().unwrap().octets())));
        assert_eq!(of("::ffff:10.0.0.1").unwrap().to_string(), "10.0.0.1");
        assert_eq!(of("2001:db8::1").unwrap().to_string(), "2001:db8::1");
        assert!(of("fe80::1").unwrap_err().to_string().contains("one link alone"));
        assert!(address(None).unwrap_err().to_string().contains("no identifier"));
    }

    #[test]
    fn tickets_come_back() {
        let ticket = Ticket { number: 0x0102_0304, secret: 0xfffe_fdfc };
        let mut bytes = ticket.to_bytes().to_vec();
        bytes.extend([0; 48]);
        assert_eq!(Ticket::of(&bytes), Some(ticket));
        assert_eq!(Ticket::of(&bytes[..7]), None);
    }
}
