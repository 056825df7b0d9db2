//! `[[flow]]`: a flow as people say it, with the names of hosts.

use crate::reader::values::{Given, Text, names, number, text};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_units::{BitRate, Bytes, Time};
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::str::FromStr;
use toml::Spanned;

/// A flow, or one from each of a list of senders.
///
/// ```toml
/// [[flow]]
/// name = "lsg"             # if not given, "METHOD FROM->TO"; with a list, "NAME FROM->TO"
/// from = "h6"              # or a list
/// to = "h0"
/// method = "rperf"         # or "ping-pong", "post-poll", "closed-loop", "bulk"
/// bytes = "64 B"           # of a message; for bulk, if not given, "4 KiB" (on UD within the MTU)
/// sl = 0                   # service level
/// completion = "poll"      # or "event": programs sleep until an interrupt wakes them
/// # what measures latency (all but bulk)
/// samples = 10000          # at most
/// warmup-rounds = 20       # rounds before these
/// think = "600 ns"         # between rounds, at most (drawn uniformly)
/// # bulk
/// buffer = "32 KiB"        # registered send buffer: payload that can be under way
/// depth = 128              # messages that can be under way, for each queue pair
/// batch = 1                # messages for each doorbell
/// qps = 1                  # queue pairs
/// rate = "10 Gbps"         # payload, not to exceed; if not given, what it gets
/// start = "0 s"            # when it begins, in simulated time
/// stop = "5 ms"            # when it posts nothing more; if not given, it goes on
/// # closed-loop and bulk
/// transport = "rc"         # or "ud": SEND only, of at most one MTU
/// opcode = "send"          # or "write" (bulk's on RC if not given), "write-imm", "read", "atomic"
///                          # (of 8 bytes)
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct FlowSpec {
    /// What results call it.
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// Who sends.
    pub from: Senders,
    /// Who receives.
    pub to: Spanned<String>,
    /// What it does.
    #[serde(deserialize_with = "method")]
    pub method: Spanned<MethodName>,
    /// Payload of a message.
    #[serde(default, deserialize_with = "text")]
    pub bytes: Option<Spanned<Bytes>>,
    /// Service level.
    #[serde(default, deserialize_with = "number")]
    pub sl: Option<Spanned<u64>>,
    /// Most samples of a latency.
    #[serde(default, deserialize_with = "number")]
    pub samples: Option<Spanned<u64>>,
    /// Rounds before the first sample.
    #[serde(default, deserialize_with = "number")]
    pub warmup_rounds: Option<Spanned<u64>>,
    /// Longest pause between rounds.
    #[serde(default, deserialize_with = "text")]
    pub think: Option<Spanned<Time>>,
    /// How its programs learn of completions.
    #[serde(default, deserialize_with = "text")]
    pub completion: Option<Spanned<Notify>>,
    /// Transport service.
    #[serde(default, deserialize_with = "text")]
    pub transport: Option<Spanned<Transport>>,
    /// What it posts.
    #[serde(default, deserialize_with = "text")]
    pub opcode: Option<Spanned<OpcodeName>>,
    /// Registered send buffer.
    #[serde(default, deserialize_with = "text")]
    pub buffer: Option<Spanned<Bytes>>,
    /// Messages for each doorbell.
    #[serde(default, deserialize_with = "number")]
    pub batch: Option<Spanned<u64>>,
    /// Messages under way on each queue pair.
    #[serde(default, deserialize_with = "number")]
    pub depth: Option<Spanned<u64>>,
    /// Queue pairs.
    #[serde(default, deserialize_with = "number")]
    pub qps: Option<Spanned<u64>>,
    /// Payload rate not to exceed.
    #[serde(default, deserialize_with = "text")]
    pub rate: Option<Spanned<BitRate>>,
    /// When it begins.
    #[serde(default, deserialize_with = "text")]
    pub start: Option<Spanned<Time>>,
    /// When it posts nothing more.
    #[serde(default, deserialize_with = "text")]
    pub stop: Option<Spanned<Time>>,
}

/// A value that comes from no file, for specs that are put together from flags.
pub fn unplaced<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

impl FlowSpec {
    /// A flow with nothing else said.
    pub fn new(from: impl Into<String>, to: impl Into<String>, method: MethodName) -> Self {
        FlowSpec {
            name: None,
            from: Senders::One(unplaced(from.into())),
            to: unplaced(to.into()),
            method: unplaced(method),
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
            qps: None,
            rate: None,
            start: None,
            stop: None,
        }
    }

    /// Keys that not every method uses, and where they were given.
    pub(super) fn optional_keys(&self) -> [(&'static str, Given<()>); 12] {
        fn at<T>(given: &Given<T>) -> Given<()> {
            given.as_ref().map(|g| Spanned::new(g.span(), ()))
        }
        [
            ("samples", at(&self.samples)),
            ("warmup-rounds", at(&self.warmup_rounds)),
            ("think", at(&self.think)),
            ("transport", at(&self.transport)),
            ("opcode", at(&self.opcode)),
            ("buffer", at(&self.buffer)),
            ("batch", at(&self.batch)),
            ("depth", at(&self.depth)),
            ("qps", at(&self.qps)),
            ("rate", at(&self.rate)),
            ("start", at(&self.start)),
            ("stop", at(&self.stop)),
        ]
    }
}

/// Who sends.
#[derive(Debug, Clone)]
pub enum Senders {
    /// A host.
    One(Spanned<String>),
    /// Some hosts, with a flow each.
    Each(Spanned<Vec<Spanned<String>>>),
}

impl<'de> Deserialize<'de> for Senders {
    /// By hand, because serde's untagged enums forget places in the document.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NameOrList;
        impl<'de> Visitor<'de> for NameOrList {
            type Value = Names;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a host, or a list of names such as [\"h1\", \"h2\"]")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
                Ok(Names::One(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Names, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Names::Each)
            }
        }
        enum Names {
            One(String),
            Each(Vec<Spanned<String>>),
        }
        impl<'de> Deserialize<'de> for Names {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(NameOrList)
            }
        }
        let names = Spanned::<Names>::deserialize(d)?;
        let span = names.span();
        Ok(match names.into_inner() {
            Names::One(name) => Senders::One(Spanned::new(span, name)),
            Names::Each(names) => Senders::Each(Spanned::new(span, names)),
        })
    }
}

/// What a flow can do, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodName {
    /// [`Method::RPerf`](crate::infiniband::Method::RPerf).
    Rperf,
    /// [`Method::PingPong`](crate::infiniband::Method::PingPong).
    PingPong,
    /// [`Method::PostPoll`](crate::infiniband::Method::PostPoll).
    PostPoll,
    /// [`Method::ClosedLoop`](crate::infiniband::Method::ClosedLoop).
    ClosedLoop,
    /// [`Method::Bulk`](crate::infiniband::Method::Bulk).
    Bulk,
}

impl MethodName {
    /// All of them.
    pub const ALL: [MethodName; 5] = [
        MethodName::Rperf,
        MethodName::PingPong,
        MethodName::PostPoll,
        MethodName::ClosedLoop,
        MethodName::Bulk,
    ];

    /// The name.
    pub const fn as_str(self) -> &'static str {
        match self {
            MethodName::Rperf => "rperf",
            MethodName::PingPong => "ping-pong",
            MethodName::PostPoll => "post-poll",
            MethodName::ClosedLoop => "closed-loop",
            MethodName::Bulk => "bulk",
        }
    }
}

names! { MethodName, "method", "rperf, ping-pong, post-poll, closed-loop or bulk",
"rperf" => MethodName::Rperf, "ping-pong" => MethodName::PingPong,
"post-poll" => MethodName::PostPoll, "closed-loop" => MethodName::ClosedLoop,
"bulk" => MethodName::Bulk }

names! { OpcodeName, "opcode", "send, write, write-imm, read or atomic",
"send" => OpcodeName::Send, "write" => OpcodeName::Write, "write-imm" => OpcodeName::WriteImm,
"read" => OpcodeName::Read, "atomic" => OpcodeName::Atomic }

names! { Transport, "transport", "rc or ud", "rc" => Transport::Rc, "ud" => Transport::Ud }

names! { Notify, "completion", "poll or event",
"poll" => Notify::Poll, "event" => Notify::Event }

impl FromStr for MethodName {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Text::read(name)
    }
}

impl FromStr for OpcodeName {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Text::read(name)
    }
}

/// For `deserialize_with`: a method, which every flow has.
fn method<'de, D: Deserializer<'de>>(d: D) -> Result<Spanned<MethodName>, D::Error> {
    text(d)?.ok_or_else(|| D::Error::missing_field("method"))
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a generator can be told to post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpcodeName {
    /// SEND.
    Send,
    /// WRITE.
    Write,
    /// WRITE with immediate data.
    WriteImm,
    /// READ.
    Read,
    /// Compare-and-swap or fetch-and-add.
    Atomic,
}

impl From<OpcodeName> for Opcode {
    fn from(name: OpcodeName) -> Opcode {
        match name {
            OpcodeName::Send => Opcode::Send,
            OpcodeName::Write => Opcode::Write,
            OpcodeName::WriteImm => Opcode::WriteImm,
            OpcodeName::Read => Opcode::Read,
            OpcodeName::Atomic => Opcode::Atomic,
        }
    }
}
