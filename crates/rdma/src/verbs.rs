//! The verbs as values: a [`Program`] posts [`WorkRequest`]s and sees [`Completion`]s and the
//! time. Whoever carries the work out (libibverbs, the simulated host) is the driver; the
//! program never learns which.

use bandwise_units::Time;

/// A queue pair (QP) as its program knows it: an index that the driver gave at connection time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Qp(pub u16);

/// The transport service of a queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Reliable connection: acknowledged by the remote RNIC.
    Rc,
    /// Unreliable datagram: SEND only, one packet, complete once it is on the wire.
    Ud,
}

/// What a work request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// Two-sided SEND: consumes a posted RECV and completes there too.
    Send,
    /// One-sided WRITE: the remote program sees nothing.
    Write,
    /// WRITE that also consumes a RECV, to deliver 32 bits.
    WriteImm,
    /// One-sided READ.
    Read,
    /// Eight-byte compare-and-swap or fetch-and-add.
    Atomic,
}

impl Opcode {
    /// Whether the request itself carries the payload, so that it could travel inside the WQE.
    pub const fn carries_payload(self) -> bool {
        matches!(self, Opcode::Send | Opcode::Write | Opcode::WriteImm)
    }
}

/// A work queue element (WQE) to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkRequest {
    /// The queue pair it is posted to.
    pub qp: Qp,
    /// Returned in the completion.
    pub id: u64,
    /// What to do.
    pub opcode: Opcode,
    /// Payload size in bytes; 8 for atomics, at most one MTU on UD.
    pub bytes: u32,
    /// Whether its end is announced by a completion queue entry (CQE).
    pub signaled: bool,
    /// Whether the payload travels inside the WQE, sparing the RNIC one DMA read.
    pub inline: bool,
    /// Whether the doorbells of every queue pair with work posted since the last ring are rung
    /// after this request. Requests posted without are handed over with the next ring, as a list.
    pub ring: bool,
}

/// What a completion tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A posted work request ended.
    Sent(Opcode),
    /// A RECV was consumed: a message arrived. A driver that looks at memory for WRITEs tells of them so too.
    Received,
}

/// A completion queue entry (CQE) as the program sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The queue pair.
    pub qp: Qp,
    /// The work request's id; zero for RECVs.
    pub id: u64,
    /// What ended.
    pub kind: CompletionKind,
    /// Payload size in bytes.
    pub bytes: u32,
    /// Where a simulator knows it: the true time that the request and its acknowledgement spent
    /// between the two ports, from last bit out to last bit in, both ways added up. For a message
    /// received, the same of it and of the last one received by its sender on this connection.
    pub truth: Option<Time>,
    /// Where a device stamps completions: when this one ended by its clock, of which differences alone count.
    pub stamp: Option<Time>,
}

impl Completion {
    /// The truth, if it is known, in picoseconds.
    pub fn truth_ps(&self) -> Option<i64> {
        self.truth.map(|truth| truth.signed_ps_since(Time::ZERO))
    }
}

/// The requests that a program posts in one step, in order. The driver keeps one and reuses it.
#[derive(Debug, Default)]
pub struct Posts {
    requests: Vec<WorkRequest>,
}

impl Posts {
    /// Posts one request.
    pub fn post(&mut self, request: WorkRequest) {
        self.requests.push(request);
    }

    /// The posted requests, handed to the driver; the list is empty afterwards.
    pub fn drain(&mut self) -> impl Iterator<Item = WorkRequest> + '_ {
        self.requests.drain(..)
    }

    /// Whether nothing was posted.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }
}

/// When a program wants to be stepped again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// With the next completion.
    Completion,
    /// With the next completion, or at this time if that comes first.
    At(Time),
    /// Never: it has what it wanted.
    Done,
}

/// A program that uses RDMA, as a state machine: time and completions come in, posted work goes
/// out. It is stepped once at its start with nothing seen.
pub trait Program: Send {
    /// One step. `now` is what the program's clock reads; `seen` holds the completions that the
    /// last poll returned, oldest first.
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next;
}

/// What the messages of a [`Program`] hold, for a driver that really moves them: the program itself knows sizes alone.
pub trait Contents: Send {
    /// A message has arrived, and its program has not seen it yet.
    fn arrived(&mut self, qp: Qp, message: &[u8]);

    /// Fills in a message of the size that was posted, in the order of posting.
    fn fill(&mut self, qp: Qp, message: &mut [u8]);

    /// Looks at what has arrived since the last time. There is time for it: what the program posted upon that is
    /// on its way. An error says what is not as it should be.
    fn check(&mut self) -> Result<(), String>;
}
