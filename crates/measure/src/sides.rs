//! Sides of a measurement for tests.

use bandwise_rdma::wire::Mtu;
use bandwise_session::{Region, Side};
use std::net::Ipv6Addr;

/// Returns a side without queue pairs at an address.
pub(crate) fn side(address: Ipv6Addr) -> Side {
    Side {
        device: "d".into(),
        lid: 0,
        gid: Some(address.into()),
        mtu: Mtu::MAX,
        region: Region { address: 0, rkey: 0, bytes: 64 },
        manager: None,
        queue_pairs: Vec::new(),
    }
}
