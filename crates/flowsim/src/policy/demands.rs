//! [`Demands`]: what groups have still to send over each link.

use super::Scene;
use bandwise_units::Bytes;

/// What groups have still to send over each link: integers, so that they depend on no order of flows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demands {
    /// The groups that have flows, ascending.
    pub(crate) groups: Vec<u32>,
    /// By group, as they stand in `groups`, and link: bytes.
    bytes: Vec<u64>,
    /// By group: bytes of all its flows.
    pub(super) totals: Vec<u64>,
    links: usize,
}

impl Demands {
    /// Of these groups, ascending, over so many links: nothing yet.
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

    /// A flow of a group, by its place in `groups`, has so many bytes left.
    pub(crate) fn add(&mut self, group: usize, path: impl Iterator<Item = u32>, left: u64) {
        self.totals[group] += left;
        for link in path {
            self.bytes[group * self.links + link as usize] += left;
        }
    }

    /// Looks at all flows, if some have started or a group has lost its last one since; whether it did.
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
