//! [`FlowRequest`]: a flow by the names of its hosts, with defaults for all optional keys.

mod error;
mod method;
mod names;
mod turns;

pub use error::{FlowError, FlowKey};
pub use names::{MethodName, OpcodeName};

pub(super) use method::check;

use super::Flow;
use crate::reader::nodes;
use bandwise_netsim::infiniband::Models;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::Transport;
use bandwise_topology::Fabric;
use bandwise_units::{BitRate, Bytes, Time};
use std::collections::BTreeSet;

/// A flow, or one flow from each of several senders, as a file or a command line states it.
///
/// Keys have the meaning, defaults and ranges of `[[flow]]` in a scenario file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRequest {
    /// Name in results; with several senders, the first part of each name.
    pub name: Option<String>,
    /// Sending hosts.
    pub from: Senders,
    /// Receiving host.
    pub to: String,
    /// Method.
    pub method: MethodName,
    /// Payload of a message.
    pub bytes: Option<Bytes>,
    /// Service level, 0 to 15.
    pub sl: Option<u64>,
    /// Largest number of latency samples.
    pub samples: Option<u64>,
    /// Rounds before the first sample.
    pub warmup_rounds: Option<u64>,
    /// Longest pause between rounds. By default it spans several turns of the bulk flows of the
    /// scenario, so that a probe meets every phase of them.
    pub think: Option<Time>,
    /// Method by which programs learn of completions.
    pub completion: Option<Notify>,
    /// Transport service.
    pub transport: Option<Transport>,
    /// Operation of closed-loop and bulk flows.
    pub opcode: Option<OpcodeName>,
    /// Registered send buffer.
    pub buffer: Option<Bytes>,
    /// Messages per doorbell.
    pub batch: Option<u64>,
    /// Most outstanding messages on each queue pair.
    pub depth: Option<u64>,
    /// Most outstanding READs and atomics of a queue pair.
    pub max_rd_atomic: Option<u64>,
    /// Queue pairs.
    pub qps: Option<u64>,
    /// Highest payload rate.
    pub rate: Option<BitRate>,
    /// Start, in simulated time.
    pub start: Option<Time>,
    /// Time after which the program posts no more messages.
    pub stop: Option<Time>,
}

/// The sending hosts of a [`FlowRequest`], by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Senders {
    /// A single host.
    One(String),
    /// Several hosts with a flow each.
    Each(Vec<String>),
}

impl Senders {
    /// Returns the names in order.
    pub fn names(&self) -> &[String] {
        match self {
            Senders::One(name) => std::slice::from_ref(name),
            Senders::Each(names) => names,
        }
    }
}

impl FlowRequest {
    /// Returns a request without optional keys.
    pub fn new(from: Senders, to: impl Into<String>, method: MethodName) -> Self {
        FlowRequest {
            name: None,
            from,
            to: to.into(),
            method,
            bytes: None,
            sl: None,
            samples: None,
            warmup_rounds: None,
            think: None,
            completion: None,
            transport: None,
            opcode: None,
            buffer: None,
            batch: None,
            depth: None,
            max_rd_atomic: None,
            qps: None,
            rate: None,
            start: None,
            stop: None,
        }
    }

    /// Returns the number of bulk flows.
    pub(super) fn bulk_flows(&self) -> usize {
        if self.method == MethodName::Bulk { self.from.names().len() } else { 0 }
    }

    /// Returns the optional keys that only some methods use, and whether each is given.
    fn optional_keys(&self) -> [(FlowKey, bool); 13] {
        [
            (FlowKey::Samples, self.samples.is_some()),
            (FlowKey::WarmupRounds, self.warmup_rounds.is_some()),
            (FlowKey::Think, self.think.is_some()),
            (FlowKey::Transport, self.transport.is_some()),
            (FlowKey::Opcode, self.opcode.is_some()),
            (FlowKey::Buffer, self.buffer.is_some()),
            (FlowKey::Batch, self.batch.is_some()),
            (FlowKey::Depth, self.depth.is_some()),
            (FlowKey::MaxRdAtomic, self.max_rd_atomic.is_some()),
            (FlowKey::Qps, self.qps.is_some()),
            (FlowKey::Rate, self.rate.is_some()),
            (FlowKey::Start, self.start.is_some()),
            (FlowKey::Stop, self.stop.is_some()),
        ]
    }

    /// Returns the flows of this request, one per sender, on a fabric with hosts of these models,
    /// beside `bulk` bulk flows.
    pub(super) fn flows(
        &self,
        fabric: &Fabric,
        models: &Models,
        bulk: usize,
    ) -> Result<Vec<Flow>, FlowError> {
        method::check_keys(self)?;
        let notify = self.completion.unwrap_or(Notify::Poll);
        let sl = self.service_level()?;
        let find = |key, name: &str| {
            nodes::host(fabric, name)
                .map_err(|(message, allowed)| FlowError::new(key, message).allowed(allowed))
        };
        let to = find(FlowKey::To, &self.to)?;
        if self.from.names().is_empty() {
            let error = FlowError::new(FlowKey::From, "no host sends");
            return Err(error.allowed("the names of one or more hosts"));
        }
        let mut flows = Vec::with_capacity(self.from.names().len());
        let mut seen = BTreeSet::new();
        for (number, sender) in self.from.names().iter().enumerate() {
            let at = |error: FlowError| FlowError { sender: number, ..error };
            let from = find(FlowKey::Sender, sender).map_err(at)?;
            if !seen.insert(from) {
                let message = format!("{sender:?} is among the senders twice");
                return Err(at(
                    FlowError::new(FlowKey::Sender, message).allowed("each sender once")
                ));
            }
            let [device, receiver] = [from, to].map(|host| models.device_of(fabric.hosts()[host]));
            let mtu = device.mtu.min(receiver.mtu);
            let (mut method, transport) = method::method(self, mtu, device.bulk_buffer())?;
            if self.think.is_none() {
                method.span_turns(fabric, to, mtu, bulk);
            }
            let max_rd_atomic = method::max_rd_atomic(self, &method)?;
            let name = self.name(sender);
            let flow = Flow { name, from, to, sl, transport, max_rd_atomic, notify, method };
            flows.push(flow);
        }
        Ok(flows)
    }

    /// Returns the service level.
    fn service_level(&self) -> Result<Sl, FlowError> {
        let number = self.sl.unwrap_or(0);
        let level = u8::try_from(number).ok().and_then(|n| Sl::try_from(n).ok());
        level.ok_or_else(|| {
            FlowError::new(FlowKey::Sl, format!("sl can't be {number}")).allowed("0 to 15")
        })
    }

    /// Returns the name of the flow of a sender.
    fn name(&self, sender: &str) -> String {
        let path = || format!("{sender}->{}", self.to);
        match (&self.name, &self.from) {
            (None, _) => format!("{} {}", self.method, path()),
            (Some(name), Senders::One(_)) => name.clone(),
            (Some(name), Senders::Each(_)) => format!("{name} {}", path()),
        }
    }
}
