//! Conversion of a [`FlowRequest`] to its [`Method`], and the ranges of a flow's values.

use super::{FlowError, FlowKey, FlowRequest, MethodName};
use crate::infiniband::{BulkTraffic, Flow, LatencyTraffic, Method};
use crate::reader::values::SECOND;
use crate::time_range::LONGEST;
use bandwise_netsim::infiniband::host::MAX_RD_ATOMIC;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::defaults::{self, BULK_DEPTH, LATENCY_BYTES};
use bandwise_units::{BitRate, Bytes, Time};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Largest message; queue pairs carry twice this (IBTA 9.7.2).
const LARGEST: Bytes = Bytes::from_kib(1 << 20);
/// Operand of an atomic operation.
const ATOMIC: Bytes = Bytes::new(8);

/// Messages of a send buffer, at least: with one or two, the sender waits for their
/// acknowledgements. The RPerf paper's 32 KiB hold eight messages of 4 KiB.
const BUFFERED: u64 = 8;

const SAMPLES: RangeInclusive<u64> = 1..=1_000_000_000;
const WARMUP_ROUNDS: RangeInclusive<u64> = 0..=1_000_000_000;
const THINK: RangeInclusive<Time> = Time::ZERO..=SECOND;
const DEPTH: RangeInclusive<u64> = 1..=1 << 20;
const BATCH: RangeInclusive<u64> = 1..=1 << 20;
const QPS: RangeInclusive<u64> = 1..=1 << 14;
const MAX_RD_ATOMICS: RangeInclusive<u64> = 1..=u8::MAX as u64;
const BUFFER: RangeInclusive<Bytes> = Bytes::new(1)..=LARGEST;
const RATE: RangeInclusive<BitRate> = BitRate::from_bps(1_000)..=BitRate::from_gbps(100_000);
const TIMES: RangeInclusive<Time> = Time::ZERO..=LONGEST;

/// Refuses keys that the method does not use.
pub(super) fn check_keys(request: &FlowRequest) -> Result<(), FlowError> {
    let name = request.method;
    for (key, is_given) in request.optional_keys() {
        if is_given && !uses(name, key) {
            let users = MethodName::ALL.into_iter().filter(|&method| uses(method, key));
            let users: Vec<&str> = users.map(MethodName::as_str).collect();
            let key_name = key.as_str();
            let error = FlowError::new(key, format!("{name} does not use `{key_name}`"));
            return Err(error.allowed(format!("`{key_name}` with {}", users.join(", "))));
        }
    }
    Ok(())
}

/// Returns the method and the transport of a request with this path MTU, and with a send buffer of
/// `buffer` by default.
pub(super) fn method(
    request: &FlowRequest,
    mtu: Mtu,
    buffer: Bytes,
) -> Result<(Method, Transport), FlowError> {
    let name = request.method;
    let transport = request.transport.unwrap_or(Transport::Rc);
    let opcode = match request.opcode {
        Some(opcode) => Opcode::from(opcode),
        None if name == MethodName::Bulk && transport == Transport::Rc => Opcode::Write,
        None => Opcode::Send,
    };
    let of = Operation { transport, opcode, mtu };
    let latency = || latency(request, of);
    let method = match name {
        MethodName::Rperf => Method::RPerf(latency()?),
        MethodName::PingPong => Method::PingPong(latency()?),
        MethodName::PostPoll => Method::PostPoll(latency()?),
        MethodName::ClosedLoop => {
            let depth = number(FlowKey::Depth, request.depth, 1, DEPTH)? as u32;
            Method::ClosedLoop { opcode, depth, traffic: latency()? }
        }
        MethodName::Bulk => Method::Bulk(bulk(request, of, buffer)?),
    };
    Ok((method, transport))
}

/// Returns the most outstanding READs and atomics of a queue pair.
pub(super) fn max_rd_atomic(request: &FlowRequest, method: &Method) -> Result<u8, FlowError> {
    let (key, given) = (FlowKey::MaxRdAtomic, request.max_rd_atomic);
    if given.is_some() && !method.reads() {
        let error = FlowError::new(key, "no READ and no atomic is sent, which it would limit");
        return Err(error.allowed("max-rd-atomic with opcode = \"read\" or \"atomic\""));
    }
    Ok(number(key, given, MAX_RD_ATOMIC.into(), MAX_RD_ATOMICS)? as u8)
}

/// Returns whether a method uses a key.
fn uses(method: MethodName, key: FlowKey) -> bool {
    let (bulk, closed_loop) = (MethodName::Bulk, MethodName::ClosedLoop);
    match key {
        FlowKey::Samples | FlowKey::WarmupRounds | FlowKey::Think => method != bulk,
        FlowKey::Opcode | FlowKey::Transport | FlowKey::Depth | FlowKey::MaxRdAtomic => {
            method == bulk || method == closed_loop
        }
        _ => method == bulk,
    }
}

fn latency(request: &FlowRequest, of: Operation) -> Result<LatencyTraffic, FlowError> {
    Ok(LatencyTraffic {
        bytes: of.bytes(request.bytes, Bytes::new(LATENCY_BYTES.into()), Bytes::ZERO)?,
        warmup: number(
            FlowKey::WarmupRounds,
            request.warmup_rounds,
            defaults::WARMUP_ROUNDS,
            WARMUP_ROUNDS,
        )?,
        samples: number(FlowKey::Samples, request.samples, defaults::SAMPLES, SAMPLES)?,
        think: request.think.unwrap_or(defaults::THINK),
    })
}

/// The send buffer has by default `buffer`, as much as the RNIC holds, or several messages if these are
/// more.
fn bulk(request: &FlowRequest, of: Operation, buffer: Bytes) -> Result<BulkTraffic, FlowError> {
    let bytes = of.bytes(request.bytes, Bytes::from_kib(4), Bytes::new(1))?;
    let several = Bytes::new(u64::from(bytes) * BUFFERED).min(LARGEST);
    Ok(BulkTraffic {
        bytes,
        opcode: of.opcode,
        buffer: request.buffer.unwrap_or(buffer.max(several)),
        depth: number(FlowKey::Depth, request.depth, BULK_DEPTH.into(), DEPTH)? as u32,
        batch: number(FlowKey::Batch, request.batch, 1, BATCH)? as u32,
        qps: number(FlowKey::Qps, request.qps, 1, QPS)? as u16,
        rate: request.rate,
        start: request.start.unwrap_or(Time::ZERO),
        stop: request.stop,
    })
}

/// Returns a number that is in its range, or its default.
fn number(
    key: FlowKey,
    given: Option<u64>,
    default: u64,
    range: RangeInclusive<u64>,
) -> Result<u64, FlowError> {
    within(key, given.unwrap_or(default), &range)
}

/// Checks the values of a flow whose host has this MTU.
pub(in crate::infiniband) fn check(flow: &Flow, mtu: Mtu) -> Result<(), FlowError> {
    let (least, bytes) = match &flow.method {
        Method::RPerf(traffic)
        | Method::PingPong(traffic)
        | Method::PostPoll(traffic)
        | Method::ClosedLoop { traffic, .. } => (Bytes::ZERO, traffic.bytes),
        Method::Bulk(traffic) => (Bytes::new(1), traffic.bytes),
    };
    within(FlowKey::MaxRdAtomic, u64::from(flow.max_rd_atomic), &MAX_RD_ATOMICS)?;
    let of = Operation { transport: flow.transport, opcode: flow.method.opcode(), mtu };
    of.check(Bytes::new(bytes.into()), least)?;
    let takes_any = matches!(flow.method, Method::ClosedLoop { .. } | Method::Bulk(_));
    if flow.transport != Transport::Rc && !takes_any {
        let error = FlowError::new(FlowKey::Transport, "this method needs a reliable connection");
        return Err(error.allowed("transport = \"rc\""));
    }
    match &flow.method {
        Method::RPerf(traffic) | Method::PingPong(traffic) | Method::PostPoll(traffic) => {
            check_latency(traffic)
        }
        Method::ClosedLoop { depth, traffic, .. } => {
            within(FlowKey::Depth, u64::from(*depth), &DEPTH)?;
            check_latency(traffic)
        }
        Method::Bulk(traffic) => check_bulk(traffic),
    }
}

fn check_latency(traffic: &LatencyTraffic) -> Result<(), FlowError> {
    within(FlowKey::Samples, traffic.samples, &SAMPLES)?;
    within(FlowKey::WarmupRounds, traffic.warmup, &WARMUP_ROUNDS)?;
    within(FlowKey::Think, traffic.think, &THINK)?;
    Ok(())
}

fn check_bulk(traffic: &BulkTraffic) -> Result<(), FlowError> {
    let BulkTraffic { buffer, start, stop, .. } = *traffic;
    within(FlowKey::Buffer, buffer, &BUFFER)?;
    let bytes = Bytes::new(traffic.bytes.into());
    if bytes > buffer {
        let message = format!("a message of {bytes} does not fit the send buffer of {buffer}");
        let allowed = format!("`bytes` up to {buffer}, or `buffer` from {bytes}");
        return Err(FlowError::new(FlowKey::Bytes, message).allowed(allowed));
    }
    within(FlowKey::Depth, u64::from(traffic.depth), &DEPTH)?;
    within(FlowKey::Batch, u64::from(traffic.batch), &BATCH)?;
    within(FlowKey::Qps, u64::from(traffic.qps), &QPS)?;
    if let Some(rate) = traffic.rate {
        within(FlowKey::Rate, rate, &RATE)?;
    }
    within(FlowKey::Start, start, &TIMES)?;
    if let Some(stop) = stop {
        within(FlowKey::Stop, stop, &TIMES)?;
        if stop <= start {
            let message = format!("stop {stop} is not after start {start}");
            let error = FlowError::new(FlowKey::Stop, message);
            return Err(error.allowed(format!("`stop` after {start}")));
        }
    }
    Ok(())
}

/// An operation, and the limits of its messages' payload.
#[derive(Clone, Copy)]
struct Operation {
    transport: Transport,
    opcode: Opcode,
    mtu: Mtu,
}

impl Operation {
    /// Returns the payload of a message in bytes. A default that messages can't have is replaced by
    /// the nearest possible size.
    fn bytes(self, given: Option<Bytes>, default: Bytes, least: Bytes) -> Result<u32, FlowError> {
        let bytes = given.unwrap_or(self.possible(default));
        self.check(bytes, least)?;
        Ok(bytes.get() as u32)
    }

    /// Checks the operation and the payload of its messages.
    fn check(self, bytes: Bytes, least: Bytes) -> Result<(), FlowError> {
        if self.transport == Transport::Ud && self.opcode != Opcode::Send {
            let error = FlowError::new(FlowKey::Opcode, "UD carries nothing but SENDs");
            return Err(error.allowed("opcode = \"send\", or transport = \"rc\""));
        }
        if bytes == self.possible(bytes) {
            return within(FlowKey::Bytes, bytes, &(least..=LARGEST)).map(|_| ());
        }
        let (message, allowed) = match self.opcode {
            Opcode::Atomic => (format!("no atomic has {bytes}"), format!("{ATOMIC}")),
            _ => (
                format!("a datagram of {bytes} does not fit the MTU of {}", self.mtu),
                format!("up to {}, or transport = \"rc\"", self.mtu),
            ),
        };
        Err(FlowError::new(FlowKey::Bytes, message).allowed(allowed))
    }

    /// Returns the nearest size that messages can have, which may be `bytes` itself.
    fn possible(self, bytes: Bytes) -> Bytes {
        match (self.opcode, self.transport) {
            (Opcode::Atomic, _) => ATOMIC,
            (_, Transport::Ud) => bytes.min(Bytes::new(self.mtu.get().into())),
            (_, Transport::Rc) => bytes,
        }
    }
}

/// Returns the value if it is in its range.
fn within<T: Copy + PartialOrd + Display>(
    key: FlowKey,
    value: T,
    range: &RangeInclusive<T>,
) -> Result<T, FlowError> {
    if range.contains(&value) {
        return Ok(value);
    }
    let error = FlowError::new(key, format!("{} can't be {value}", key.as_str()));
    Err(error.allowed(format!("{} to {}", range.start(), range.end())))
}
