//! [`run_in_order`]: traces under schedulers that serve coflows in one order at every port, or all
//! flows alike.

use super::peers::{Growth, Peers};
use super::{Carrier, CoflowTimes, big_switch, follow};
use crate::agenda::Agenda;
use crate::policy::demands::Demands;
use crate::policy::{sincronia, smallest};
use crate::{Network, NetworkError};
use bandwise_units::{BitRate, Time};
use bandwise_workload::{Coflow, CoflowTrace};
use std::ops::ControlFlow;

/// The order of coflows at every port. Flows that are served alike share max-min fairly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// No order: all flows are served alike, as by [`policy::MaxMin`](crate::policy::MaxMin).
    Fair,
    /// The order of [`policy::SmallestGroup`](crate::policy::SmallestGroup).
    SmallestFirst,
    /// The order of [`policy::Sincronia`](crate::policy::Sincronia).
    Sincronia,
}

/// Runs a trace with the same times as [`run`](super::run) under the policy of that name, but
/// faster. The end of a flow changes most rates; here a rate belongs to a port and not to each
/// flow.
///
/// # Errors
///
/// Returns a [`NetworkError`] if the rate is out of range.
pub fn run_in_order(
    trace: &CoflowTrace,
    rate: BitRate,
    order: Order,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<CoflowTimes>, NetworkError> {
    Ok(follow(trace, Switch::new(&big_switch(trace, rate)?, order), watch))
}

/// One big switch: sending links, then receiving links.
#[derive(Debug)]
struct Switch {
    now: Time,
    order: Order,
    /// The capacity of each link, in units of a [`Rate`](crate::rate::Rate).
    capacities: Vec<u64>,
    /// The capacities in bits per second.
    bits_per_s: Vec<f64>,
    /// Flows that are served alike, with the first of their groups, in reusable slots.
    slots: Vec<Option<(u32, Peers)>>,
    free: Vec<u32>,
    /// Slots in the order of service.
    served: Vec<u32>,
    /// True if a coflow has arrived or ended since the last ordering.
    is_out_of_order: bool,
    is_stale: bool,
    /// The end of the next flow by a port's clock, by slot and port.
    agenda: Agenda,
    growth: Growth,
    rests: Vec<u64>,
    /// Groups of flows without bytes, which end at their start.
    empty: Vec<u32>,
}

impl Switch {
    fn new(network: &Network, order: Order) -> Switch {
        Switch {
            now: Time::ZERO,
            order,
            capacities: network.capacities.iter().map(|rate| rate.0).collect(),
            bits_per_s: network.capacities.iter().map(|r| r.whole().as_bps() as f64).collect(),
            slots: Vec::new(),
            free: Vec::new(),
            served: Vec::new(),
            is_out_of_order: false,
            is_stale: false,
            agenda: Agenda::default(),
            growth: Growth::default(),
            rests: Vec::new(),
            empty: Vec::new(),
        }
    }

    /// Adds flows that are served alike, of this group and possibly others, and the links that they
    /// cross.
    fn add(&mut self, group: u32, mut links: Vec<u32>) -> u32 {
        links.sort_unstable();
        links.dedup();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Some((group, Peers::new(links, self.links() / 2)));
        self.served.push(slot);
        slot
    }

    /// Removes a slot whose flows have all ended.
    fn remove(&mut self, slot: u32) {
        for port in 0..self.links() {
            self.agenda.set(self.clock(slot, port), None);
        }
        self.slots[slot as usize] = None;
        self.served.retain(|&served| served != slot);
        self.free.push(slot);
        self.is_out_of_order = true;
    }

    /// Returns the clock of a slot's port.
    fn clock(&self, slot: u32, port: u32) -> u32 {
        let first = slot.checked_mul(self.links());
        first.and_then(|first| first.checked_add(port)).expect("fewer than 2^32 clocks")
    }

    fn links(&self) -> u32 {
        self.capacities.len() as u32
    }

    /// Computes rates, if a flow has started or ended.
    fn refresh(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        if std::mem::take(&mut self.is_out_of_order) {
            self.put_in_order();
        }
        let now = self.now;
        self.rests.clone_from(&self.capacities);
        for &slot in &self.served {
            let (first, agenda) = (self.clock(slot, 0), &mut self.agenda);
            let (_, peers) = self.slots[slot as usize].as_mut().expect("a served slot has peers");
            peers.share(&mut self.rests, now, &mut self.growth, |port, end| {
                agenda.set(first + port, end);
            });
        }
    }

    /// Computes the order of coflows from their remaining bytes.
    fn put_in_order(&mut self) {
        let order: &dyn Fn(&Demands) -> Vec<usize> = match self.order {
            Order::Fair => return,
            Order::SmallestFirst => &smallest::order,
            Order::Sincronia => &|demands| sincronia::order(demands, &self.bits_per_s),
        };
        let of_slot = |slot: u32| self.slots[slot as usize].as_ref().expect("it is there");
        let mut by_group = self.served.clone();
        by_group.sort_unstable_by_key(|&slot| of_slot(slot).0);
        let groups = by_group.iter().map(|&slot| of_slot(slot).0);
        let mut demands = Demands::none(groups, self.capacities.len());
        for (place, &slot) in by_group.iter().enumerate() {
            for (path, left) in of_slot(slot).1.demands(self.now) {
                demands.add(place, path.into_iter(), left);
            }
        }
        self.served = order(&demands).into_iter().map(|place| by_group[place]).collect();
    }
}

impl Carrier for Switch {
    fn next_event(&mut self) -> Option<Time> {
        self.refresh();
        let end = self.agenda.first().map(|(at, _)| at);
        let at_once = (!self.empty.is_empty()).then_some(self.now);
        at_once.or(end)
    }

    fn advance(&mut self, to: Time, report: &mut dyn FnMut(u32)) {
        self.now = to;
        self.empty.drain(..).for_each(&mut *report);
        while let Some((_, clock)) = self.agenda.first().filter(|&(at, _)| at <= to) {
            let (slot, port) = (clock / self.links(), clock % self.links());
            let (_, peers) =
                self.slots[slot as usize].as_mut().expect("a slot with a clock has peers");
            let next = peers.finish(port, to, &mut |group| {
                report(group);
                self.is_stale = true;
            });
            self.agenda.set(clock, next);
            if peers.live() == 0 {
                self.remove(slot);
            }
        }
    }

    fn start(&mut self, group: u32, coflow: &Coflow) {
        (self.is_stale, self.is_out_of_order) = (true, true);
        let receiving = self.links() / 2;
        let (empty, flows): (Vec<_>, Vec<_>) =
            coflow.flows().partition(|(.., bytes)| bytes.get() == 0);
        self.empty.extend(empty.iter().map(|_| group));
        if flows.is_empty() {
            return;
        }
        let ports = |(mapper, reducer, _)| [mapper, receiving + reducer];
        let slot = match self.order {
            Order::Fair if !self.served.is_empty() => self.served[0],
            Order::Fair => self.add(group, (0..self.links()).collect()),
            Order::SmallestFirst | Order::Sincronia => {
                self.add(group, flows.iter().copied().flat_map(ports).collect())
            }
        };
        let (_, peers) = self.slots[slot as usize].as_mut().expect("it was added");
        for &flow in &flows {
            peers.start(group, ports(flow), flow.2);
        }
    }
}
