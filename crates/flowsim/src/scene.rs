//! [`Scene`]: a policy's view of a simulation. [`Moves`] and [`Rates`]: its decisions.

use crate::flow::FlowId;
use crate::flows::Flows;
use crate::groups::Groups;
use crate::rate::{Rate, Volume};
use crate::share::Sharing;
use bandwise_units::{BitRate, Bytes, Time};

/// A simulation at the instant at which rates are computed.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub(crate) now: Time,
    pub(crate) flows: &'a Flows,
    pub(crate) sharing: &'a Sharing,
    pub(crate) started: &'a [u32],
    pub(crate) placed: &'a [u32],
    pub(crate) left_from: &'a [u32],
    pub(crate) groups: &'a Groups,
    pub(crate) has_lost_group: bool,
}

/// A flow that has not ended.
#[derive(Debug, Clone, Copy)]
pub struct FlowView<'a> {
    pub(crate) id: FlowId,
    pub(crate) bundle: u32,
    pub(crate) left: Volume,
    /// The coflow, job or application.
    pub group: u32,
    /// The size.
    pub bytes: Bytes,
    sharing: &'a Sharing,
}

impl<'a> FlowView<'a> {
    /// Iterates over the links that the flow crosses, in order.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = u32> + 'a {
        self.sharing.bundles.hops(self.bundle).iter().map(|hop| hop.link)
    }

    /// Returns the remaining bytes, rounded up.
    pub fn left(&self) -> Bytes {
        self.left.bytes()
    }

    /// Returns the maximum rate of the flow's source, in units of [`Rate`].
    pub(crate) fn cap_units(&self) -> u64 {
        self.sharing.bundles.get(self.bundle).cap.0
    }

    /// Returns the flow's present rank.
    pub fn rank(&self) -> u64 {
        self.sharing.bundles.get(self.bundle).rank
    }
}

impl<'a> Scene<'a> {
    /// Returns the time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the number of links.
    pub fn links(&self) -> u32 {
        self.sharing.count()
    }

    /// Returns the capacity of a link.
    pub fn capacity(&self, link: u32) -> BitRate {
        self.sharing.capacity(link).whole()
    }

    /// Returns the capacity of a link in units of [`Rate`].
    pub(crate) fn capacity_units(&self, link: u32) -> u64 {
        self.sharing.capacity(link).0
    }

    /// Iterates over the groups with flows, ascending.
    pub fn groups(&self) -> impl Iterator<Item = u32> + 'a {
        self.groups.numbers()
    }

    /// Returns whether a group has lost its last flow since the last computation.
    pub fn has_lost_group(&self) -> bool {
        self.has_lost_group
    }

    /// Iterates over all flows, by slot.
    pub fn flows(&self) -> impl Iterator<Item = FlowView<'a>> + 'a {
        let scene = *self;
        (0..self.flows.slots()).filter_map(move |slot| scene.flow(slot))
    }

    /// Iterates over the flows that have started since the last computation and have not ended.
    pub fn started(&self) -> impl Iterator<Item = FlowView<'a>> + 'a {
        let scene = *self;
        self.started.iter().filter_map(move |&slot| scene.flow(slot))
    }

    /// Iterates over the flows that have been placed since the last computation and have not ended.
    /// A flow that has started and moved may occur twice.
    pub fn placed(&self) -> impl Iterator<Item = FlowView<'a>> + 'a {
        let scene = *self;
        self.placed.iter().filter_map(move |&slot| scene.flow(slot))
    }

    /// Returns a flow, if it has not ended.
    pub fn get(&self, id: FlowId) -> Option<FlowView<'a>> {
        self.flow(id.slot).filter(|flow| flow.id == id)
    }

    /// Iterates over the last links of flows that have ended or moved since the last computation.
    pub fn left_from(&self) -> impl Iterator<Item = u32> + 'a {
        self.left_from.iter().copied()
    }

    /// Iterates over the flows that cross a link and are not held, the first ranks first.
    pub fn crossing(&self, link: u32) -> impl Iterator<Item = FlowView<'a>> + 'a {
        self.of_bundles(self.sharing.crossing(link))
    }

    /// Iterates over the flows that have a rate at a link, the first ranks first.
    pub fn served(&self, link: u32) -> impl Iterator<Item = FlowView<'a>> + 'a {
        self.of_bundles(self.sharing.served(link))
    }

    fn of_bundles(
        &self,
        bundles: impl Iterator<Item = u32> + 'a,
    ) -> impl Iterator<Item = FlowView<'a>> + 'a {
        let scene = *self;
        let slots = bundles.flat_map(move |bundle| scene.flows.of_bundle(bundle));
        slots.filter_map(move |slot| scene.flow(slot))
    }

    fn flow(&self, slot: u32) -> Option<FlowView<'a>> {
        let flow = self.flows.get(slot)?;
        let rate = self.sharing.bundles.get(flow.bundle).rate;
        Some(FlowView {
            id: flow.id,
            bundle: flow.bundle,
            left: self.flows.left(slot, rate, self.now),
            group: flow.group,
            bytes: flow.bytes,
            sharing: self.sharing,
        })
    }
}

/// The ranks that a policy changes.
#[derive(Debug, Clone, Default)]
pub struct Moves {
    /// The changes by kin, in the policy's order.
    pub(crate) by_kin: Vec<(u64, u64)>,
    /// The changes by bundle.
    pub(crate) by_bundle: Vec<(u32, u64)>,
}

impl Moves {
    /// Sets the rank of all flows with a kin number.
    pub fn kin(&mut self, kin: u64, rank: u64) {
        self.by_kin.push((kin, rank));
    }

    /// Sets the rank of a flow, and of all that share its rate.
    pub fn flow(&mut self, flow: &FlowView<'_>, rank: u64) {
        self.by_bundle.push((flow.bundle, rank));
    }
}

/// The rates that a policy sets. A flow that is not set keeps its rate.
#[derive(Debug)]
pub struct Rates<'a> {
    pub(crate) given: &'a mut Vec<(u32, Rate)>,
}

impl Rates<'_> {
    pub(crate) fn give_units(&mut self, flow: &FlowView<'_>, rate: Rate) {
        self.given.push((flow.bundle, rate));
    }

    /// Sets the rate of a flow, and of all that share its rate.
    pub fn give(&mut self, flow: &FlowView<'_>, rate: BitRate) {
        self.given.push((flow.bundle, Rate::new(rate)));
    }
}
