//! The connection of queue pairs with those of a compatible other side.

use super::super::VerbsError;
use super::super::queue_pair::QueuePair;
use super::QueuePairs;
use crate::ibverbs::pair::Pair;
use bandwise_rdma::verbs::{Qp, Transport};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Path, QpAddress, Region, Side};
use std::sync::Arc;

impl QueuePairs {
    /// Returns the information for the other side.
    pub fn side(&self) -> Side {
        let wired = &self.pairs[..self.plan.wired()];
        Side {
            device: self.shared.context.name().to_owned(),
            lid: self.chosen.lid,
            gid: self.chosen.gid.map(|(_, gid)| gid),
            mtu: self.chosen.mtu,
            region: self.shared.memory.region(),
            manager: None,
            queue_pairs: wired.iter().map(Pair::address).collect(),
        }
    }

    /// Returns the queue pair that is connected with itself; `None` if there is none.
    pub fn loopback(&self) -> Option<Qp> {
        self.plan.loopback.then_some(Qp(self.plan.wired() as u16))
    }

    /// Connects all queue pairs, which then send and receive. Returns the largest payload of a packet.
    ///
    /// # Errors
    ///
    /// Returns a [`VerbsError`] if the sides do not fit, or the device refuses.
    pub fn connect(&mut self, other: &Side, path: Path) -> Result<Mtu, VerbsError> {
        let (shared, chosen) = (Arc::clone(&self.shared), self.chosen.clone());
        let mut addresses = other.queue_pairs.iter();
        self.connect_by(other, path, |qp, path| match addresses.next() {
            Some(&address) => qp.connect(&shared.domain, &chosen, other, address, path),
            None => Ok(()),
        })
    }

    /// Connects all queue pairs with `how`, which is called for each queue pair that has a peer.
    pub(in crate::ibverbs) fn connect_by(
        &mut self,
        other: &Side,
        path: Path,
        mut how: impl FnMut(&mut QueuePair, Path) -> Result<(), VerbsError>,
    ) -> Result<Mtu, VerbsError> {
        let here = self.side();
        let path = Path { mtu: path.mtu.min(here.mtu).min(other.mtu), ..path };
        let wired = here.queue_pairs.len();
        let peer = |what: String| Err(VerbsError::Peer(what));
        if other.gid.is_some() != here.gid.is_some() {
            let has = |side: &Side| if side.gid.is_some() { "one" } else { "none" };
            return peer(format!(
                "it uses {} GID, this side uses {}: give -x on both sides, or on neither",
                has(other),
                has(&here)
            ));
        }
        if other.queue_pairs.len() != wired {
            return peer(format!("it has {} queue pairs, not {wired}", other.queue_pairs.len()));
        }
        if other.region.bytes < self.plan.bytes {
            let (theirs, ours) = (other.region.bytes, self.plan.bytes);
            return peer(format!("it takes messages of {theirs} B, not of {ours} B"));
        }
        let part = self.plan.places() as u64 * u64::from(self.shared.memory.stride());
        let is_within =
            |address: &QpAddress| u64::from(address.part) + part <= other.region.bytes.into();
        if part > 0 && !other.queue_pairs.iter().all(is_within) {
            return peer("its memory has no room for all queue pairs".to_owned());
        }
        let (bytes, mtu) = (self.plan.bytes, path.mtu);
        let has_datagrams = self.plan.transport == Transport::Ud || self.plan.datagrams > 0;
        if has_datagrams && bytes > mtu.get() {
            return Err(VerbsError::Datagram { bytes, mtu });
        }
        let (far, near) = self.pairs.split_at_mut(wired);
        for (pair, address) in far.iter_mut().zip(&other.queue_pairs) {
            how(&mut pair.qp, path)?;
            let address = other.region.address.wrapping_add(address.part.into());
            pair.remote = Region { address, ..other.region };
        }
        for pair in near {
            let address = pair.address();
            pair.qp.connect(&self.shared.domain, &self.chosen, &here, address, path)?;
            pair.remote = here.region;
        }
        Ok(path.mtu)
    }
}
