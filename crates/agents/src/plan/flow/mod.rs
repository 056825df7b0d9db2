//! [`FlowSpec`]: a `[[flow]]` table, with the names of hosts.

mod places;
mod task;

use super::method::FlowMethod;
use super::{Flow, Host, LONGEST_RUN, LONGEST_THINK, Role, Span};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::Transport;
use bandwise_rperf::defaults;
use bandwise_scenario::infiniband::OpcodeName;
use bandwise_scenario::values::{Given, HostNames, number, text, within};
use bandwise_session::Method;
use bandwise_units::{Bytes, Time};
use places::places;
use serde::Deserialize;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// A flow for each pair of different hosts of `from` and `to`: one to one, many to one, one to many, or all to all.
///
/// ```toml
/// [[flow]]
/// name = "lsg"             # default: the method; with lists, "NAME FROM->TO"
/// from = "a"               # the measuring host, or a list
/// to = "b"                 # the responding host, or a list
/// method = "rperf"         # or "ping-pong", "post-poll", "closed-loop", "bulk", "key-value"
/// role = "lsg"             # or "bsg", the default of bulk; closed-loop can be either
/// opcode = "send"          # or "write", "write-imm", "read", "atomic", if the method takes it
/// transport = "rc"         # or "ud"
/// completion = "poll"      # busy polling; or "event": both sides sleep until a completion wakes them
/// bytes = "64 B"           # of a message; default of bulk "64 KiB", of atomics "8 B", of values "32 B"
/// inline = 0               # the largest payload inside a WQE, bytes
/// mtu = 4096               # the largest payload of a packet, if both ports take it
/// sl = 0                   # service level; on Ethernet the priority
/// traffic-class = 0        # on IP the byte with DSCP and ECN
/// qps = 1                  # queue pairs, with bulk
/// depth = 128              # outstanding messages of a queue pair, with bulk; with closed-loop outstanding requests
///                          # (1), with key-value those of a client (4)
/// clients = 4              # with key-value: requesting threads of `from`
/// workers = 4              # with key-value: responding threads of `to`
/// put-every = 20           # with key-value: one request in this many is a PUT; 0 for none
/// think = "600 ns"         # the longest pause after a message (uniformly distributed), not with bulk; with
///                          # key-value after a response ("0 s")
/// start = "0 s"            # start of the flow, from the start of the run
/// stop = "5 s"             # end of the flow; default: after `duration`
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct FlowSpec {
    #[serde(default)]
    name: Option<Spanned<String>>,
    from: HostNames,
    to: HostNames,
    #[serde(default, deserialize_with = "text")]
    method: Given<FlowMethod>,
    #[serde(default)]
    role: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "text")]
    opcode: Given<OpcodeName>,
    #[serde(default, deserialize_with = "text")]
    transport: Given<Transport>,
    #[serde(default, deserialize_with = "text")]
    completion: Given<Notify>,
    #[serde(default, deserialize_with = "text")]
    bytes: Given<Bytes>,
    #[serde(default, deserialize_with = "number")]
    inline: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    mtu: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    sl: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    traffic_class: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    qps: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    depth: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    clients: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    workers: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    put_every: Given<u64>,
    #[serde(default, deserialize_with = "text")]
    think: Given<Time>,
    #[serde(default, deserialize_with = "text")]
    start: Given<Time>,
    #[serde(default, deserialize_with = "text")]
    stop: Given<Time>,
}

/// The allowed durations of a flow.
pub(super) const DURATIONS: RangeInclusive<Time> = Time::from_ms(10)..=LONGEST_RUN;

impl FlowSpec {
    /// Returns the flows. Their names differ from those `before`.
    pub(super) fn resolve(
        &self,
        source: &Source,
        hosts: &[Host],
        duration: Time,
        before: &[Flow],
    ) -> Result<Vec<Flow>, InputError> {
        let at = method_or_from(self);
        let Some(method) = &self.method else {
            let error = source.error(at, "missing field `method`");
            return Err(error.allowed("method = \"rperf\" or another in this table"));
        };
        let method = self.method(source, method)?;
        let task = self.task(source, method)?;
        let role = self.role(source, method)?;
        let active = self.active(source, duration)?;
        let think = self.think(source, method)?;
        let (from, to) = (places(source, hosts, &self.from)?, places(source, hosts, &self.to)?);
        let base = self
            .name
            .as_ref()
            .map_or(FlowMethod::of(method).as_str(), |name| name.get_ref().as_str());
        let one = from.len() == 1 && to.len() == 1;
        let mut flows: Vec<Flow> = Vec::new();
        for &from in &from {
            for &to in to.iter().filter(|&&to| to != from) {
                let pair = format!("{}->{}", hosts[from].name, hosts[to].name);
                let name = match (&self.name, one) {
                    (Some(name), true) => name.get_ref().clone(),
                    _ => format!("{base} {pair}"),
                };
                if before.iter().chain(&flows).any(|flow| flow.name == name) {
                    let error = source.error(self.place(), format!("there are two flows {name:?}"));
                    return Err(error.allowed("a `name` of its own"));
                }
                flows.push(Flow { name, from, to, role, task, think, active });
            }
        }
        if flows.is_empty() {
            let error = source.error(at, "a host can't measure with itself");
            return Err(error.allowed("another host in `to` than in `from`"));
        }
        Ok(flows)
    }

    /// Returns the span of the name, or of the first key.
    fn place(&self) -> Range<usize> {
        self.name.as_ref().map_or_else(|| method_or_from(self), Spanned::span)
    }

    fn role(&self, source: &Source, method: Method) -> Result<Role, InputError> {
        let default = if matches!(method, Method::Bulk(_)) { Role::Bsg } else { Role::Lsg };
        let Some(given) = &self.role else { return Ok(default) };
        let role = match given.get_ref().as_str() {
            "lsg" => Role::Lsg,
            "bsg" => Role::Bsg,
            other => {
                let error = source.error(given.span(), format!("unknown role {other:?}"));
                return Err(error.allowed("lsg or bsg"));
            }
        };
        if role == default || matches!(method, Method::ClosedLoop(_)) {
            return Ok(role);
        }
        let (message, allowed) = match default {
            Role::Bsg => ("bulk traffic measures no latency", "role = \"bsg\", or another method"),
            Role::Lsg => {
                ("this method takes no bandwidth", "role = \"lsg\", or bulk or closed-loop")
            }
        };
        Err(source.error(given.span(), message).allowed(allowed))
    }

    fn think(&self, source: &Source, method: Method) -> Result<Time, InputError> {
        match &self.think {
            None if matches!(method, Method::KeyValue(_)) => Ok(Time::ZERO),
            None => Ok(defaults::THINK),
            Some(given) if matches!(method, Method::Bulk(_)) => {
                let error = source.error(given.span(), "bulk traffic does not pause");
                Err(error.allowed("`think` with all other methods"))
            }
            Some(given) => within(source, "think", given, Time::ZERO..=LONGEST_THINK),
        }
    }

    fn active(&self, source: &Source, duration: Time) -> Result<Span, InputError> {
        let longest = *DURATIONS.end();
        let start = match &self.start {
            Some(given) => within(source, "start", given, Time::ZERO..=longest)?,
            None => Time::ZERO,
        };
        match &self.stop {
            None => Span::new(start, start + duration).map_err(|_| {
                source.error(self.place(), "the flow has no duration").allowed("a longer duration")
            }),
            Some(given) => {
                let stop = within(source, "stop", given, *DURATIONS.start()..=longest)?;
                Span::new(start, stop).map_err(|_| {
                    let message = format!("stop at {stop} is not after its start at {start}");
                    source.error(given.span(), message).allowed("a later stop")
                })
            }
        }
    }
}

fn method_or_from(spec: &FlowSpec) -> Range<usize> {
    let from = || match &spec.from {
        HostNames::One(name) => name.span(),
        HostNames::Each(names) => names.span(),
    };
    spec.method.as_ref().map_or_else(from, Spanned::span)
}
