//! Cables between switches that differ from those of hosts, tier by tier.

use crate::{Fabric, FabricError, LONGEST_DELAY, NodeId, SLOWEST_LINK};
use bandwise_units::{BitRate, Time};
use std::collections::VecDeque;

impl Fabric {
    /// Returns the fabric with another rate and delay of each cable between two switches, by tier: the
    /// first tier is that of the switches with hosts, and a cable belongs to the tier of its lower
    /// end. Cables of tiers beyond the given ones, and those of hosts, stay as they are.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if a tier has cables, and its rate is below [`SLOWEST_LINK`] or its
    /// delay above [`LONGEST_DELAY`].
    pub fn with_uplinks(mut self, tiers: &[(BitRate, Time)]) -> Result<Fabric, FabricError> {
        let of_links = self.tiers();
        for (link, tier) in of_links.into_iter().enumerate() {
            let Some(&(rate, delay)) = tier.and_then(|tier| tiers.get(tier)) else { continue };
            let name = |end: usize| self.describe(self.links[link].ends[end]);
            if rate < SLOWEST_LINK {
                return Err(FabricError::Rate { from: name(0), to: name(1), rate });
            }
            if delay > LONGEST_DELAY {
                return Err(FabricError::Delay { from: name(0), to: name(1), delay });
            }
            (self.links[link].rate, self.links[link].delay) = (rate, delay);
        }
        Ok(self)
    }

    /// Returns the number of tiers of cables between switches: 0 without such a cable, 1 of a
    /// leaf-spine fabric, 2 of a fat tree.
    pub fn uplink_tiers(&self) -> usize {
        self.tiers().into_iter().flatten().max().map_or(0, |most| most + 1)
    }

    /// Returns the tier of each cable between two switches, from 0, by number of the cable.
    fn tiers(&self) -> Vec<Option<usize>> {
        let levels = self.levels();
        let tier = |ends: [NodeId; 2]| {
            let [a, b] = ends.map(|node| self.is_switch(node).then(|| levels[node.index()]));
            Some(a?.min(b?))
        };
        self.links.iter().map(|link| tier(link.ends.map(|end| end.node))).collect()
    }

    /// Returns the cables between each switch and the nearest switch with hosts; of hosts 0.
    fn levels(&self) -> Vec<usize> {
        let mut levels = vec![usize::MAX; self.nodes.len()];
        let mut next: VecDeque<NodeId> = self.hosts.iter().copied().collect();
        for host in &self.hosts {
            levels[host.index()] = 0;
        }
        while let Some(node) = next.pop_front() {
            // Hosts are one cable below the first level, which is 0 too.
            let level = levels[node.index()] + usize::from(self.is_switch(node));
            for port in self.ports(node) {
                let Some((peer, _)) = self.peer(port) else { continue };
                if levels[peer.node.index()] == usize::MAX {
                    levels[peer.node.index()] = level;
                    next.push_back(peer.node);
                }
            }
        }
        levels
    }
}
