//! [`Sebf`].

use super::demands::Demands;
use super::smallest::by_group;
use super::{Newcomer, Placement, Policy, Rates, Scene};
use crate::rate::{Rate, Volume};
use crate::scene::FlowView;
use bandwise_units::Bytes;

/// Varys (Chowdhury, Zhong and Stoica, "Efficient Coflow Scheduling with Varys", SIGCOMM 2014, 5):
/// smallest effective bottleneck first, minimum allocation for desired duration, and backfilling.
///
/// The effective bottleneck of a coflow is the longest time that one of its links takes for its
/// remaining bytes, alone. Coflows are served in that order. Each gets rates at which all its flows
/// end together, as soon as earlier coflows allow; a coflow with an exhausted link gets none. Then,
/// in the same order, its flows get the rest of their links: equal parts of each link twice, and
/// the remainder flow by flow.
///
/// As in the paper, rates are computed when a coflow arrives or ends (or more of its flows start).
/// The bandwidth of a flow that ends before its coflow is idle until then.
#[derive(Debug, Clone, Default)]
pub struct Sebf {
    demands: Demands,
    /// The rest of each link.
    rest: Vec<u64>,
    /// The number of flows of the current coflow, by link.
    flows: Vec<u32>,
    /// The rate of each flow, in the order of coflows and then of paths.
    rates: Vec<u64>,
}

/// The number of rounds in which links give their rest in equal parts.
const ROUNDS: usize = 2;

impl Policy for Sebf {
    const GIVES_RATES: bool = true;

    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        // The rate of a flow depends on its remaining bytes, so each has its own.
        Placement { kin: None, ..by_group(flow) }
    }

    fn rates(&mut self, scene: &Scene<'_>, given: &mut Rates<'_>) {
        if !self.demands.see_changes(scene) {
            return;
        }
        let order = self.order(scene);
        let flows = self.by_coflow(scene, &order);
        self.rest.clear();
        self.rest.extend((0..scene.links()).map(|link| scene.capacity_units(link)));
        self.flows.resize(self.rest.len(), 0);
        self.rates.clear();
        self.rates.resize(flows.len(), 0);
        let mut coflows = Vec::with_capacity(order.len());
        let mut from = 0;
        for run in flows.chunk_by(|a, b| a.group == b.group) {
            let range = from..from + run.len();
            self.end_together(run, range.start);
            coflows.push((run, range.start));
            from = range.end;
        }
        for &(run, from) in &coflows {
            self.backfill(run, from);
        }
        for (flow, &rate) in flows.iter().zip(&self.rates) {
            given.give_units(flow, Rate(rate));
        }
    }
}

impl Sebf {
    /// Returns the position in the order of service, by index of the group.
    fn order(&self, scene: &Scene<'_>) -> Vec<usize> {
        let bottleneck = |group: usize| {
            let bytes = self.demands.of(group).iter().zip(0..);
            let times = bytes.filter(|(bytes, _)| **bytes > 0);
            times
                .map(|(&bytes, link)| {
                    Volume::of(Bytes::new(bytes)).0 / u128::from(scene.capacity_units(link))
                })
                .max()
                .unwrap_or(0)
        };
        let mut order: Vec<_> =
            (0..self.demands.groups.len()).map(|g| (bottleneck(g), g)).collect();
        order.sort_unstable();
        let mut position = vec![0; order.len()];
        for (at, (_, group)) in order.into_iter().enumerate() {
            position[group] = at;
        }
        position
    }

    /// Returns all flows by the position of their coflow, then by path and remaining bytes.
    fn by_coflow<'a>(&self, scene: &Scene<'a>, position: &[usize]) -> Vec<FlowView<'a>> {
        let mut buckets: Vec<Vec<FlowView<'a>>> = vec![Vec::new(); position.len()];
        for flow in scene.flows() {
            buckets[position[self.demands.group(flow.group)]].push(flow);
        }
        for bucket in &mut buckets {
            // The start is not a key, so that the order of starts at one instant has no effect.
            bucket.sort_by(|a, b| a.path().cmp(b.path()).then(a.left.cmp(&b.left)));
        }
        buckets.concat()
    }

    /// Sets rates at which all flows of a coflow end together, as soon as their links allow.
    fn end_together(&mut self, flows: &[FlowView<'_>], from: usize) {
        let group = self.demands.group(flows[0].group);
        // The longest time of a link, in picoseconds, rounded up so that no link exceeds its
        // capacity.
        let mut longest = 1u128;
        for (link, &bytes) in self.demands.of(group).iter().enumerate() {
            if bytes > 0 {
                if self.rest[link] == 0 {
                    return;
                }
                let volume = Volume::of(Bytes::new(bytes)).0;
                longest = longest.max(volume.div_ceil(u128::from(self.rest[link])));
            }
        }
        for (flow, at) in flows.iter().zip(from..) {
            // The sum rounds bytes up, so the parts do not exceed it.
            let rate = (flow.left.0 / longest) as u64;
            self.take(flow, at, rate);
        }
    }

    /// Gives the flows of a coflow the rest of their links.
    fn backfill(&mut self, flows: &[FlowView<'_>], from: usize) {
        for _ in 0..ROUNDS {
            let can_grow =
                |rest: &[u64], flow: &FlowView<'_>| flow.path().all(|l| rest[l as usize] > 0);
            let growing: Vec<_> =
                flows.iter().zip(from..).filter(|(flow, _)| can_grow(&self.rest, flow)).collect();
            for (flow, _) in &growing {
                flow.path().for_each(|link| self.flows[link as usize] += 1);
            }
            let part = |this: &Self, flow: &FlowView<'_>| {
                let parts =
                    flow.path().map(|l| this.rest[l as usize] / u64::from(this.flows[l as usize]));
                parts.min().unwrap_or(0)
            };
            // All parts are computed before any is taken.
            let parts: Vec<_> = growing.iter().map(|(flow, _)| part(self, flow)).collect();
            for ((flow, at), part) in growing.into_iter().zip(parts) {
                self.take(flow, at, part.min(flow.cap_units().saturating_sub(self.rates[at])));
                flow.path().for_each(|link| self.flows[link as usize] = 0);
            }
        }
        for (flow, at) in flows.iter().zip(from..) {
            let rest = flow.path().map(|link| self.rest[link as usize]).min().unwrap_or(0);
            self.take(flow, at, rest.min(flow.cap_units().saturating_sub(self.rates[at])));
        }
    }

    /// Increases the rate of a flow, up to its cap.
    fn take(&mut self, flow: &FlowView<'_>, at: usize, rate: u64) {
        let rate = rate.min(flow.cap_units() - self.rates[at]);
        self.rates[at] += rate;
        flow.path().for_each(|link| self.rest[link as usize] -= rate);
    }
}
