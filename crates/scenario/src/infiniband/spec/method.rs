//! From a [`FlowSpec`] to its [`Method`].

use super::flow::{FlowSpec, MethodName};
use super::run::LONGEST;
use crate::infiniband::{BulkTraffic, LatencyTraffic, Method};
use crate::reader::values::{Given, SECOND, place, within};
use bandwise_input::{InputError, Source};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};
use toml::Spanned;

/// The largest message that queue pairs carry is twice this (IBTA 9.7.2).
const LARGEST: Bytes = Bytes::from_kib(1 << 20);

/// An atomic's operand.
const ATOMIC: Bytes = Bytes::new(8);

/// What a flow does, and over which transport.
pub(super) fn method(
    source: &Source,
    spec: &FlowSpec,
    mtu: Mtu,
) -> Result<(Method, Transport), InputError> {
    let name = *spec.method.get_ref();
    for (key, given) in spec.optional_keys() {
        if let Some(given) = given.filter(|_| !uses(name, key)) {
            let users = MethodName::ALL.into_iter().filter(|&m| uses(m, key));
            let users: Vec<&str> = users.map(MethodName::as_str).collect();
            let error = source.error(given.span(), format!("{name} does not use `{key}`"));
            return Err(error.allowed(format!("`{key}` with {}", users.join(", "))));
        }
    }
    let transport = spec.transport.as_ref().map_or(Transport::Rc, |t| *t.get_ref());
    let opcode = match &spec.opcode {
        Some(given) => Opcode::from(*given.get_ref()),
        None if name == MethodName::Bulk && transport == Transport::Rc => Opcode::Write,
        None => Opcode::Send,
    };
    if let (Transport::Ud, Some(given)) = (transport, &spec.opcode)
        && opcode != Opcode::Send
    {
        let error = source.error(given.span(), "UD carries nothing but SENDs");
        return Err(error.allowed("opcode = \"send\", or transport = \"rc\""));
    }
    let request = Request { transport, opcode, mtu };
    let latency = || latency(source, spec, request);
    let method = match name {
        MethodName::Rperf => Method::RPerf(latency()?),
        MethodName::PingPong => Method::PingPong(latency()?),
        MethodName::PostPoll => Method::PostPoll(latency()?),
        MethodName::ClosedLoop => {
            let depth = depth(source, spec, 1)?;
            Method::ClosedLoop { opcode, depth, traffic: latency()? }
        }
        MethodName::Bulk => Method::Bulk(bulk(source, spec, request)?),
    };
    Ok((method, transport))
}

/// What limits the payload of a message.
#[derive(Clone, Copy)]
struct Request {
    transport: Transport,
    opcode: Opcode,
    mtu: Mtu,
}

impl Request {
    /// The payload of a message, which is `default` where it isn't given, as far as it can be.
    fn bytes(
        self,
        source: &Source,
        spec: &FlowSpec,
        default: Bytes,
        least: Bytes,
    ) -> Result<Bytes, InputError> {
        let Some(given) = &spec.bytes else { return Ok(self.possible(default)) };
        let bytes = *given.get_ref();
        if bytes == self.possible(bytes) {
            return within(source, "bytes", given, least..=LARGEST);
        }
        let (message, allowed) = match self.opcode {
            Opcode::Atomic => (format!("no atomic has {bytes}"), format!("{ATOMIC}")),
            _ => (
                format!("a datagram of {bytes} does not fit the MTU of {}", self.mtu),
                format!("up to {}, or transport = \"rc\"", self.mtu),
            ),
        };
        Err(source.error(given.span(), message).allowed(allowed))
    }

    /// The size itself where it can be, or else one that can.
    fn possible(self, bytes: Bytes) -> Bytes {
        match (self.opcode, self.transport) {
            (Opcode::Atomic, _) => ATOMIC,
            (_, Transport::Ud) => bytes.min(Bytes::new(self.mtu.get().into())),
            (_, Transport::Rc) => bytes,
        }
    }
}

/// Which keys mean something to a method.
fn uses(method: MethodName, key: &str) -> bool {
    let (bulk, closed_loop) = (MethodName::Bulk, MethodName::ClosedLoop);
    match key {
        "samples" | "warmup-rounds" | "think" => method != bulk,
        "opcode" | "transport" | "depth" => method == bulk || method == closed_loop,
        _ => method == bulk,
    }
}

/// Messages under way for each queue pair.
fn depth(source: &Source, spec: &FlowSpec, default: u32) -> Result<u32, InputError> {
    match &spec.depth {
        Some(given) => within(source, "depth", given, 1..=1 << 20).map(|depth| depth as u32),
        None => Ok(default),
    }
}

fn latency(
    source: &Source,
    spec: &FlowSpec,
    request: Request,
) -> Result<LatencyTraffic, InputError> {
    let number = |name, given: &Given<u64>, default, least| match given {
        Some(given) => within(source, name, given, least..=1_000_000_000),
        None => Ok(default),
    };
    let bytes = request.bytes(source, spec, Bytes::new(64), Bytes::ZERO)?;
    let think = match &spec.think {
        Some(given) => within(source, "think", given, Time::ZERO..=SECOND)?,
        None => Time::from_ns(600),
    };
    Ok(LatencyTraffic {
        bytes: bytes.get() as u32,
        warmup: number("warmup-rounds", &spec.warmup_rounds, 20, 0)?,
        samples: number("samples", &spec.samples, 10_000, 1)?,
        think,
    })
}

fn bulk(source: &Source, spec: &FlowSpec, request: Request) -> Result<BulkTraffic, InputError> {
    let number = |name, given: &Given<u64>, default, most| match given {
        Some(given) => within(source, name, given, 1..=most),
        None => Ok(default),
    };
    let bytes = request.bytes(source, spec, Bytes::from_kib(4), Bytes::new(1))?;
    let buffer = match &spec.buffer {
        Some(given) => within(source, "buffer", given, Bytes::new(1)..=LARGEST)?,
        None => Bytes::from_kib(32),
    };
    if bytes > buffer {
        let at = place(&spec.bytes, place(&spec.buffer, spec.method.span()));
        let message = format!("a message of {bytes} does not fit the send buffer of {buffer}");
        let allowed = format!("`bytes` up to {buffer}, or `buffer` from {bytes}");
        return Err(source.error(at, message).allowed(allowed));
    }
    let rate = |given: &Spanned<BitRate>| {
        within(source, "rate", given, BitRate::from_bps(1_000)..=BitRate::from_gbps(100_000))
    };
    let time = |name, given: &Given<Time>| {
        given.as_ref().map(|given| within(source, name, given, Time::ZERO..=LONGEST)).transpose()
    };
    let (start, stop) =
        (time("start", &spec.start)?.unwrap_or(Time::ZERO), time("stop", &spec.stop)?);
    if let Some(stop) = stop.filter(|&stop| stop <= start) {
        let message = format!("it would stop at {stop} and start at {start}");
        let error = source.error(place(&spec.stop, spec.method.span()), message);
        return Err(error.allowed(format!("`stop` after {start}")));
    }
    Ok(BulkTraffic {
        bytes: bytes.get() as u32,
        opcode: request.opcode,
        buffer,
        depth: depth(source, spec, 128)?,
        batch: number("batch", &spec.batch, 1, 1 << 20)? as u32,
        qps: number("qps", &spec.qps, 1, 1 << 14)? as u16,
        rate: spec.rate.as_ref().map(rate).transpose()?,
        start,
        stop,
    })
}
