//! [`Flows`]: the state of each flow, and the volume that each bundle has carried.
//!
//! Flows of a bundle have one rate, so the state is the volume that a flow of the bundle would have
//! carried since the bundle began. A flow ends when it reaches its value at the flow's start plus
//! the flow's size. So a change of rate costs nothing per flow. Remainders are exact: volumes are
//! integers, of which a rate carries a whole number in any time.

use crate::flow::FlowId;
use crate::rate::{Rate, Volume};
use bandwise_units::{Bytes, Time};
use smallvec::SmallVec;

/// A flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    pub(crate) id: FlowId,
    pub(crate) bundle: u32,
    pub(crate) group: u32,
    pub(crate) bytes: Bytes,
    /// The volume of the bundle at which the flow has sent the bytes of its place.
    target: Volume,
    /// The volume that the flow sends after its place.
    pub(crate) later: Volume,
    is_live: bool,
}

/// The volume that a flow of a bundle has carried. Aligned to one cache line, because it is read
/// whenever the rate changes.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
struct Carried {
    volume: Volume,
    /// The target of the bundle's first flow, or of its last flow if the bundle is empty.
    first: Volume,
    /// The time of that volume.
    since: Time,
}

/// The flows of a bundle by target and slot, the first last. Most bundles have one.
type Waiting = SmallVec<[(Volume, u32); 1]>;

/// All flows, in reusable slots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flows {
    all: Vec<Flow>,
    free: Vec<u32>,
    started: u64,
    by_bundle: Vec<Carried>,
    waiting: Vec<Waiting>,
}

impl Flows {
    pub(crate) fn slots(&self) -> u32 {
        self.all.len() as u32
    }

    /// Returns the number of flows that have not ended.
    pub(crate) fn live(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// Returns the flow in a slot, if there is one.
    pub(crate) fn get(&self, slot: u32) -> Option<&Flow> {
        self.all.get(slot as usize).filter(|flow| flow.is_live)
    }

    /// Iterates over the slots of a bundle's flows.
    pub(crate) fn of_bundle(&self, bundle: u32) -> impl Iterator<Item = u32> + '_ {
        self.waiting[bundle as usize].iter().map(|&(_, slot)| slot)
    }

    /// Returns the remaining volume of a flow. Its bundle has had `rate` since the last update.
    pub(crate) fn left(&self, slot: u32, rate: Rate, now: Time) -> Volume {
        let flow = &self.all[slot as usize];
        let carried = &self.by_bundle[flow.bundle as usize];
        let volume = carried.volume.plus(rate.over(now - carried.since));
        flow.target.less(volume).plus(flow.later)
    }

    /// Begins a bundle.
    pub(crate) fn begin(&mut self, bundle: u32, now: Time) {
        if self.by_bundle.len() <= bundle as usize {
            self.by_bundle.resize_with(bundle as usize + 1, Carried::default);
            self.waiting.resize_with(bundle as usize + 1, Waiting::new);
        }
        let carried = &mut self.by_bundle[bundle as usize];
        (carried.volume, carried.since) = (Volume::ZERO, now);
        self.waiting[bundle as usize].clear();
    }

    /// Updates the volume that a bundle has carried at `rate`.
    pub(crate) fn carry(&mut self, bundle: u32, rate: Rate, now: Time) {
        let carried = &mut self.by_bundle[bundle as usize];
        carried.volume = carried.volume.plus(rate.over(now - carried.since));
        carried.since = now;
    }

    /// Starts a flow without a bundle.
    pub(crate) fn start(&mut self, bytes: Bytes, group: u32) -> FlowId {
        let slot = self.free.pop().unwrap_or(self.all.len() as u32);
        let id = FlowId { serial: self.started, slot };
        self.started += 1;
        let (target, later) = (Volume::ZERO, Volume::of(bytes));
        let flow = Flow { id, bundle: 0, group, bytes, target, later, is_live: true };
        match self.all.get_mut(slot as usize) {
            Some(free) => *free = flow,
            None => self.all.push(flow),
        }
        id
    }

    /// Adds a flow to an updated bundle, for at most `until` of its remaining bytes.
    pub(crate) fn join(&mut self, slot: u32, bundle: u32, until: Option<Bytes>) {
        let flow = &mut self.all[slot as usize];
        let carried = &mut self.by_bundle[bundle as usize];
        let part = until.map_or(flow.later, |until| Volume::of(until).min(flow.later));
        flow.bundle = bundle;
        flow.target = carried.volume.plus(part);
        flow.later = flow.later.less(part);
        let entry = (flow.target, slot);
        let waiting = &mut self.waiting[bundle as usize];
        let at = waiting.partition_point(|&other| other > entry);
        waiting.insert(at, entry);
        if at + 1 == waiting.len() {
            carried.first = flow.target;
        }
    }

    /// Returns the time at which the first flow of a bundle has sent the bytes of its place, at
    /// `rate` from the bundle's last update on.
    pub(crate) fn first_end(&self, bundle: u32, rate: Rate) -> Option<Time> {
        let carried = &self.by_bundle[bundle as usize];
        let ps = carried.first.less(carried.volume).time_at(rate)?;
        carried.since.as_ps().checked_add(ps.as_ps()).map(Time::from_ps)
    }

    /// Removes the first flow from an updated bundle, if it has sent the bytes of its place.
    pub(crate) fn take_done(&mut self, bundle: u32) -> Option<u32> {
        let carried = &mut self.by_bundle[bundle as usize];
        let waiting = &mut self.waiting[bundle as usize];
        let &(_, slot) = waiting.last().filter(|(target, _)| *target <= carried.volume)?;
        waiting.pop();
        if let Some(&(next, _)) = waiting.last() {
            carried.first = next;
        }
        Some(slot)
    }

    /// Ends a flow that has left its bundle.
    pub(crate) fn end(&mut self, slot: u32) {
        self.all[slot as usize].is_live = false;
        self.free.push(slot);
    }
}
