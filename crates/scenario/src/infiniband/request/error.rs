//! [`FlowError`]: a reason for which a flow is impossible, and the key at fault.

/// A reason for which a flow is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (allowed: {allowed})")]
pub struct FlowError {
    /// Number of the request or flow, from 0, in the order in which they were added to the builder.
    pub number: usize,
    /// Key at fault, which the request may lack.
    pub key: FlowKey,
    /// Number of the sender whose flow is at fault, from 0.
    pub sender: usize,
    /// Mistake.
    pub message: String,
    /// Allowed values.
    pub allowed: String,
}

impl FlowError {
    pub(in crate::infiniband) fn new(key: FlowKey, message: impl Into<String>) -> Self {
        FlowError { number: 0, key, sender: 0, message: message.into(), allowed: String::new() }
    }

    pub(in crate::infiniband) fn allowed(self, allowed: impl Into<String>) -> Self {
        FlowError { allowed: allowed.into(), ..self }
    }
}

/// A key of `[[flow]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowKey {
    /// `name`.
    Name,
    /// `from` as a whole.
    From,
    /// A sender of `from`.
    Sender,
    /// `to`.
    To,
    /// `method`.
    Method,
    /// `bytes`.
    Bytes,
    /// `sl`.
    Sl,
    /// `samples`.
    Samples,
    /// `warmup-rounds`.
    WarmupRounds,
    /// `think`.
    Think,
    /// `transport`.
    Transport,
    /// `opcode`.
    Opcode,
    /// `buffer`.
    Buffer,
    /// `batch`.
    Batch,
    /// `depth`.
    Depth,
    /// `max-rd-atomic`.
    MaxRdAtomic,
    /// `qps`.
    Qps,
    /// `rate`.
    Rate,
    /// `start`.
    Start,
    /// `stop`.
    Stop,
}

impl FlowKey {
    /// Returns the key's name in scenario files.
    pub const fn as_str(self) -> &'static str {
        match self {
            FlowKey::Name => "name",
            FlowKey::From | FlowKey::Sender => "from",
            FlowKey::To => "to",
            FlowKey::Method => "method",
            FlowKey::Bytes => "bytes",
            FlowKey::Sl => "sl",
            FlowKey::Samples => "samples",
            FlowKey::WarmupRounds => "warmup-rounds",
            FlowKey::Think => "think",
            FlowKey::Transport => "transport",
            FlowKey::Opcode => "opcode",
            FlowKey::Buffer => "buffer",
            FlowKey::Batch => "batch",
            FlowKey::Depth => "depth",
            FlowKey::MaxRdAtomic => "max-rd-atomic",
            FlowKey::Qps => "qps",
            FlowKey::Rate => "rate",
            FlowKey::Start => "start",
            FlowKey::Stop => "stop",
        }
    }
}
