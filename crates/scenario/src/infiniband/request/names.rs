//! Names of methods and operations in files and flags.

use crate::reader::values::{Text, names};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::{Opcode, Transport};
use std::fmt;
use std::str::FromStr;

/// A method by its name.
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
    /// All methods.
    pub const ALL: [MethodName; 5] = [
        MethodName::Rperf,
        MethodName::PingPong,
        MethodName::PostPoll,
        MethodName::ClosedLoop,
        MethodName::Bulk,
    ];

    /// Returns the name in files and flags.
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

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An operation by its name.
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
