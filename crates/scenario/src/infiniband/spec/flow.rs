//! `[[flow]]`: a [`FlowRequest`] with the place of each value in the file.

use crate::infiniband::request::{
    FlowError, FlowKey, FlowRequest, MethodName, OpcodeName, Senders,
};
use crate::reader::values::{Given, HostNames, number, text};
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::Transport;
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::ops::Range;
use std::slice;
use toml::Spanned;

/// A flow, or one flow from each of several senders.
///
/// ```toml
/// [[flow]]
/// name = "lsg"             # [default: "METHOD FROM->TO"]; with a list, "NAME FROM->TO"
/// from = "h6"              # or a list
/// to = "h0"
/// method = "rperf"         # or "ping-pong", "post-poll", "closed-loop", "bulk"
/// bytes = "64 B"           # of a message [default for bulk: "4 KiB", on UD up to the MTU]
/// sl = 0                   # service level
/// completion = "poll"      # or "event": programs sleep until an interrupt wakes them
/// # methods that measure latency (all but bulk)
/// samples = 10000          # at most
/// warmup-rounds = 20       # rounds before the first sample
/// think = "600 ns"         # longest pause between rounds (uniformly distributed)
/// # bulk
/// buffer = "32 KiB"        # registered send buffer: largest outstanding payload
/// depth = 128              # largest number of outstanding messages of a queue pair
/// batch = 1                # messages for each doorbell
/// qps = 1                  # queue pairs
/// rate = "10 Gbps"         # limit of the payload rate [default: none]
/// start = "0 s"            # start, in simulated time
/// stop = "5 ms"            # time after which no message is posted [default: never]
/// # closed-loop and bulk
/// transport = "rc"         # or "ud": SEND only, of at most one MTU
/// max-rd-atomic = 16       # outstanding READs and atomics of a queue pair
/// opcode = "send"          # or "write" (default of bulk on RC), "write-imm", "read", "atomic" (8 B)
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct FlowSpec {
    #[serde(default)]
    name: Option<Spanned<String>>,
    from: HostNames,
    to: Spanned<String>,
    #[serde(deserialize_with = "method")]
    method: Spanned<MethodName>,
    #[serde(default, deserialize_with = "text")]
    bytes: Option<Spanned<Bytes>>,
    #[serde(default, deserialize_with = "number")]
    sl: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "number")]
    samples: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "number")]
    warmup_rounds: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "text")]
    think: Option<Spanned<Time>>,
    #[serde(default, deserialize_with = "text")]
    completion: Option<Spanned<Notify>>,
    #[serde(default, deserialize_with = "text")]
    transport: Option<Spanned<Transport>>,
    #[serde(default, deserialize_with = "text")]
    opcode: Option<Spanned<OpcodeName>>,
    #[serde(default, deserialize_with = "text")]
    buffer: Option<Spanned<Bytes>>,
    #[serde(default, deserialize_with = "number")]
    batch: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "number")]
    depth: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "number")]
    max_rd_atomic: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "number")]
    qps: Option<Spanned<u64>>,
    #[serde(default, deserialize_with = "text")]
    rate: Option<Spanned<BitRate>>,
    #[serde(default, deserialize_with = "text")]
    start: Option<Spanned<Time>>,
    #[serde(default, deserialize_with = "text")]
    stop: Option<Spanned<Time>>,
}

impl FlowSpec {
    /// Returns the names of the flow's hosts.
    pub(super) fn hosts(&self) -> Vec<&str> {
        let senders = match &self.from {
            HostNames::One(name) => slice::from_ref(name),
            HostNames::Each(names) => names.get_ref(),
        };
        senders.iter().chain([&self.to]).map(|name| name.get_ref().as_str()).collect()
    }

    /// Returns the values without their places.
    pub(super) fn request(&self) -> FlowRequest {
        fn value<T: Clone>(given: &Given<T>) -> Option<T> {
            given.as_ref().map(|given| given.get_ref().clone())
        }
        FlowRequest {
            name: value(&self.name),
            from: match &self.from {
                HostNames::One(name) => Senders::One(name.get_ref().clone()),
                HostNames::Each(names) => {
                    let names = names.get_ref().iter().map(|name| name.get_ref().clone());
                    Senders::Each(names.collect())
                }
            },
            to: self.to.get_ref().clone(),
            method: *self.method.get_ref(),
            bytes: value(&self.bytes),
            sl: value(&self.sl),
            samples: value(&self.samples),
            warmup_rounds: value(&self.warmup_rounds),
            think: value(&self.think),
            completion: value(&self.completion),
            transport: value(&self.transport),
            opcode: value(&self.opcode),
            buffer: value(&self.buffer),
            batch: value(&self.batch),
            depth: value(&self.depth),
            max_rd_atomic: value(&self.max_rd_atomic),
            qps: value(&self.qps),
            rate: value(&self.rate),
            start: value(&self.start),
            stop: value(&self.stop),
        }
    }

    /// Returns an error of this flow with its place in the file.
    pub(super) fn error(&self, source: &Source, error: &FlowError) -> InputError {
        let at = self.span(error.key, error.sender);
        source.error(at, error.message.clone()).allowed(error.allowed.clone())
    }

    /// Returns the place of a key, or of the key that stands for it if it is not given.
    fn span(&self, key: FlowKey, sender: usize) -> Range<usize> {
        fn at<T>(given: &Given<T>) -> Option<Range<usize>> {
            given.as_ref().map(Spanned::span)
        }
        let sender = || match &self.from {
            HostNames::One(name) => name.span(),
            HostNames::Each(names) => {
                names.get_ref().get(sender).map_or(names.span(), Spanned::span)
            }
        };
        let from = || match &self.from {
            HostNames::One(name) => name.span(),
            HostNames::Each(names) => names.span(),
        };
        let method = || self.method.span();
        match key {
            FlowKey::Name => at(&self.name).unwrap_or_else(sender),
            FlowKey::From => from(),
            FlowKey::Sender => sender(),
            FlowKey::To => self.to.span(),
            FlowKey::Method => method(),
            FlowKey::Bytes => at(&self.bytes).or_else(|| at(&self.buffer)).unwrap_or_else(method),
            FlowKey::Sl => at(&self.sl).unwrap_or_else(|| self.to.span()),
            FlowKey::Samples => at(&self.samples).unwrap_or_else(method),
            FlowKey::WarmupRounds => at(&self.warmup_rounds).unwrap_or_else(method),
            FlowKey::Think => at(&self.think).unwrap_or_else(method),
            FlowKey::Transport => at(&self.transport).unwrap_or_else(method),
            FlowKey::Opcode => at(&self.opcode).unwrap_or_else(method),
            FlowKey::Buffer => at(&self.buffer).unwrap_or_else(method),
            FlowKey::Batch => at(&self.batch).unwrap_or_else(method),
            FlowKey::Depth => at(&self.depth).unwrap_or_else(method),
            FlowKey::MaxRdAtomic => at(&self.max_rd_atomic).unwrap_or_else(method),
            FlowKey::Qps => at(&self.qps).unwrap_or_else(sender),
            FlowKey::Rate => at(&self.rate).unwrap_or_else(method),
            FlowKey::Start => at(&self.start).unwrap_or_else(method),
            FlowKey::Stop => at(&self.stop).unwrap_or_else(method),
        }
    }
}

/// Reads a required method, as a function for `deserialize_with`.
fn method<'de, D: Deserializer<'de>>(d: D) -> Result<Spanned<MethodName>, D::Error> {
    text(d)?.ok_or_else(|| D::Error::missing_field("method"))
}
