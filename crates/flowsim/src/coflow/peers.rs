//! [`Peers`]: flows of equal priority, and their shares of the rates that earlier flows leave.

use super::clock::Clock;
use crate::rate::{Rate, Volume};
use bandwise_units::{Bytes, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Flows that are served alike, such as those of a coflow, at their ports: links of the switch,
/// senders' links first.
///
/// The flows share max-min fairly. All grow at one pace until a port is full, which stops the flows
/// that cross it, and so on ([`share`](Peers::share)). So a flow has the rate of the port that
/// stopped it. Each port has a [`Clock`] for the flows that it stops, and a flow changes only when
/// another port stops it. A flow with a port that is full beforehand is stopped by none.
///
/// A flow crosses two ports, so it has been stopped exactly if its other port is done. A pass over
/// the flows of a port therefore reads only that port's list.
#[derive(Debug, Clone)]
pub(super) struct Peers {
    flows: Vec<Flow>,
    /// The places of flows that have ended.
    free: Vec<u32>,
    /// The number of flows that have not ended.
    live: usize,
    /// True if flows have started or ended since the last computation.
    has_changed: bool,
    /// The link of each port.
    links: Vec<u32>,
    /// The first receiving port.
    receivers: u32,
    /// The rest of each port's link that earlier flows leave, and the rest that these flows leave.
    found: Vec<u64>,
    left: Vec<u64>,
    /// True if earlier flows leave nothing, by port.
    is_full: Vec<bool>,
    /// The number of flows whose other port is not full, by port.
    open: Vec<u32>,
    crossings: Vec<Vec<Crossing>>,
    clocks: Vec<Clock>,
}

/// A flow.
#[derive(Debug, Clone, Copy)]
struct Flow {
    group: u32,
    /// The remaining volume. If a clock counts the flow, the volume of the clock at which the flow
    /// ends.
    left: Volume,
    /// The sending and the receiving port, and the flow's places among the crossings there.
    ports: [u32; 2],
    places: [u32; 2],
    /// The index of the port whose clock counts the flow.
    clock: Option<u8>,
}

/// A flow at a port, with the data that is read whenever the port is full.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    flow: u32,
    /// The other port; the last bit is set if this port's clock counts the flow.
    other_and_clock: u32,
}

impl Crossing {
    fn new(flow: u32, other: u32) -> Crossing {
        Crossing { flow, other_and_clock: other << 1 }
    }

    fn other(self) -> usize {
        (self.other_and_clock >> 1) as usize
    }

    fn is_counted_here(self) -> bool {
        self.other_and_clock & 1 == 1
    }

    fn set_counted_here(&mut self, does: bool) {
        self.other_and_clock = self.other_and_clock & !1 | u32::from(does);
    }
}

/// The state while flows grow. Its memory is reused.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth {
    /// The number of growing flows, by port.
    growing: Vec<u32>,
    /// True if a port has stopped its flows.
    is_done: Vec<bool>,
    /// The growth at which a port is full, as far as is known.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Peers {
    /// Returns no flows over these links, ascending. Links from `receiving` on lead to receivers.
    pub(super) fn new(links: Vec<u32>, receiving: u32) -> Peers {
        let count = links.len();
        Peers {
            flows: Vec::new(),
            free: Vec::new(),
            live: 0,
            has_changed: true,
            receivers: links.partition_point(|&link| link < receiving) as u32,
            links,
            found: vec![0; count],
            left: vec![0; count],
            // Earlier flows have left nothing so far, so no port is open.
            is_full: vec![true; count],
            open: vec![0; count],
            crossings: vec![Vec::new(); count],
            clocks: vec![Clock::default(); count],
        }
    }

    /// Starts a flow of a group over two of the links.
    pub(super) fn start(&mut self, group: u32, path: [u32; 2], bytes: Bytes) {
        let port = |link| self.links.binary_search(&link).expect("it is one of these") as u32;
        let ports = path.map(port);
        let places = ports.map(|port| self.crossings[port as usize].len() as u32);
        let flow = Flow { group, left: Volume::of(bytes), ports, places, clock: None };
        let number = self.free.pop().unwrap_or(self.flows.len() as u32);
        match self.flows.get_mut(number as usize) {
            Some(free) => *free = flow,
            None => self.flows.push(flow),
        }
        for side in 0..2 {
            let (port, other) = (ports[side] as usize, ports[1 - side]);
            self.crossings[port].push(Crossing::new(number, other));
            self.open[port] += u32::from(!self.is_full[other as usize]);
        }
        self.live += 1;
        self.has_changed = true;
    }

    /// Returns the number of flows that have not ended.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// Iterates over the links and remaining bytes (rounded up) of all flows that have not ended.
    pub(super) fn demands(&self, now: Time) -> impl Iterator<Item = ([u32; 2], u64)> + '_ {
        let of_port = move |port: usize| {
            let shown = self.clocks[port].shown(now);
            let crossings = self.crossings[port].iter();
            crossings.map(move |crossing| {
                let flow = self.flows[crossing.flow as usize];
                let left = match flow.clock {
                    None => flow.left,
                    Some(0) => flow.left.less(shown),
                    Some(_) => flow.left.less(self.clocks[flow.ports[1] as usize].shown(now)),
                };
                (flow.ports.map(|port| self.links[port as usize]), left.bytes().get())
            })
        };
        (0..self.receivers as usize).flat_map(of_port)
    }

    /// Shares the rates that earlier flows leave of each link. Reports each port's clock with a
    /// changed next end, and this end.
    pub(super) fn share(
        &mut self,
        rests: &mut [u64],
        now: Time,
        growth: &mut Growth,
        mut report: impl FnMut(u32, Option<Time>),
    ) {
        let found = || self.links.iter().map(|&link| rests[link as usize]);
        // Equal rests give equal shares.
        if std::mem::take(&mut self.has_changed) || !found().eq(self.found.iter().copied()) {
            self.found.clear();
            self.found.extend(self.links.iter().map(|&link| rests[link as usize]));
            for port in 0..self.links.len() {
                if (self.found[port] == 0) != self.is_full[port] {
                    self.fill_or_open(port, now);
                    if self.is_full[port] {
                        report(port as u32, None);
                    }
                }
            }
            self.grow(now, growth, report);
        }
        for (&link, &left) in self.links.iter().zip(&self.left) {
            rests[link as usize] = left;
        }
    }

    /// Updates a port that has become full or open.
    fn fill_or_open(&mut self, port: usize, now: Time) {
        self.is_full[port] = !self.is_full[port];
        let is_full = self.is_full[port];
        for i in 0..self.crossings[port].len() {
            let crossing = self.crossings[port][i];
            if is_full {
                self.open[crossing.other()] -= 1;
                self.leave_clock(crossing.flow, now);
            } else {
                self.open[crossing.other()] += 1;
            }
        }
        if is_full {
            self.clocks[port].set(Rate::ZERO, now);
        }
    }

    /// Computes max-min fair rates in the remaining capacities: a full port stops all its flows
    /// (Bertsekas and Gallager, "Data Networks", 6.5.2). A full port counts as exhausted even if a
    /// unit per flow remains.
    fn grow(&mut self, now: Time, growth: &mut Growth, mut report: impl FnMut(u32, Option<Time>)) {
        let Growth { growing, is_done, ends } = growth;
        growing.clone_from(&self.open);
        is_done.clone_from(&self.is_full);
        self.left.clone_from(&self.found);
        let even = |left: &[u64], growing: &[u32], port: usize| {
            left[port].checked_div(u64::from(growing[port]))
        };
        for port in (0..self.links.len()).filter(|&port| !self.is_full[port]) {
            ends.extend(even(&self.left, growing, port).map(|even| Reverse((even, port as u32))));
        }
        while let Some(Reverse((grown, number))) = ends.pop() {
            let port = number as usize;
            // Some flows may have stopped below an equal part, or all of them.
            match even(&self.left, growing, port) {
                None => continue,
                Some(even) if even > grown => {
                    ends.push(Reverse((even, number)));
                    continue;
                }
                Some(_) => {}
            }
            is_done[port] = true;
            let has_new_rate = self.clocks[port].rate() != Rate(grown);
            if has_new_rate {
                self.clocks[port].set(Rate(grown), now);
            }
            let mut has_new_flow = false;
            let mut crossings = std::mem::take(&mut self.crossings[port]);
            for crossing in &mut crossings {
                let other = crossing.other();
                if is_done[other] {
                    continue;
                }
                self.left[other] -= grown;
                growing[other] -= 1;
                if !crossing.is_counted_here() {
                    has_new_flow = true;
                    self.leave_clock(crossing.flow, now);
                    self.join_clock(crossing.flow, port, now);
                    crossing.set_counted_here(true);
                }
            }
            self.crossings[port] = crossings;
            self.left[port] = 0;
            if has_new_rate || has_new_flow {
                report(number, self.next_end(port));
            }
        }
    }

    /// Removes a flow from its clock.
    fn leave_clock(&mut self, flow: u32, now: Time) {
        let state = &mut self.flows[flow as usize];
        let Some(side) = state.clock.take().map(usize::from) else { return };
        let port = state.ports[side] as usize;
        state.left = state.left.less(self.clocks[port].shown(now));
        self.crossings[port][state.places[side] as usize].set_counted_here(false);
    }

    /// Adds a flow without a clock to that of a port.
    fn join_clock(&mut self, flow: u32, port: usize, now: Time) {
        let state = &mut self.flows[flow as usize];
        state.left = self.clocks[port].join(flow, state.left, now);
        state.clock = Some(u8::from(port >= self.receivers as usize));
    }

    /// Ends the flows that are due by the clock of a port, and reports the group of each. Returns
    /// the time of the next end.
    pub(super) fn finish(
        &mut self,
        port: u32,
        now: Time,
        report: &mut dyn FnMut(u32),
    ) -> Option<Time> {
        let side = self.side(port as usize);
        loop {
            let flows = &self.flows;
            let is_here = |flow: u32, due| is_counted_by(&flows[flow as usize], side, due);
            let Some(flow) = self.clocks[port as usize].take_due(now, is_here) else { break };
            report(self.flows[flow as usize].group);
            self.end(flow);
        }
        self.next_end(port as usize)
    }

    fn next_end(&mut self, port: usize) -> Option<Time> {
        let (flows, side) = (&self.flows, self.side(port));
        self.clocks[port].next_end(|flow, due| is_counted_by(&flows[flow as usize], side, due))
    }

    /// Returns the side of a port: sending or receiving.
    fn side(&self, port: usize) -> u8 {
        u8::from(port >= self.receivers as usize)
    }

    fn end(&mut self, flow: u32) {
        self.live -= 1;
        self.has_changed = true;
        self.free.push(flow);
        let Flow { ports, places, .. } = self.flows[flow as usize];
        self.flows[flow as usize].clock = None;
        for side in 0..2 {
            let (port, place) = (ports[side] as usize, places[side]);
            self.crossings[port].swap_remove(place as usize);
            if let Some(moved) = self.crossings[port].get(place as usize) {
                self.flows[moved.flow as usize].places[side] = place;
            }
            if !self.is_full[ports[1 - side] as usize] {
                self.open[port] -= 1;
            }
        }
    }
}

/// Returns whether the clock on this side counts a flow that is due at this volume.
fn is_counted_by(flow: &Flow, side: u8, due: Volume) -> bool {
    flow.clock == Some(side) && flow.left == due
}
