//! [`Demands`]: what groups have still to send over each link.

use super::Scene;
use bandwise_units::Bytes;

/// What groups have still to send over each link: integers, so that they depend on no order of flows.
#[derive(Debug, Clone, Default)]
pub(super) struct Demands {
    /// The groups that have flows, ascending.
    pub(super) groups: Vec<u32>,
    /// By group, as they stand in `groups`, and link: bytes.
    bytes: Vec<u64>,
    /// By group: bytes of all its flows.
    pub(super) totals: Vec<u64>,
    links: usize,
}

impl Demands {
    /// Looks at all flows, if some have started or a group has lost its last one since; whether it did.
    pub(super) fn see_changes(&mut self, scene: &Scene<'_>) -> bool {
        if scene.started().next().is_none() && !scene.has_lost_group() {
            return false;
        }
        self.groups.clear();
        self.groups.extend(scene.groups());
        self.links = scene.links() as usize;
        self.bytes.clear();
        self.bytes.resize(self.groups.len() * self.links, 0);
        self.totals.clear();
        self.totals.resize(self.groups.len(), 0);
        for flow in scene.flows() {
            let group = self.group(flow.group);
            let left = flow.left().get();
            self.totals[group] += left;
            for link in flow.path() {
                self.bytes[group * self.links + link as usize] += left;
            }
        }
        true
    }

    /// The place of a group in `groups`, which has flows.
    pub(super) fn group(&self, group: u32) -> usize {
        self.groups.binary_search(&group).expect("the group has flows")
    }

    /// What a group has still to send over a link.
    pub(super) fn over(&self, group: usize, link: usize) -> Bytes {
        Bytes::new(self.bytes[group * self.links + link])
    }

    /// The same for all links.
    pub(super) fn of(&self, group: usize) -> &[u64] {
        &self.bytes[group * self.links..][..self.links]
    }
}
