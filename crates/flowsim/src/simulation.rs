//! [`Simulation`]: flows over links, from event to event.

use crate::agenda::Agenda;
use crate::flow::{FinishedFlow, FlowId, FlowSpec};
use crate::flows::Flows;
use crate::groups::Groups;
use crate::network::{LinkConfig, Network, NetworkError};
use crate::paths::{Alike, Likeness, Paths};
use crate::policy::{HELD, Moves, Newcomer, Placement, Policy, Rates, Scene};
use crate::rate::Rate;
use crate::share::{Bundle, Sharing};
use bandwise_units::{BitRate, Bytes, Time};

/// Flows that share links under a policy.
///
/// The caller starts flows at the current time, asks for the [next event](Simulation::next_event),
/// and [`advance`](Simulation::advance)s to that time or an earlier one. Starts and ends at one
/// instant change rates once: rates are computed when the caller asks for a result that depends on
/// them.
///
/// Time is an integer of picoseconds, and rates and volumes are integers of smaller units. So a
/// flow has carried exactly its rate times the time, and every byte is counted once. Its end is
/// rounded up to picoseconds.
#[derive(Debug, Clone)]
pub struct Simulation<P: Policy> {
    now: Time,
    network: Network,
    policy: P,
    sharing: Sharing,
    flows: Flows,
    agenda: Agenda,
    paths: Paths,
    alike: Alike,
    /// True if bundles without flows are kept for later flows with the same properties.
    has_recurring_flows: bool,
    groups: Groups,
    has_lost_group: bool,
    /// The slots of flows that have started since the last computation.
    started: Vec<u32>,
    /// The slots of flows that have been placed since the last computation, at their start or
    /// later.
    placed: Vec<u32>,
    /// The last links of flows that have ended or moved since the last computation.
    left_from: Vec<u32>,
    is_stale: bool,
    /// The minimum time between two computations, unless a flow starts or a link changes.
    grain: Time,
    fresh_until: Time,
    moves: Moves,
    given: Vec<(u32, Rate)>,
    /// The next events of bundles, before they are put into the agenda.
    ends: Vec<(u32, Option<Time>)>,
    path: Vec<u32>,
}

impl<P: Policy> Simulation<P> {
    /// Returns a simulation without flows at time 0.
    ///
    /// # Panics
    ///
    /// Panics if the policy configures an invalid link.
    pub fn new(network: Network, policy: P) -> Self {
        let mut sharing = Sharing::new(&network, P::GIVES_RATES);
        for (link, config) in policy.links(&network) {
            let check = config.check_for(link, network.capacities[link as usize]);
            check.expect("a policy asks for what links can give");
            sharing.configure(link, config);
        }
        Simulation {
            now: Time::ZERO,
            network,
            policy,
            sharing,
            flows: Flows::default(),
            agenda: Agenda::default(),
            paths: Paths::default(),
            alike: Alike::default(),
            has_recurring_flows: false,
            groups: Groups::default(),
            has_lost_group: false,
            started: Vec::new(),
            placed: Vec::new(),
            left_from: Vec::new(),
            is_stale: false,
            grain: Time::ZERO,
            fresh_until: Time::ZERO,
            moves: Moves::default(),
            given: Vec::new(),
            ends: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Allows a link to leave up to `millionths` of its capacity, or of a flow's share, unused if
    /// that saves visits of other links; 0 to 500,000. No link exceeds its capacity, and every byte
    /// is counted. Except for that part, the allocation is an equilibrium. A link with flows in one
    /// queue only is exact; with ranks, all links are.
    ///
    /// A change of one flow's rate reaches most of a busy network by ever smaller amounts. The
    /// tolerance limits the amounts that are propagated.
    #[must_use]
    pub fn with_tolerance(mut self, millionths: u32) -> Self {
        self.sharing.set_tolerance(millionths.min(500_000));
        self
    }

    /// Visits links with several queues once each at every change, from empty levels, the least
    /// offers first. The rest on all links of a flow is then shared equally. So every flow has at
    /// least its part of each link by weight, as if all others had unlimited demand, and every flow
    /// has a full link. But a queue may exceed its weight although others could use the rate. Suits
    /// networks with different weights that do not converge, or converge too slowly.
    #[must_use]
    pub fn in_one_pass(mut self) -> Self {
        self.sharing.is_once = true;
        self
    }

    /// Computes rates at most once each `grain` while no flow starts. The rate of a flow that ends
    /// in between is unused until then. Rates are computed at once when a flow starts or a link is
    /// configured, and always by a policy that [`Policy::HOLDS`] flows.
    #[must_use]
    pub fn with_grain(mut self, grain: Time) -> Self {
        self.grain = if P::HOLDS { Time::ZERO } else { grain };
        self
    }

    /// Computes rates rank by rank, from the first with a change, and not link by link. The rates
    /// do not change. The computation is faster if groups have ranks and most flows change when a
    /// flow ends. Links have one queue. [`Scene::crossing`] and [`Scene::served`] are empty.
    ///
    /// # Panics
    ///
    /// Panics if a link is configured, now or later.
    #[must_use]
    pub fn rank_by_rank(mut self) -> Self {
        self.sharing.rank_by_rank();
        self
    }

    /// Keeps the state of ended flows for later flows with the same properties, for jobs that
    /// repeat flows over the same paths. Rates do not change. Memory grows with the number of
    /// different flows.
    #[must_use]
    pub fn with_recurring_flows(mut self) -> Self {
        self.has_recurring_flows = true;
        self
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// Returns the number of flows that have not ended.
    pub fn flows(&self) -> usize {
        self.flows.live()
    }

    /// Returns the number of computations in which links with several queues did not converge. All
    /// rates are within capacities, but some flows have less than in an equilibrium.
    pub fn rough(&self) -> u64 {
        self.sharing.rough
    }

    /// Starts a flow now.
    ///
    /// # Panics
    ///
    /// Panics if the path is empty, or contains a link twice or one that does not exist.
    pub fn start(&mut self, spec: FlowSpec<'_>) -> FlowId {
        let id = self.flows.start(spec.bytes, spec.group);
        self.groups.join(spec.group);
        let cap = spec.cap.map_or(Rate::UNLIMITED, Rate::new);
        self.started.push(id.slot);
        self.put(id.slot, spec.path, spec.class, cap);
        id
    }

    /// Changes the configuration of a link, from now on.
    ///
    /// # Errors
    ///
    /// Returns a [`NetworkError`] if the link does not exist, or its guarantees exceed its
    /// capacity.
    pub fn set_link(&mut self, link: u32, config: LinkConfig) -> Result<(), NetworkError> {
        let links = self.network.links();
        let Some(&capacity) = self.network.capacities.get(link as usize) else {
            return Err(NetworkError::NoSuchLink { link, links });
        };
        config.check_for(link, capacity)?;
        self.sharing.catch_up();
        // Rates change with the configuration. Volumes up to now are counted at the previous rates.
        for bundle in self.sharing.crossing(link) {
            self.flows.carry(bundle, self.sharing.bundles.get(bundle).rate, self.now);
        }
        self.sharing.configure(link, config);
        (self.is_stale, self.fresh_until) = (true, self.now);
        Ok(())
    }

    /// Returns the time of the next event at the present rates: a flow ends or is placed again.
    /// Returns `None` if no flow will ever end.
    pub fn next_event(&mut self) -> Option<Time> {
        self.refresh();
        let event = self.agenda.first().map(|(at, _)| at.max(self.now));
        // A flow that ends before the next computation does so at its own time.
        let refresh = self.is_stale.then_some(self.fresh_until);
        event.into_iter().chain(refresh).min()
    }

    /// Advances to `to`, and adds the flows that have ended by then, in order of their ends, and at
    /// one instant of their starts.
    ///
    /// # Panics
    ///
    /// Panics if `to` is earlier than the current time.
    pub fn advance(&mut self, to: Time, ended: &mut Vec<FinishedFlow>) {
        assert!(to >= self.now, "the time is in the past");
        while let Some(at) = self.next_event().filter(|&at| at <= to) {
            self.now = at;
            let from = ended.len();
            while let Some((_, bundle)) = self.agenda.first().filter(|&(end, _)| end <= at) {
                self.finish(bundle, ended);
            }
            ended[from..].sort_unstable_by_key(|ended| ended.flow);
            if at == to {
                return;
            }
        }
        self.now = to;
    }

    /// Returns the rate of a flow, rounded down, or zero if it has ended.
    pub fn rate(&mut self, flow: FlowId) -> BitRate {
        self.refresh();
        match self.flows.get(flow.slot).filter(|found| found.id == flow) {
            Some(found) => self.sharing.bundles.get(found.bundle).rate.whole(),
            None => BitRate::default(),
        }
    }

    /// Returns the remaining bytes of a flow, rounded up, or zero if it has ended.
    pub fn left(&self, flow: FlowId) -> Bytes {
        match self.flows.get(flow.slot).filter(|found| found.id == flow) {
            Some(found) => {
                let rate = self.sharing.bundles.get(found.bundle).rate;
                self.flows.left(flow.slot, rate, self.now).bytes()
            }
            None => Bytes::ZERO,
        }
    }

    /// Returns the sum of the rates of a link's flows, rounded down.
    ///
    /// # Panics
    ///
    /// Panics if the link does not exist.
    pub fn load(&mut self, link: u32) -> BitRate {
        self.refresh();
        self.sharing.load(link).whole()
    }

    /// Places a flow by the policy.
    fn put(&mut self, slot: u32, path: &[u32], class: u8, cap: Rate) {
        let flow = self.flows.get(slot).expect("the flow has started");
        let (bytes, left, group) = (flow.bytes, flow.later.bytes(), flow.group);
        let limit = (cap != Rate::UNLIMITED).then_some(cap.whole());
        let Placement { rank, queue, kin, until } =
            self.policy.place(&Newcomer { path, bytes, left, class, group, cap: limit });
        // While no computation is due, a flow that joins others would get their rate.
        let kin = kin.filter(|_| self.is_due());
        let like = kin.map(|kin| {
            let path = self.paths.number(path);
            Likeness { path, kin, class, cap: cap.0, rank, queue }
        });
        let known = like.and_then(|like| self.alike.find(&like));
        let bundle = known.unwrap_or_else(|| {
            let bundle = self.sharing.add(Bundle::new(class, queue, rank, cap), path);
            self.alike.begin(bundle, like);
            self.flows.begin(bundle, self.now);
            bundle
        });
        self.flows.carry(bundle, self.sharing.bundles.get(bundle).rate, self.now);
        self.sharing.join(bundle);
        self.flows.join(slot, bundle, until);
        self.placed.push(slot);
        self.is_stale = true;
    }

    /// Ends the flows of a bundle that are done, or places them again.
    fn finish(&mut self, bundle: u32, ended: &mut Vec<FinishedFlow>) {
        self.flows.carry(bundle, self.sharing.bundles.get(bundle).rate, self.now);
        while let Some(slot) = self.flows.take_done(bundle) {
            let Bundle { class, cap, .. } = *self.sharing.bundles.get(bundle);
            let is_over =
                self.flows.get(slot).expect("it is in a bundle").later.bytes() == Bytes::ZERO;
            let last = self.sharing.bundles.hops(bundle).last().expect("a flow crosses a link");
            self.left_from.push(last.link);
            let mut path = std::mem::take(&mut self.path);
            if !is_over {
                path.clear();
                path.extend(self.sharing.bundles.hops(bundle).iter().map(|hop| hop.link));
            }
            self.sharing.leave(bundle);
            let is_empty = self.sharing.bundles.get(bundle).flows == 0;
            if is_empty && !(self.has_recurring_flows && self.alike.kin(bundle).is_some()) {
                self.sharing.remove(bundle);
                self.alike.end(bundle);
            }
            self.is_stale = true;
            if is_over {
                self.end(slot, ended);
            } else {
                self.put(slot, &path, class, cap);
            }
            self.path = path;
        }
        let rate = self.sharing.bundles.get(bundle).rate;
        let is_gone = self.sharing.bundles.get(bundle).flows == 0;
        self.agenda.set(bundle, if is_gone { None } else { self.flows.first_end(bundle, rate) });
    }

    fn end(&mut self, slot: u32, ended: &mut Vec<FinishedFlow>) {
        let flow = *self.flows.get(slot).expect("it has not ended");
        self.flows.end(slot);
        self.has_lost_group |= self.groups.leave(flow.group);
        ended.push(FinishedFlow { flow: flow.id, group: flow.group, at: self.now });
    }

    /// Returns whether a change leads to a computation of rates now.
    fn is_due(&self) -> bool {
        self.now >= self.fresh_until || !self.started.is_empty()
    }

    /// Computes rates, if something has changed.
    fn refresh(&mut self) {
        if !self.is_stale || !self.is_due() {
            return;
        }
        self.is_stale = false;
        self.fresh_until = self.now.saturating_add(self.grain);
        self.sharing.catch_up();
        self.arrange();
        self.sharing.settle();
        // The buffer is taken out, so that its memory is reused.
        let mut touched = std::mem::take(&mut self.sharing.touched);
        let mut ends = std::mem::take(&mut self.ends);
        ends.extend(touched.drain(..).filter_map(|(bundle, before)| self.bring_up(bundle, before)));
        for (bundle, end) in ends.drain(..) {
            self.agenda.set(bundle, end);
        }
        (self.sharing.touched, self.ends) = (touched, ends);
        self.sharing.bundles.release();
        self.has_lost_group = false;
        self.started.clear();
        self.placed.clear();
        self.left_from.clear();
    }

    /// Counts the volume of a bundle that may have changed. Returns the bundle's next event, if it
    /// has changed.
    fn bring_up(&mut self, bundle: u32, before: Rate) -> Option<(u32, Option<Time>)> {
        let state = self.sharing.bundles.get_mut(bundle);
        let has_changed = std::mem::take(&mut state.has_changed);
        state.is_touched = false;
        let (rate, is_gone) = (state.rate, state.flows == 0);
        debug_assert!(rate == Rate::ZERO || state.rank != HELD, "a held bundle has no rate");
        // Many rates change temporarily and return to their previous value.
        if rate == before && !has_changed {
            return None;
        }
        self.flows.carry(bundle, before, self.now);
        let end = if is_gone { None } else { self.flows.first_end(bundle, rate) };
        Some((bundle, end))
    }

    /// Asks the policy for ranks, and for rates if it sets them.
    fn arrange(&mut self) {
        let mut moves = std::mem::take(&mut self.moves);
        let scene = Scene {
            now: self.now,
            flows: &self.flows,
            sharing: &self.sharing,
            started: &self.started,
            placed: &self.placed,
            left_from: &self.left_from,
            groups: &self.groups,
            has_lost_group: self.has_lost_group,
        };
        self.policy.arrange(&scene, &mut moves);
        if P::GIVES_RATES {
            let mut given = std::mem::take(&mut self.given);
            self.policy.rates(&scene, &mut Rates { given: &mut given });
            for (bundle, rate) in given.drain(..) {
                self.sharing.give(bundle, rate);
            }
            self.given = given;
        }
        if !moves.by_kin.is_empty() {
            moves.by_kin.sort_unstable();
            for bundle in 0..self.sharing.bundles.len() {
                let Some(kin) = self.alike.kin(bundle) else { continue };
                if let Ok(found) = moves.by_kin.binary_search_by_key(&kin, |&(kin, _)| kin) {
                    moves.by_bundle.push((bundle, moves.by_kin[found].1));
                }
            }
        }
        if !moves.by_bundle.is_empty() {
            self.sharing.rerank(&moves.by_bundle);
        }
        moves.by_kin.clear();
        moves.by_bundle.clear();
        self.moves = moves;
    }
}
