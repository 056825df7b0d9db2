//! From a [`FlowSpec`] to its [`Method`].

use super::flow::{FlowSpec, MethodName, OpcodeName};
use super::values::{Given, SECOND, place, within};
use crate::{BulkTraffic, LatencyTraffic, Method};
use bandwise_input::{InputError, Source};
use bandwise_rdma::verbs::Opcode;
use bandwise_units::{BitRate, Bytes, Time};
use toml::Spanned;

/// The largest message that queue pairs carry is twice this (IBTA 9.7.2).
const LARGEST: Bytes = Bytes::from_kib(1 << 20);

pub(super) fn method(source: &Source, spec: &FlowSpec) -> Result<Method, InputError> {
    let name = *spec.method.get_ref();
    for (key, given) in spec.optional_keys() {
        if let Some(given) = given.filter(|_| !uses(name, key)) {
            let users = MethodName::ALL.into_iter().filter(|&m| uses(m, key));
            let users: Vec<&str> = users.map(MethodName::as_str).collect();
            let error = source.error(given.span(), format!("{name} does not use `{key}`"));
            return Err(error.allowed(format!("`{key}` with {}", users.join(", "))));
        }
    }
    let opcode = |default| spec.opcode.as_ref().map_or(default, |o| *o.get_ref());
    Ok(match name {
        MethodName::Rperf => Method::RPerf(latency(source, spec)?),
        MethodName::PingPong => Method::PingPong(latency(source, spec)?),
        MethodName::PostPoll => Method::PostPoll(latency(source, spec)?),
        MethodName::ClosedLoop => {
            Method::ClosedLoop(opcode(OpcodeName::Send).into(), latency(source, spec)?)
        }
        MethodName::Bulk => Method::Bulk(bulk(source, spec, opcode(OpcodeName::Write).into())?),
    })
}

/// Which keys mean something to a method.
fn uses(method: MethodName, key: &str) -> bool {
    let (bulk, closed_loop) = (MethodName::Bulk, MethodName::ClosedLoop);
    match key {
        "samples" | "warmup-rounds" | "think" => method != bulk,
        "opcode" => method == bulk || method == closed_loop,
        _ => method == bulk,
    }
}

fn latency(source: &Source, spec: &FlowSpec) -> Result<LatencyTraffic, InputError> {
    let number = |name, given: &Given<u64>, default, least| match given {
        Some(given) => within(source, name, given, least..=1_000_000_000),
        None => Ok(default),
    };
    let bytes = match &spec.bytes {
        Some(given) => within(source, "bytes", given, Bytes::ZERO..=LARGEST)?,
        None => Bytes::new(64),
    };
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

fn bulk(source: &Source, spec: &FlowSpec, opcode: Opcode) -> Result<BulkTraffic, InputError> {
    let number = |name, given: &Given<u64>, default, most| match given {
        Some(given) => within(source, name, given, 1..=most),
        None => Ok(default),
    };
    let size = |name, given: &Given<Bytes>, default| match given {
        Some(given) => within(source, name, given, Bytes::new(1)..=LARGEST),
        None => Ok(default),
    };
    let bytes = size("bytes", &spec.bytes, Bytes::from_kib(4))?;
    let buffer = size("buffer", &spec.buffer, Bytes::from_kib(32))?;
    if bytes > buffer {
        let at = place(&spec.bytes, place(&spec.buffer, spec.method.span()));
        let message = format!("a message of {bytes} does not fit the send buffer of {buffer}");
        let allowed = format!("`bytes` up to {buffer}, or `buffer` from {bytes}");
        return Err(source.error(at, message).allowed(allowed));
    }
    let rate = |given: &Spanned<BitRate>| {
        within(source, "rate", given, BitRate::from_bps(1_000)..=BitRate::from_gbps(100_000))
    };
    Ok(BulkTraffic {
        bytes: bytes.get() as u32,
        opcode,
        buffer,
        depth: number("depth", &spec.depth, 128, 1 << 20)? as u32,
        batch: number("batch", &spec.batch, 1, 1 << 20)? as u32,
        qps: number("qps", &spec.qps, 1, 1 << 14)? as u16,
        rate: spec.rate.as_ref().map(rate).transpose()?,
    })
}
