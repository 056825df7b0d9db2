//! `[[flow]]`: flows as people say them, with the names of hosts.

use super::method::FlowMethod;
use super::spec::DURATIONS;
use super::{Flow, Host, Role, Span};
use crate::{CLIENTS, PUT_EVERY, THINK, WORKERS, usual_bytes, usual_depth, usual_inline};
use bandwise_input::{InputError, Source};
use bandwise_netsim::host::Notify;
use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_scenario::values::{Given, number, text, within};
use bandwise_scenario::{MethodName, OpcodeName, Senders};
use bandwise_units::{Bytes, Time};
use bandwise_verbs::session::{KeyValue, Method, Operation, Part, Task};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// A flow for each pair of different hosts of `from` and `to`: one to one, many to one, one to many, or all to all.
///
/// ```toml
/// [[flow]]
/// name = "lsg"             # if not given, the method; with lists, "NAME FROM->TO"
/// from = "a"               # who measures, or a list
/// to = "b"                 # who answers, or a list
/// method = "rperf"         # or "ping-pong", "post-poll", "closed-loop", "bulk", "key-value"
/// role = "lsg"             # or "bsg", bulk's if not given; closed-loop can be either
/// opcode = "send"          # or "write", "write-imm", "read", "atomic", as far as the method takes it
/// transport = "rc"         # or "ud"
/// completion = "poll"      # or "event": both sides sleep until a completion wakes them
/// bytes = "64 B"           # of a message; for bulk "64 KiB", for an atomic "8 B", of a value "32 B"
/// inline = 0               # the largest payload inside a WQE, bytes
/// mtu = 4096               # the largest payload of a packet, where both ports take it
/// sl = 0                   # service level; on Ethernet the priority
/// traffic-class = 0        # on IP the byte with DSCP and ECN
/// qps = 1                  # queue pairs, with bulk
/// depth = 128              # messages posted at a time to each, with bulk; with closed-loop requests under way (1);
///                          # with key-value those that a client has under way (4)
/// clients = 4              # with key-value: threads of `from` that ask
/// workers = 4              # with key-value: threads of `to` that answer
/// put-every = 20           # with key-value: one request in this many is a PUT; 0 for none
/// think = "600 ns"         # the longest pause after a message, with all but bulk (drawn uniformly); with key-value
///                          # after an answer ("0 s")
/// start = "0 s"            # when it begins, from the start of the run
/// stop = "5 s"             # when it ends; if not given, after `duration`
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct FlowSpec {
    #[serde(default)]
    name: Option<Spanned<String>>,
    from: Senders,
    to: Senders,
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

/// The longest pause.
const LONGEST_THINK: Time = Time::from_ms(1_000);

/// The largest message (a task has no larger one).
const LARGEST: Bytes = Bytes::from_kib(1 << 20);

impl FlowSpec {
    /// The flows, with other names than those `before`.
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

    /// Where it is named, or begins.
    fn place(&self) -> Range<usize> {
        self.name.as_ref().map_or_else(|| method_or_from(self), Spanned::span)
    }

    fn method(&self, source: &Source, name: &Spanned<FlowMethod>) -> Result<Method, InputError> {
        let operation = self.opcode.as_ref().map(|given| match given.get_ref() {
            OpcodeName::Send => Operation::Send,
            OpcodeName::Write => Operation::Write,
            OpcodeName::WriteImm => Operation::WriteImm,
            OpcodeName::Read => Operation::Read,
            OpcodeName::Atomic => Operation::Atomic,
        });
        let only = |method, allowed: Option<(Operation, &str)>| match (operation, &self.opcode) {
            (Some(given), Some(place))
                if Some(given) != allowed.map(|(operation, _)| operation) =>
            {
                let message = format!("{} moves its messages in one way alone", name.get_ref());
                let allowed = allowed.map(|(_, word)| format!("opcode = \"{word}\""));
                let allowed = allowed.unwrap_or_else(|| "no opcode".to_owned());
                Err(source.error(place.span(), message).allowed(allowed))
            }
            _ => Ok(method),
        };
        let simple = match name.get_ref() {
            FlowMethod::KeyValue => return only(Method::KeyValue(self.store(source)?), None),
            FlowMethod::Simple(simple) => simple,
        };
        match simple {
            MethodName::Rperf => only(Method::Rperf, Some((Operation::Send, "send"))),
            MethodName::PostPoll => only(Method::PostPoll, Some((Operation::Write, "write"))),
            MethodName::PingPong => Ok(Method::PingPong(operation.unwrap_or(Operation::Send))),
            MethodName::ClosedLoop => Ok(Method::ClosedLoop(operation.unwrap_or(Operation::Send))),
            MethodName::Bulk => {
                let usual = match self.transport() {
                    Transport::Rc => Operation::Write,
                    Transport::Ud => Operation::Send,
                };
                Ok(Method::Bulk(operation.unwrap_or(usual)))
            }
        }
    }

    fn store(&self, source: &Source) -> Result<KeyValue, InputError> {
        let number = |key, given: &Given<u64>, or: u32, range| match given {
            Some(given) => within(source, key, given, range).map(|number| number as u32),
            None => Ok(or),
        };
        let ranged = "within its range, by the lines above";
        let threads = |key, given, or| {
            let number = number(key, given, or, 1..=64)?;
            Ok(number.try_into().expect(ranged))
        };
        Ok(KeyValue {
            clients: threads("clients", &self.clients, CLIENTS)?,
            workers: threads("workers", &self.workers, WORKERS)?,
            put_every: number("put-every", &self.put_every, PUT_EVERY, 0..=1_000_000)?,
        })
    }

    fn transport(&self) -> Transport {
        self.transport.as_ref().map_or(Transport::Rc, |given| *given.get_ref())
    }

    fn task(&self, source: &Source, method: Method) -> Result<Task, InputError> {
        let is_bulk = matches!(method, Method::Bulk(_));
        let is_store = matches!(method, Method::KeyValue(_));
        for (key, given, is_used, allowed) in [
            ("qps", &self.qps, is_bulk, "with method = \"bulk\""),
            (
                "depth",
                &self.depth,
                is_bulk || is_store || matches!(method, Method::ClosedLoop(_)),
                "with method = \"bulk\", \"closed-loop\" or \"key-value\"",
            ),
            ("clients", &self.clients, is_store, "with method = \"key-value\""),
            ("workers", &self.workers, is_store, "with method = \"key-value\""),
            ("put-every", &self.put_every, is_store, "with method = \"key-value\""),
        ] {
            if let Some(given) = given.as_ref().filter(|_| !is_used) {
                let name = FlowMethod::of(method);
                let message = match key {
                    "qps" | "depth" if !is_store => {
                        format!("`{key}` says nothing about one message at a time")
                    }
                    _ => format!("`{key}` says nothing about {name}"),
                };
                return Err(source.error(given.span(), message).allowed(allowed));
            }
        }
        let number = |key, given: &Given<u64>, or: u32, least: u64, most: u64| match given {
            Some(given) => within(source, key, given, least..=most).map(|number| number as u32),
            None => Ok(or),
        };
        let mtu = match &self.mtu {
            None => Mtu::MAX,
            Some(given) => {
                let bytes = u32::try_from(*given.get_ref()).unwrap_or(u32::MAX);
                Mtu::try_from(bytes).map_err(|_| {
                    let message = format!("an MTU of {bytes} bytes does not exist");
                    source.error(given.span(), message).allowed("256, 512, 1024, 2048 or 4096")
                })?
            }
        };
        let transport = self.transport();
        let bytes = match &self.bytes {
            Some(given) => {
                let least = if is_bulk || is_store { Bytes::new(1) } else { Bytes::ZERO };
                let most = if is_store { Bytes::new(KeyValue::MOST.into()) } else { LARGEST };
                within(source, "bytes", given, least..=most)?.get() as u32
            }
            None if transport == Transport::Ud => usual_bytes(method).min(mtu.get()),
            None => usual_bytes(method),
        };
        let ranged = "within its range, by the line above or the constant";
        let task = Task {
            method,
            transport,
            bytes: bytes.try_into().expect(ranged),
            inline: number("inline", &self.inline, usual_inline(method), 0, 4096)?
                .try_into()
                .expect(ranged),
            queue_pairs: number("qps", &self.qps, 1, 1, 1024)?.try_into().expect(ranged),
            threads: 1.try_into().expect(ranged),
            depth: number("depth", &self.depth, usual_depth(method), 1, 16384)?
                .try_into()
                .expect(ranged),
            mtu,
            sl: number("sl", &self.sl, 0, 0, 15)?.try_into().expect(ranged),
            traffic_class: number("traffic-class", &self.traffic_class, 0, 0, 255)?
                .try_into()
                .expect(ranged),
            manager: false,
            events: self.completion.as_ref().is_some_and(|how| *how.get_ref() == Notify::Event),
        };
        let most = match method {
            _ if transport == Transport::Ud => mtu.get(),
            Method::KeyValue(_) => KeyValue::MOST - (Mtu::MAX.get() - mtu.get()),
            _ => u32::MAX,
        };
        if bytes > most {
            let message = format!("a datagram of {bytes} B does not fit the MTU of {mtu}");
            let at = self.bytes.as_ref().map_or_else(|| self.place(), Spanned::span);
            return Err(source.error(at, message).allowed(format!("up to {most}")));
        }
        match task.plan(Part::Client) {
            Ok(_) => Ok(task),
            Err(error) => {
                let error = source.error(method_or_from(self), error.to_string());
                Err(error.allowed(match is_store {
                    true => "fewer clients or workers, less depth, transport = \"rc\"",
                    false => "another method, opcode, transport, bytes, qps or depth",
                }))
            }
        }
    }

    fn role(&self, source: &Source, method: Method) -> Result<Role, InputError> {
        let usual = if matches!(method, Method::Bulk(_)) { Role::Bsg } else { Role::Lsg };
        let Some(given) = &self.role else { return Ok(usual) };
        let role = match given.get_ref().as_str() {
            "lsg" => Role::Lsg,
            "bsg" => Role::Bsg,
            other => {
                let error = source.error(given.span(), format!("unknown role {other:?}"));
                return Err(error.allowed("lsg or bsg"));
            }
        };
        if role == usual || matches!(method, Method::ClosedLoop(_)) {
            return Ok(role);
        }
        let (message, allowed) = match usual {
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
            None => Ok(THINK),
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
                source.error(self.place(), "it would not last").allowed("a longer duration")
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
        Senders::One(name) => name.span(),
        Senders::Each(names) => names.span(),
    };
    spec.method.as_ref().map_or_else(from, Spanned::span)
}

/// The places of hosts in the plan's list.
fn places(source: &Source, hosts: &[Host], names: &Senders) -> Result<Vec<usize>, InputError> {
    let place = |name: &Spanned<String>| {
        let found = hosts.iter().position(|host| host.name == *name.get_ref());
        found.ok_or_else(|| {
            let error = source.error(name.span(), format!("there is no host {:?}", name.get_ref()));
            let known: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).take(9).collect();
            error.allowed(match known.len() {
                0 => "[[host]] with that name and the address of its agent".to_owned(),
                _ => known.join(", "),
            })
        })
    };
    let list = match names {
        Senders::One(name) => return Ok(vec![place(name)?]),
        Senders::Each(list) => list,
    };
    let mut found = Vec::new();
    for name in list.get_ref() {
        let host = place(name)?;
        if found.contains(&host) {
            let message = format!("{:?} stands there twice", name.get_ref());
            return Err(source.error(name.span(), message).allowed("each host once"));
        }
        found.push(host);
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err(source.error(list.span(), "the list is empty").allowed("one host or more")),
    }
}
