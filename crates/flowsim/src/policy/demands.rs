//! [`Demands`]: the remaining bytes of groups over each link.

use super::Scene;
use bandwise_units::Bytes;

/// The remaining bytes of groups over each link, as integers, so that they do not depend on the
/// order of flows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demands {
    /// The groups that have flows, ascending.
    pub(crate) groups: Vec<u32>,
    /// Bytes by group, in the order of `groups`, and link.
    bytes: Vec<u64>,
    /// Bytes of all flows, by group.
    pub(super) totals: Vec<u64>,
    links: usize,
}

impl Demands {
    /// Returns zero demands of these groups, ascending, over a number of links.
    pub(crate) fn none(groups: impl Iterator<Item = u32>, links: usize) -> Demands {
        let mut demands = Demands::default();
        demands.clear(groups, links);
        demands
    }

    fn clear(&mut self, groups: impl Iterator<Item = u32>, links: usize) {
        self.groups.clear();
        self.groups.extend(groups);
        self.links = links;
        self.bytes.clear();
        self.bytes.resize(self.groups.len() * links, 0);
        self.totals.clear();
        self.totals.resize(self.groups.len(), 0);
    }

    /// Adds the remaining bytes of a flow of a group, by its index in `groups`.
    pub(crate) fn add(&mut self, group: usize, path: impl Iterator<Item = u32>, left: u64) {
        self.totals[group] += left;
        for link in path {
            self.bytes[group * self.links + link as usize] += left;
        }
    }

    /// Updates the demands if flows have started or a group has lost its last one. Returns whether
    /// it did.
    pub(super) fn see_changes(&mut self, scene: &Scene<'_>) -> bool {
        if scene.started().next().is_none() && !scene.has_lost_group() {
            return false;
        }
        self.clear(scene.groups(), scene.links() as usize);
        for flow in scene.flows() {
            self.add(self.group(flow.group), flow.path(), flow.left().get());
        }
        true
    }

    /// Returns the index in `groups` of a group with flows.
    pub(super) fn group(&self, group: u32) -> usize {
        self.groups.binary_search(&group).expect("the group has flows")
    }

    /// Returns the remaining bytes of a group over a link.
    pub(super) fn over(&self, group: usize, link: usize) -> Bytes {
        Bytes::new(self.bytes[group * self.links + link])
    }

    /// Returns the remaining bytes of a group over all links.
    pub(super) fn of(&self, group: usize) -> &[u64] {
        &self.bytes[group * self.links..][..self.links]
    }
}
