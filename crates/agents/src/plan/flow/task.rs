//! The task of a `[[flow]]`: its method and parameters.

use super::super::method::FlowMethod;
use super::{FlowSpec, method_or_from};
use crate::{CLIENTS, PUT_EVERY, WORKERS, default_bytes, default_depth, default_inline};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_scenario::infiniband::{MethodName, OpcodeName};
use bandwise_scenario::values::{Given, within};
use bandwise_session::{KeyValue, Method, Operation, Part, Task};
use bandwise_units::Bytes;
use toml::Spanned;

/// The largest message of a task.
const LARGEST: Bytes = Bytes::from_kib(1 << 20);

impl FlowSpec {
    pub(super) fn method(
        &self,
        source: &Source,
        name: &Spanned<FlowMethod>,
    ) -> Result<Method, InputError> {
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
                let message = format!("{} has one opcode only", name.get_ref());
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
                let default = match self.transport() {
                    Transport::Rc => Operation::Write,
                    Transport::Ud => Operation::Send,
                };
                Ok(Method::Bulk(operation.unwrap_or(default)))
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

    pub(super) fn task(&self, source: &Source, method: Method) -> Result<Task, InputError> {
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
                        format!("`{key}` does not apply to one message at a time")
                    }
                    _ => format!("`{key}` does not apply to {name}"),
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
            None if transport == Transport::Ud => default_bytes(method).min(mtu.get()),
            None => default_bytes(method),
        };
        let ranged = "within its range, by the line above or the constant";
        let task = Task {
            method,
            transport,
            bytes: bytes.try_into().expect(ranged),
            inline: number("inline", &self.inline, default_inline(method), 0, 4096)?
                .try_into()
                .expect(ranged),
            queue_pairs: number("qps", &self.qps, 1, 1, 1024)?.try_into().expect(ranged),
            threads: 1.try_into().expect(ranged),
            depth: number("depth", &self.depth, default_depth(method), 1, 16384)?
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
}
