//! [`Simulation`]: flows over links, from event to event.

use crate::agenda::Agenda;
use crate::flow::{Ended, FlowId, FlowSpec};
use crate::flows::Flows;
use crate::groups::Groups;
use crate::network::{LinkConfig, Network, NetworkError};
use crate::paths::{Alike, Likeness, Paths};
use crate::policy::{HELD, Moves, Newcomer, Place, Policy, Rates, Scene};
use crate::rate::Rate;
use crate::share::{Bundle, Sharing};
use bandwise_units::{BitRate, Bytes, Time};

/// Flows that share links as a policy says.
///
/// Whoever drives it starts flows at the current time, asks when the [next event](Simulation::next_event) is,
/// and [`advance`](Simulation::advance)s to that time or to any earlier one. All that starts and ends at
/// one instant changes rates once: they are worked out when somebody asks for what depends on them.
///
/// Time is an integer of picoseconds, and so are rates and volumes of smaller units, so every byte is
/// carried once: a flow of some rate has carried exactly that rate times the time. Its end is rounded up
/// to picoseconds.
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
    /// A bundle without flows waits for others that are alike.
    has_recurring_flows: bool,
    groups: Groups,
    has_lost_group: bool,
    /// Slots of flows that have started since rates were worked out.
    started: Vec<u32>,
    /// Slots of flows that have been placed since, when they started or later.
    placed: Vec<u32>,
    /// The last links of flows that have ended or gone to another place since.
    left_from: Vec<u32>,
    is_stale: bool,
    /// Rates are worked out no sooner than that after the last time, unless a flow starts or a link changes.
    grain: Time,
    fresh_until: Time,
    moves: Moves,
    given: Vec<(u32, Rate)>,
    /// Next events of bundles, before they are in the agenda.
    ends: Vec<(u32, Option<Time>)>,
    path: Vec<u32>,
}

impl<P: Policy> Simulation<P> {
    /// A network without flows at time 0.
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

    /// The same, but a link may leave up to `millionths` of what it carries, or could give a flow, unused
    /// where that saves asking others; from none to 500,000. No link has more than it carries, and every byte
    /// is still counted; the allocation is an equilibrium but for that part. Where flows stand in queues, a
    /// link at which only one queue has flows is exact; where they have ranks, all links are.
    ///
    /// A change of one flow's rate reaches most of a busy network, by ever smaller amounts; this says
    /// which are too small to follow.
    #[must_use]
    pub fn with_tolerance(mut self, millionths: u32) -> Self {
        self.sharing.set_tolerance(millionths.min(500_000));
        self
    }

    /// The same, but links with several queues are asked once each, at every change of rates from nothing:
    /// those first that offer the least. What is then left on all links of a flow is shared equally. So
    /// every flow has at least its part of each link by weight, as if all others wanted all they could
    /// get, and every flow has a full link; but a queue may have more than its weight is worth where
    /// others could use it. For networks in which links that weigh queues differently don't come to rest,
    /// or in which that takes too long.
    #[must_use]
    pub fn in_one_pass(mut self) -> Self {
        self.sharing.is_once = true;
        self
    }

    /// The same, but rates are worked out at most once each `grain` while no flow starts: what ends within
    /// it leaves its rate unused until then. When a flow starts or a link is set up anew they are worked out at
    /// once, and so they are always by a policy that [`Policy::HOLDS`] flows.
    #[must_use]
    pub fn with_grain(mut self, grain: Time) -> Self {
        self.grain = if P::HOLDS { Time::ZERO } else { grain };
        self
    }

    /// The same, but rates are worked out rank after rank, from the first at which something has changed, and not link by
    /// link. They are the same rates; it takes less where groups have ranks, and most flows change with every one that
    /// ends. Links have one queue; a policy that looks at [`Scene::crossing`] or [`Scene::served`] sees
    /// nothing. Panics where links are set up, now or later.
    #[must_use]
    pub fn rank_by_rank(mut self) -> Self {
        self.sharing.rank_by_rank();
        self
    }

    /// The same, for flows that come again and again over the same paths, as those of jobs do: what was set up
    /// for some is kept for others that are alike. Rates are the same; it takes memory for as many flows as
    /// there are different ones.
    #[must_use]
    pub fn with_recurring_flows(mut self) -> Self {
        self.has_recurring_flows = true;
        self
    }

    /// The current time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// How many flows have not ended.
    pub fn flows(&self) -> usize {
        self.flows.live()
    }

    /// How often rates were worked out in which links with several queues did not come to rest: all is
    /// within capacities, but some flows have less than an equilibrium would give them.
    pub fn rough(&self) -> u64 {
        self.sharing.rough
    }

    /// Starts a flow now. Panics for a path that is empty, has a link twice or one that isn't there.
    pub fn start(&mut self, spec: FlowSpec<'_>) -> FlowId {
        let id = self.flows.start(spec.bytes, spec.group);
        self.groups.join(spec.group);
        let cap = spec.cap.map_or(Rate::UNLIMITED, Rate::new);
        self.started.push(id.slot);
        self.put(id.slot, spec.path, spec.class, cap);
        id
    }

    /// Changes how a link shares, from now on.
    pub fn set_link(&mut self, link: u32, config: LinkConfig) -> Result<(), NetworkError> {
        let links = self.network.links();
        let Some(&capacity) = self.network.capacities.get(link as usize) else {
            return Err(NetworkError::NoSuchLink { link, links });
        };
        config.check_for(link, capacity)?;
        self.sharing.catch_up();
        // Rates change with it; what was carried before was carried at those of before.
        for bundle in self.sharing.crossing(link) {
            self.flows.carry(bundle, self.sharing.bundles.get(bundle).rate, self.now);
        }
        self.sharing.configure(link, config);
        (self.is_stale, self.fresh_until) = (true, self.now);
        Ok(())
    }

    /// When the next event is, at today's rates: a flow ends, or goes to another place. None where no flow
    /// will ever end.
    pub fn next_event(&mut self) -> Option<Time> {
        self.refresh();
        let event = self.agenda.first().map(|(at, _)| at.max(self.now));
        // A flow that ends before rates are fresh does so at its own time.
        let refresh = self.is_stale.then_some(self.fresh_until);
        event.into_iter().chain(refresh).min()
    }

    /// Lets time pass up to `to`, and adds the flows that have ended by then, in order of their ends and
    /// at one instant of their starts. Panics for an earlier time than now.
    pub fn advance(&mut self, to: Time, ended: &mut Vec<Ended>) {
        assert!(to >= self.now, "time goes on");
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

    /// What a flow has now, rounded down; nothing for one that has ended.
    pub fn rate(&mut self, flow: FlowId) -> BitRate {
        self.refresh();
        match self.flows.get(flow.slot).filter(|found| found.id == flow) {
            Some(found) => self.sharing.bundles.get(found.bundle).rate.whole(),
            None => BitRate::default(),
        }
    }

    /// What a flow has still to send, rounded up; nothing for one that has ended.
    pub fn left(&self, flow: FlowId) -> Bytes {
        match self.flows.get(flow.slot).filter(|found| found.id == flow) {
            Some(found) => {
                let rate = self.sharing.bundles.get(found.bundle).rate;
                self.flows.left(flow.slot, rate, self.now).bytes()
            }
            None => Bytes::ZERO,
        }
    }

    /// What all flows of a link have together, rounded down. Panics for a link that isn't there.
    pub fn load(&mut self, link: u32) -> BitRate {
        self.refresh();
        self.sharing.load(link).whole()
    }

    /// Puts a flow where the policy wants it.
    fn put(&mut self, slot: u32, path: &[u32], class: u8, cap: Rate) {
        let flow = self.flows.get(slot).expect("the flow has started");
        let (bytes, left, group) = (flow.bytes, flow.later.bytes(), flow.group);
        let limit = (cap != Rate::UNLIMITED).then_some(cap.whole());
        let Place { rank, queue, kin, until } =
            self.policy.place(&Newcomer { path, bytes, left, class, group, cap: limit });
        // While rates are not to be worked out, whoever joins others would have their rate.
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

    /// Ends the flows of a bundle that are done, or lets them go to their next place.
    fn finish(&mut self, bundle: u32, ended: &mut Vec<Ended>) {
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

    fn end(&mut self, slot: u32, ended: &mut Vec<Ended>) {
        let flow = *self.flows.get(slot).expect("it has not ended");
        self.flows.end(slot);
        self.has_lost_group |= self.groups.leave(flow.group);
        ended.push(Ended { flow: flow.id, group: flow.group, at: self.now });
    }

    /// Whether rates are to be worked out now if something has changed.
    fn is_due(&self) -> bool {
        self.now >= self.fresh_until || !self.started.is_empty()
    }

    /// Works out rates, if something has changed.
    fn refresh(&mut self) {
        if !self.is_stale || !self.is_due() {
            return;
        }
        self.is_stale = false;
        self.fresh_until = self.now.saturating_add(self.grain);
        self.sharing.catch_up();
        self.arrange();
        self.sharing.settle();
        // Taken, so that its memory is used again.
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

    /// Counts what a bundle has carried whose rate or flows may have changed; its next event, if they have.
    fn bring_up(&mut self, bundle: u32, before: Rate) -> Option<(u32, Option<Time>)> {
        let state = self.sharing.bundles.get_mut(bundle);
        let has_changed = std::mem::take(&mut state.has_changed);
        state.is_touched = false;
        let (rate, is_gone) = (state.rate, state.flows == 0);
        debug_assert!(rate == Rate::ZERO || state.rank != HELD, "who is held has no rate");
        // Many change on the way to where they were.
        if rate == before && !has_changed {
            return None;
        }
        self.flows.carry(bundle, before, self.now);
        let end = if is_gone { None } else { self.flows.first_end(bundle, rate) };
        Some((bundle, end))
    }

    /// Asks the policy for ranks, and for rates if it gives them.
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
