//! [`MethodLimit`]: what limits the meaning of a latency, for the line beside the number.

use super::{Cause, Flow, FlowResult, InfinibandResults, InfinibandScenario, LoopbackBias, Method};
use bandwise_rdma::verbs::Opcode;
use bandwise_units::{Bytes, Time};
use std::fmt;

/// A limit of a latency that a flow measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MethodLimit {
    /// RPerf takes away too much or too little, since the loopback is not as fast as the link.
    Loopback(LoopbackBias),
    /// The loopback's packet starts this long after the wire's, and RPerf takes so much too much away.
    Start(Time),
    /// RPerf's message is longer than a packet: its packets and those of the loopback take turns in
    /// PCIe and the RNIC, and the difference of their completions is not the time of the fabric.
    Turns {
        /// The payload of a message.
        bytes: Bytes,
        /// The path MTU.
        mtu: Bytes,
        /// The median, and the true one, ns.
        medians: Option<(f64, f64)>,
    },
    /// The latency of a WRITE holds `dma-flush`, which is fitted.
    Flush {
        /// The time.
        flush: Time,
        /// The median without it, ns; `None` with several requests in flight, which overlap, or
        /// beside other flows.
        without: Option<f64>,
    },
}

impl InfinibandScenario {
    /// Returns the limits of the measured latencies, by flow.
    pub fn method_limits(&self, results: &InfinibandResults) -> Vec<MethodLimit> {
        let flows = self.flows.iter().zip(&results.flows);
        flows.flat_map(|(flow, result)| self.limits_of(flow, result)).collect()
    }

    fn limits_of(&self, flow: &Flow, result: &FlowResult) -> Vec<MethodLimit> {
        let loopback = self.loopback_bias(flow).map(MethodLimit::Loopback);
        let start = self.late_start(flow).map(MethodLimit::Start);
        let limits = [loopback, start, self.turns(flow, result), self.flush(flow, result)];
        limits.into_iter().flatten().collect()
    }

    fn turns(&self, flow: &Flow, result: &FlowResult) -> Option<MethodLimit> {
        let Method::RPerf(traffic) = &flow.method else { return None };
        let (bytes, mtu) = (traffic.bytes, self.mtu(flow).get());
        let latency = result.latency.as_ref();
        let medians = latency.and_then(|l| Some((l.measured.p50_ns, l.truth?.p50_ns)));
        let (of, mtu) = (Bytes::new(bytes.into()), Bytes::new(mtu.into()));
        (of > mtu).then_some(MethodLimit::Turns { bytes: of, mtu, medians })
    }

    fn flush(&self, flow: &Flow, result: &FlowResult) -> Option<MethodLimit> {
        let latency = result.latency.as_ref()?;
        let device = self.device_of(flow.to);
        let flush = device.dma_flush;
        let is_fitted = flush == device.of_preset().model().dma_flush && flush > Time::ZERO;
        // Beside other flows, their windows fill the switch in place of the wait.
        let overlaps =
            matches!(flow.method, Method::ClosedLoop { depth: 2.., .. }) || self.flows.len() > 1;
        let without = (!overlaps).then_some(latency.measured.p50_ns - flush.as_ns_f64());
        let is_write = matches!(flow.method.opcode(), Opcode::Write | Opcode::WriteImm);
        (is_fitted && is_write).then_some(MethodLimit::Flush { flush, without })
    }
}

impl fmt::Display for MethodLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MethodLimit::Loopback(bias) => write!(f, "{bias}."),
            MethodLimit::Start(gap) => write!(f, "{}.", Cause::Start(*gap)),
            MethodLimit::Turns { bytes, mtu, medians } => {
                write!(
                    f,
                    "RPerf is for messages of one packet, of up to {mtu}. The packets of {bytes} take turns \
                     with those of the loopback in PCIe and RNIC, and the difference is not the \
                     time of the fabric"
                )?;
                match medians {
                    Some((ns, truth)) => {
                        write!(f, ": {ns:.0} ns at the median in place of {truth:.0} ns.")
                    }
                    None => f.write_str("."),
                }
            }
            MethodLimit::Flush { flush, without } => {
                write!(
                    f,
                    "The latency of a WRITE holds {flush} of `dma-flush`, which is fitted to one \
                     testbed (RPerf paper, figure 6) and measured on no other host"
                )?;
                match without {
                    Some(ns) => write!(f, ": without it, the median is {ns:.0} ns."),
                    None => f.write_str("."),
                }
            }
        }
    }
}
