//! [`Shortfall`]: the reason for which a bulk flow gets less than its bottleneck allows.

use super::bottleneck::packet;
use super::{Flow, InfinibandResults, InfinibandScenario, Method};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_topology::{NodeId, Port};
use bandwise_units::{BitRate, Bytes, Time};
use std::collections::BTreeMap;

/// The part of a rate or a capacity from which on it counts as all of it.
const FULL: f64 = 0.97;

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
        let shortfall = |(flow, result): (&Flow, &super::FlowResult)| {
            let bandwidth = result.bandwidth?;
            let rate = bandwidth.rate();
            let allowed = self.bottleneck(flow).payload;
            if rate.as_bps() == 0 || rate.as_bps() as f64 >= FULL * allowed.as_bps() as f64 {
                return None;
            }
            let load = |part| loads.get(&(part, bandwidth.from, bandwidth.to));
            let loaded =
                self.parts(flow).into_iter().filter_map(|(part, _)| Some((part, load(part)?)));
            let shared = loaded.filter(|(_, load)| load.flows > 1 && load.part >= FULL);
            // The first of those that are equally full.
            match shared.min_by(|a, b| b.1.part.total_cmp(&a.1.part)) {
                Some((part, load)) => {
                    let payload = BitRate::from_bps(load.bps);
                    Some(Shortfall::Shared { part, flows: load.flows, payload })
                }
                None => self.outstanding(flow, rate),
            }
        };
        measured().map(shortfall).collect()
    }

    /// Returns the parts of a flow's path with the payload rate that each can carry.
    fn parts(&self, flow: &Flow) -> Vec<(SharedPart, BitRate)> {
        // The payload of a READ comes back.
        let is_read = flow.method.opcode() == Opcode::Read;
        let (from, to) = if is_read { (flow.to, flow.from) } else { (flow.from, flow.to) };
        let hosts = self.fabric.hosts();
        let (payload, wire) = packet(flow, self.mtu(flow).get());
        let path = self.routes.path(&self.fabric, hosts[from], hosts[to]);
        let links = path.iter().filter_map(|&port| {
            let bps = u128::from(self.fabric.peer(port)?.1.rate.as_bps());
            let goodput = (bps * u128::from(payload) / u128::from(wire)) as u64;
            Some((SharedPart::Link(port), BitRate::from_bps(goodput)))
        });
        let pcie = |host: usize| self.device_of(host).pcie_goodput();
        let ends = [
            (SharedPart::PcieOut(hosts[from]), pcie(from)),
            (SharedPart::PcieIn(hosts[to]), pcie(to)),
        ];
        links.chain(ends).filter(|(_, capacity)| capacity.as_bps() > 0).collect()
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
        Some(Shortfall::Window { messages, key, time, throttled })
    }
}
