//! [`Shortfall`]: the reason for which a bulk flow gets less than its bottleneck allows.

use super::bottleneck::{LimitingPart, goodput, packet};
use super::{Bottleneck, Flow, FlowResult, InfinibandResults, InfinibandScenario, Method};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_topology::{NodeId, Port};
use bandwise_units::{BitRate, Bytes, Time};
use std::collections::BTreeMap;

/// The part of a rate or a capacity from which on it counts as all of it.
const FULL: f64 = 0.97;

/// The part of a rate below which a window may hold a flow. A flow that begins to send needs a while to
/// fill its path.
const HELD: f64 = 0.9;

/// The same of a flow that a core or its queue pairs limit.
const HELD_BY_HOST: f64 = 0.8;

/// What holds a bulk flow below its bottleneck.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shortfall {
    /// Several flows fill a part of the path together.
    Shared {
        /// The part.
        part: SharedPart,
        /// Their number.
        flows: usize,
        /// The payload rate of all of them.
        payload: BitRate,
    },
    /// Other flows, which fill a part that is not on the path, hold a link and lane of the path.
    Blocked {
        /// The part.
        part: SharedPart,
    },
    /// The flow does not send while it is measured.
    Silent,
    /// Nothing arrived in time, for no reason that is known.
    Nothing,
    /// No other message may be outstanding.
    Window {
        /// The most outstanding messages.
        messages: u64,
        /// The key that limits them.
        key: &'static str,
        /// The most time of one, there and back, by Little's law.
        time: Time,
        /// True if congestion control may hold the flow in place of the window.
        throttled: bool,
        /// True if that is clearly longer than a message takes alone, so that another part holds the
        /// flow.
        queued: bool,
    },
}

/// A part that flows share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharedPart {
    /// A link, from the port that sends.
    Link(Port),
    /// PCIe of a host that sends.
    PcieOut(NodeId),
    /// PCIe of a host that receives.
    PcieIn(NodeId),
}

/// The use of a part by flows that are measured at the same time.
#[derive(Default)]
struct Load {
    /// The part of its capacity.
    part: f64,
    flows: usize,
    bps: u64,
}

impl InfinibandScenario {
    /// Returns the shortfall of each bulk flow that clearly gets less than its bottleneck allows.
    pub fn shortfalls(&self, results: &InfinibandResults) -> Vec<Option<Shortfall>> {
        let measured = || self.flows.iter().zip(&results.flows);
        let mut loads: BTreeMap<(SharedPart, Time, Time), Load> = BTreeMap::new();
        for (flow, result) in measured() {
            let Some(bandwidth) = result.bandwidth else { continue };
            let rate = bandwidth.rate();
            for (part, capacity) in self.parts(flow) {
                let load = loads.entry((part, bandwidth.from, bandwidth.to)).or_default();
                load.part += rate.as_bps() as f64 / capacity.as_bps() as f64;
                load.bps += rate.as_bps();
                load.flows += 1;
            }
        }
        let full = |flow: &Flow, window: (Time, Time), least: usize| {
            let of_part = |(part, _)| Some((part, loads.get(&(part, window.0, window.1))?));
            let loaded = self.parts(flow).into_iter().filter_map(of_part);
            let full = loaded.filter(|(_, load)| load.flows >= least && load.part >= FULL);
            // The first of those that are equally full.
            full.min_by(|a, b| b.1.part.total_cmp(&a.1.part))
        };
        let shortfall = |(flow, result): (&Flow, &FlowResult)| {
            let bandwidth = result.bandwidth?;
            let (rate, window) = (bandwidth.rate(), (bandwidth.from, bandwidth.to));
            if window.0 >= window.1 {
                return Some(Shortfall::Silent);
            }
            let Bottleneck { part: limit, payload: allowed, .. } = self.bottleneck(flow);
            // The time of a core or of a queue pair for a message is not known so well.
            let held = match limit {
                LimitingPart::Cpu(_) | LimitingPart::QueuePairs { .. } => HELD_BY_HOST,
                _ => HELD,
            };
            let part = rate.as_bps() as f64 / allowed.as_bps() as f64;
            if part >= FULL {
                return None;
            }
            if let Some((part, load)) = full(flow, window, 2) {
                let payload = BitRate::from_bps(load.bps);
                return Some(Shortfall::Shared { part, flows: load.flows, payload });
            }
            let own: Vec<SharedPart> = self.parts(flow).into_iter().map(|(part, _)| part).collect();
            let of_others = measured().filter(|(other, _)| self.meet(flow, other)).filter_map(
                |(other, result)| {
                    let bandwidth = result.bandwidth?;
                    full(other, (bandwidth.from, bandwidth.to), 1)
                },
            );
            let blocked = of_others.map(|(part, _)| part).find(|part| !own.contains(part));
            match blocked {
                Some(part) => Some(Shortfall::Blocked { part }),
                None if rate.as_bps() == 0 => Some(Shortfall::Nothing),
                None if part < held => self.outstanding(flow, rate),
                None => None,
            }
        };
        measured().map(shortfall).collect()
    }

    /// Returns whether two flows share a link and its lane.
    fn meet(&self, a: &Flow, b: &Flow) -> bool {
        let lane = |flow: &Flow| self.models.qos.sl2vl.vl(flow.sl);
        let links = |flow: &Flow| {
            let parts = self.parts(flow).into_iter().map(|(part, _)| part);
            parts.filter(|part| matches!(part, SharedPart::Link(_))).collect::<Vec<_>>()
        };
        let others = links(b);
        !std::ptr::eq(a, b)
            && lane(a) == lane(b)
            && links(a).iter().any(|link| others.contains(link))
    }

    /// Returns the parts of a flow's path with the payload rate that each can carry.
    fn parts(&self, flow: &Flow) -> Vec<(SharedPart, BitRate)> {
        // The payload of a READ comes back.
        let is_read = flow.method.opcode() == Opcode::Read;
        let (from, to) = if is_read { (flow.to, flow.from) } else { (flow.from, flow.to) };
        let hosts = self.fabric.hosts();
        let mtu = self.mtu(flow).get();
        let (payload, wire) = packet(flow, mtu);
        let path = self.routes.path(&self.fabric, hosts[from], hosts[to]);
        let links = path.iter().filter_map(|&port| {
            let goodput = goodput(flow, mtu, self.fabric.peer(port)?.1.rate);
            let credits = self.credits(port, payload, wire).map_or(goodput, |(rate, _)| rate);
            Some((SharedPart::Link(port), goodput.min(credits)))
        });
        let pcie = |host: usize| self.device_of(host).pcie_goodput();
        let ends = [
            (SharedPart::PcieOut(hosts[from]), pcie(from)),
            (SharedPart::PcieIn(hosts[to]), pcie(to)),
        ];
        links.chain(ends).filter(|(_, capacity)| capacity.as_bps() > 0).collect()
    }

    /// Returns about the time of a message alone, there and back: cables, switches, the stages of both
    /// hosts, and its bytes on the slowest part and at each PCIe.
    fn alone(&self, flow: &Flow, bytes: u32) -> Time {
        let bytes = Bytes::new(bytes.into());
        let stages = [flow.from, flow.to].into_iter().fold(Time::ZERO, |sum, host| {
            let d = self.device_of(host);
            let cpu = d.cpu_wqe + d.cpu_completion + d.cpu_poll + d.mmio;
            let rnic = (d.tx + d.rx) * 2 + d.issue_gap + d.qp_gap;
            let dma = d.dma_read * 2 + d.dma_write + d.dma_flush;
            sum + cpu + rnic + dma + d.pcie_goodput().time_for(bytes)
        });
        let Bottleneck { payload, link, .. } = self.bottleneck(flow);
        let packet = Bytes::new(self.mtu(flow).get().into());
        stages + self.least_round_trip(flow) + payload.time_for(bytes) + link.time_for(packet) * 2
    }

    /// Returns the window of a flow with this payload rate; `None` for datagrams, which nothing answers.
    fn outstanding(&self, flow: &Flow, rate: BitRate) -> Option<Shortfall> {
        let Method::Bulk(traffic) = &flow.method else { return None };
        if flow.transport == Transport::Ud {
            return None;
        }
        let (qps, bytes) = (u64::from(traffic.qps), u64::from(traffic.bytes));
        let mut windows = vec![
            (traffic.buffer.get().checked_div(bytes)?, "buffer"),
            (u64::from(traffic.depth) * qps, "depth"),
        ];
        if flow.method.reads() {
            windows.push((u64::from(flow.max_rd_atomic) * qps, "max-rd-atomic"));
        }
        let (messages, key) = windows.into_iter().min_by_key(|(messages, _)| *messages)?;
        let time = rate.time_for(Bytes::new(messages * bytes));
        let throttled = self.device_of(flow.from).congestion_control.is_some();
        let queued = time > self.alone(flow, traffic.bytes) * 2;
        Some(Shortfall::Window { messages, key, time, throttled, queued })
    }
}
