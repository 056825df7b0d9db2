//! From a [`FlowSpec`] to [`Flow`]s of a scenario: everything about them that depends on the
//! fabric, its tables and the flows that are there already.

use super::flow::{FlowSpec, Senders};
use super::{lanes, method};
use crate::infiniband::{Flow, InfinibandScenario, Method};
use crate::reader::nodes;
use crate::reader::values::place;
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::host::Notify;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::Spanned;

/// Queue pairs of one host are numbered in 16 bits.
const MOST_QPS: u32 = u16::MAX as u32;

/// What flows must not have twice or too often.
pub(super) struct Ledger {
    names: BTreeSet<String>,
    /// Queue pairs by host.
    qps: Vec<u32>,
}

impl Ledger {
    /// What the flows of the scenario have.
    pub(super) fn of(scenario: &InfinibandScenario) -> Self {
        let names = scenario.flows.iter().map(|flow| flow.name.clone()).collect();
        let mut ledger = Ledger { names, qps: vec![0; scenario.fabric.hosts().len()] };
        for flow in &scenario.flows {
            ledger.connect(flow);
        }
        ledger
    }

    /// The flows of a spec, if every one can be.
    pub(super) fn flows(
        &mut self,
        source: &Source,
        scenario: &InfinibandScenario,
        spec: &FlowSpec,
    ) -> Result<Vec<Flow>, InputError> {
        let (method, transport) = method::method(source, spec, scenario.models.device.mtu)?;
        let notify = spec.completion.as_ref().map_or(Notify::Poll, |c| *c.get_ref());
        let sl = lanes::service_level(source, spec)?;
        let to = nodes::find(source, &scenario.fabric, &spec.to)?;
        let senders = match &spec.from {
            Senders::One(name) => std::slice::from_ref(name),
            Senders::Each(names) if names.get_ref().is_empty() => {
                let error = source.error(names.span(), "no host sends");
                return Err(error.allowed("the names of one or more hosts"));
            }
            Senders::Each(names) => names.get_ref(),
        };
        let mut flows = Vec::with_capacity(senders.len());
        let mut seen = BTreeSet::new();
        for sender in senders {
            let from = nodes::find(source, &scenario.fabric, sender)?;
            if from == to {
                let message = format!("{:?} sends to itself", sender.get_ref());
                let error = source.error(sender.span(), message);
                return Err(error.allowed("two different hosts"));
            }
            if !seen.insert(from) {
                let message = format!("{:?} is among the senders twice", sender.get_ref());
                return Err(source.error(sender.span(), message).allowed("each sender once"));
            }
            let name = self.name(source, spec, sender)?;
            let flow = Flow { name, from, to, sl, transport, notify, method: method.clone() };
            lanes::check(source, scenario, spec, &flow)?;
            self.connect(&flow);
            for host in [from, to] {
                if self.qps[host] > MOST_QPS {
                    let id = scenario.fabric.hosts()[host];
                    let name = &scenario.fabric.node(id).name;
                    let message = format!("{name:?} has {} queue pairs with this", self.qps[host]);
                    let error = source.error(place(&spec.qps, sender.span()), message);
                    return Err(error.allowed(format!("up to {MOST_QPS} for each host")));
                }
            }
            flows.push(flow);
        }
        Ok(flows)
    }

    /// Enters the queue pairs of a flow. RPerf's loopback has both ends at the sender.
    fn connect(&mut self, flow: &Flow) {
        let (from, to) = match &flow.method {
            Method::RPerf(_) => (3, 1),
            Method::Bulk(bulk) => (u32::from(bulk.qps), u32::from(bulk.qps)),
            _ => (1, 1),
        };
        self.qps[flow.from] = self.qps[flow.from].saturating_add(from);
        self.qps[flow.to] = self.qps[flow.to].saturating_add(to);
    }

    fn name(
        &mut self,
        source: &Source,
        spec: &FlowSpec,
        sender: &Spanned<String>,
    ) -> Result<String, InputError> {
        let route = || format!("{}->{}", sender.get_ref(), spec.to.get_ref());
        let (name, at): (String, Range<usize>) = match (&spec.name, &spec.from) {
            (None, _) => (format!("{} {}", spec.method.get_ref(), route()), sender.span()),
            (Some(name), Senders::One(_)) => (name.get_ref().clone(), name.span()),
            (Some(name), Senders::Each(_)) => {
                (format!("{} {}", name.get_ref(), route()), name.span())
            }
        };
        if name.trim().is_empty() || name.contains(char::is_control) {
            let error = source.error(at, format!("{name:?} can't be the name of a flow"));
            return Err(error.allowed("one or more characters, none of them a control character"));
        }
        if !self.names.insert(name.clone()) {
            let error = source.error(at, format!("two flows have the name {name:?}"));
            return Err(error.allowed("a `name` that no other flow has"));
        }
        Ok(name)
    }
}
