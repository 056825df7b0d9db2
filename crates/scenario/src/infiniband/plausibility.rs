//! [`Implausible`]: results that no fabric has, because a method does not hold in a scenario.

use super::{Flow, FlowResult, InfinibandResults, InfinibandScenario, Method};
use bandwise_rdma::wire::{PacketKind, Segment, packet_bytes};
use bandwise_topology::Port;
use bandwise_units::{BitRate, Bytes, Time};
use std::fmt;

/// The error of RPerf's method itself, which a median may be below the fabric's delay: a
/// polling period at each end.
const METHOD_ERROR: Time = Time::from_ns(20);
/// The least error by the loopback, or by the start of its packet, that is told.
const LEAST_BIAS: Time = Time::from_ns(10);
/// The largest part of samples that may be below zero: interruptions of a core between the two posts
/// cause single ones.
const FEW: f64 = 0.01;

/// A result that no fabric has.
#[derive(Debug, Clone, PartialEq)]
pub struct Implausible {
    /// The name of the flow.
    pub flow: String,
    /// The impossible number.
    pub kind: ImplausibleKind,
    /// The causes that are known.
    pub causes: Vec<Cause>,
}

/// A reason for which RPerf does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Messages are longer than the path MTU.
    Mtu(Bytes),
    /// The loopback is slower than the link.
    Loopback(LoopbackBias),
    /// The loopback's packet starts this long after the wire's.
    Start(Time),
    /// The delay of cables and switches, both ways, is less than the method's error.
    Short(Time),
}

/// An impossible number.
#[derive(Debug, Clone, PartialEq)]
pub enum ImplausibleKind {
    /// A median round trip below the delay of cables and switches, both ways.
    Median {
        /// The median, ns.
        ns: f64,
        /// The delay.
        least: Time,
    },
    /// More than a few samples below zero.
    Negatives {
        /// Their number.
        negatives: u64,
        /// The number of all samples.
        count: u64,
    },
    /// A payload rate above that of the slowest link.
    Bandwidth {
        /// The rate.
        rate: BitRate,
        /// The data rate of the link.
        link: BitRate,
    },
}

/// A loopback that is not as fast as the links of the two hosts: RPerf subtracts the time of the loopback
/// from that of the wire, and so takes away too much or too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopbackBias {
    /// The rate of the loopback.
    pub loopback: BitRate,
    /// The rate of the link of the measuring host, or of the other one if the first is as fast as the
    /// loopback.
    pub link: BitRate,
    /// The payload of a message.
    pub bytes: Bytes,
    /// The error of each sample: the message's bytes times |1/link - 1/loopback| at the measuring
    /// host, and those of the acknowledgement at the other one, which sends it.
    pub error: Time,
    /// True if too much is taken away, as by a slower loopback.
    pub too_much: bool,
}

impl InfinibandScenario {
    /// Returns the results that no fabric has.
    pub fn implausible(&self, results: &InfinibandResults) -> Vec<Implausible> {
        let of_flow = |(flow, result)| self.implausible_flow(flow, result);
        self.flows.iter().zip(&results.flows).flat_map(of_flow).collect()
    }

    fn implausible_flow(&self, flow: &Flow, result: &FlowResult) -> Vec<Implausible> {
        let mut kinds = Vec::new();
        if let Some(latency) = &result.latency {
            let (measured, least) = (&latency.measured, self.least_round_trip(flow));
            // What the late start takes away is known, and told beside the number.
            let known = METHOD_ERROR + self.late_start(flow).unwrap_or(Time::ZERO);
            if measured.p50_ns + known.as_ns_f64() < least.as_ns_f64() {
                kinds.push(ImplausibleKind::Median { ns: measured.p50_ns, least });
            }
            let (negatives, count) = (measured.negatives, measured.count);
            if negatives as f64 > FEW * count as f64 && count >= 100 {
                kinds.push(ImplausibleKind::Negatives { negatives, count });
            }
        }
        if let Some(bandwidth) = &result.bandwidth {
            let (rate, link) = (bandwidth.rate(), self.bottleneck(flow).link);
            // A packet counts when it has arrived, so one may have begun before.
            let begun = u64::from(self.mtu(flow).get());
            let time = bandwidth.to.saturating_sub(bandwidth.from);
            let whole = bandwidth.bytes.get().saturating_sub(begun);
            if BitRate::over(Bytes::new(whole), time) > link {
                kinds.push(ImplausibleKind::Bandwidth { rate, link });
            }
        }
        let causes = if kinds.is_empty() { Vec::new() } else { self.causes(flow) };
        let of_kind = |kind| Implausible { flow: flow.name.clone(), kind, causes: causes.clone() };
        kinds.into_iter().map(of_kind).collect()
    }

    /// Returns the reasons for which RPerf's round trips are too short.
    fn causes(&self, flow: &Flow) -> Vec<Cause> {
        let Method::RPerf(traffic) = &flow.method else { return Vec::new() };
        let mtu = self.mtu(flow).get();
        let is_longer = traffic.bytes > mtu;
        // What is taken away too little makes no round trip too short.
        let loopback = self.loopback_bias(flow).filter(|bias| bias.too_much);
        let least = self.least_round_trip(flow);
        let causes = [
            is_longer.then_some(Cause::Mtu(Bytes::new(mtu.into()))),
            loopback.map(Cause::Loopback),
            self.late_start(flow).map(Cause::Start),
            (least < METHOD_ERROR).then_some(Cause::Short(least)),
        ];
        causes.into_iter().flatten().collect()
    }

    /// Returns the time by which the loopback's packet starts after the wire's, which RPerf takes away
    /// too much; `None` up to 10 ns, the error of the method itself.
    pub fn late_start(&self, flow: &Flow) -> Option<Time> {
        let Method::RPerf(_) = &flow.method else { return None };
        let device = self.device_of(flow.from);
        Some(device.issue_gap.max(device.doorbell_gap)).filter(|&gap| gap > LEAST_BIAS)
    }

    /// Returns the delay of cables and switches between the two hosts, both ways.
    pub(super) fn least_round_trip(&self, flow: &Flow) -> Time {
        let hosts = self.fabric.hosts();
        let path = self.routes.path(&self.fabric, hosts[flow.from], hosts[flow.to]);
        let delays = path.iter().filter_map(|&port| Some(self.fabric.peer(port)?.1.delay));
        let cables = delays.fold(Time::ZERO, |sum, delay| sum + delay);
        let latency = |port: &Port| self.models.switch_of(port.node).latency;
        let switches = path.iter().skip(1).map(latency).fold(Time::ZERO, |sum, delay| sum + delay);
        (cables + switches) * 2
    }

    /// Returns the bias of an RPerf flow by its loopback; `None` below 10 ns. Where a later link is
    /// slower than the first, its time is the fabric's.
    pub fn loopback_bias(&self, flow: &Flow) -> Option<LoopbackBias> {
        let Method::RPerf(traffic) = &flow.method else { return None };
        let loopback = self.device_of(flow.from).loopback_rate;
        let [own, peer] = [flow.from, flow.to].map(|host| {
            let port = self.fabric.host_port(self.fabric.hosts()[host]);
            self.fabric.peer(port).map_or(loopback, |(_, link)| link.rate)
        });
        let message = Bytes::new(wire_bytes(traffic.bytes, self.mtu(flow).get()));
        let ack = Bytes::new(packet_bytes(PacketKind::Ack, Segment::only(0)).into());
        let by_links = own.time_for(message) + peer.time_for(ack);
        let by_loopback = loopback.time_for(message) + loopback.time_for(ack);
        let error = by_loopback.max(by_links) - by_loopback.min(by_links);
        let link = if own == loopback { peer } else { own };
        let (bytes, too_much) = (Bytes::new(traffic.bytes.into()), by_loopback > by_links);
        (error >= LEAST_BIAS).then_some(LoopbackBias { loopback, link, bytes, error, too_much })
    }
}

/// Returns the bytes on the wire of a SEND.
fn wire_bytes(bytes: u32, mtu: u32) -> u64 {
    let packet = |payload| u64::from(packet_bytes(PacketKind::Send, Segment::only(payload)));
    let (full, rest) = (bytes / mtu, bytes % mtu);
    let last = if rest > 0 || full == 0 { packet(rest) } else { 0 };
    u64::from(full) * packet(mtu) + last
}

impl fmt::Display for Implausible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.flow)?;
        match &self.kind {
            ImplausibleKind::Median { ns, least } => write!(
                f,
                "the median round trip of {ns:.0} ns is below the {least} of cables and switches"
            )?,
            ImplausibleKind::Negatives { negatives, count } => {
                write!(f, "{negatives} of {count} round trips are below zero")?;
            }
            ImplausibleKind::Bandwidth { rate, link } => {
                write!(
                    f,
                    "{:.2} Gbps of payload are more than the link of {link}",
                    rate.as_gbps_f64()
                )?;
            }
        }
        f.write_str(": the method does not hold here")?;
        self.causes.iter().try_for_each(|cause| write!(f, ". {cause}"))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Mtu(mtu) => write!(f, "RPerf is for messages of one packet, of up to {mtu}"),
            Cause::Loopback(bias) => bias.fmt(f),
            Cause::Start(gap) => write!(
                f,
                "RPerf takes {gap} too much away, since the loopback's packet starts so much later than \
                 the wire's (`issue-gap`, `doorbell-gap`)"
            ),
            Cause::Short(least) => write!(
                f,
                "Cables and switches take {least} both ways, and RPerf is off by up to {METHOD_ERROR}: \
                 a program handles one completion after the other (`cpu-completion`)"
            ),
        }
    }
}

impl fmt::Display for LoopbackBias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoopbackBias { loopback, link, bytes, error, too_much } = self;
        let speed = if loopback < link { "slower" } else { "faster" };
        let amount = if *too_much { "much" } else { "little" };
        write!(
            f,
            "The loopback of {loopback} is {speed} than the link of {link}: RPerf takes {:.0} ns too \
             {amount} away at {bytes}",
            error.as_ns_f64()
        )
    }
}
