//! The verbs as values: a [`Program`] posts [`WorkRequest`]s and sees [`Completion`]s and the time.
//! A driver executes the work: libibverbs or the simulated host. Both look the same to a program.

use bandwise_units::Time;

/// A queue pair (QP) as known to its program: an index assigned by the driver at connection time.
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

/// Operation of a work request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// Two-sided SEND: consumes a posted RECV and completes there too.
    Send,
    /// One-sided WRITE, which the remote program does not notice.
    Write,
    /// WRITE that also consumes a RECV, to deliver 32 bits.
    WriteImm,
    /// One-sided READ.
    Read,
    /// Eight-byte compare-and-swap or fetch-and-add.
    Atomic,
}

impl Opcode {
    /// Returns whether the request itself carries the payload, so that it could be inline in the
    /// WQE.
    pub const fn carries_payload(self) -> bool {
        matches!(self, Opcode::Send | Opcode::Write | Opcode::WriteImm)
    }
}

/// A work request, which becomes a work queue element (WQE).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkRequest {
    /// Queue pair that the request is posted to.
    pub qp: Qp,
    /// Id that the completion returns.
    pub id: u64,
    /// Operation.
    pub opcode: Opcode,
    /// Payload size in bytes; 8 for atomics, at most one MTU on UD.
    pub bytes: u32,
    /// A completion queue entry (CQE) reports the end of the request.
    pub signaled: bool,
    /// The payload is inline in the WQE, which saves the RNIC one DMA read.
    pub inline: bool,
    /// Rings the doorbells of every queue pair with work posted since the last ring, after this
    /// request. Requests without are submitted with the next ring, as a list.
    pub ring: bool,
}

/// Event that a completion reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A posted work request has ended.
    Sent(Opcode),
    /// A RECV was consumed: a message arrived. A driver that polls memory for WRITEs reports them
    /// in the same way.
    Received,
}

/// A completion queue entry (CQE) as seen by the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// The queue pair.
    pub qp: Qp,
    /// Id of the work request; zero for RECVs.
    pub id: u64,
    /// Event reported.
    pub kind: CompletionKind,
    /// Payload size in bytes.
    pub bytes: u32,
    /// Ground truth of a simulator: the time that the request and its acknowledgement spent between
    /// the two ports, from last bit out to last bit in, summed over both directions. For a received
    /// message: the sum of its own time and that of the last message received by its sender on this
    /// connection.
    pub truth: Option<Time>,
    /// Completion time by the device's clock, if it stamps completions. Only differences are
    /// meaningful.
    pub stamp: Option<Time>,
}

impl Completion {
    /// Returns the ground truth in picoseconds, if known.
    pub fn truth_ps(&self) -> Option<i64> {
        self.truth.map(|truth| truth.signed_ps_since(Time::ZERO))
    }
}

/// The requests that a program posts in one step, in order. The driver reuses one value for all
/// steps.
#[derive(Debug, Default)]
pub struct Posts {
    requests: Vec<WorkRequest>,
}

impl Posts {
    /// Posts one request.
    pub fn post(&mut self, request: WorkRequest) {
        self.requests.push(request);
    }

    /// Removes and returns the posted requests.
    pub fn drain(&mut self) -> impl Iterator<Item = WorkRequest> + '_ {
        self.requests.drain(..)
    }

    /// Returns whether no request was posted.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }
}

/// Condition for the next step of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At the next completion.
    Completion,
    /// At the next completion, or at this time if it is earlier.
    At(Time),
    /// Never: the program has finished.
    Done,
}

/// A program that uses RDMA, as a state machine: time and completions are its input, posted work
/// its output. The first step is at its start, without completions.
pub trait Program: Send {
    /// Performs a step. `now` is the time of the program's clock. `seen` has the completions of the
    /// last poll, oldest first.
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next;
}

/// Contents of a [`Program`]'s messages, for a driver that transfers real data. The program itself
/// knows only sizes.
pub trait Contents: Send {
    /// Processes a message that has arrived, before its program sees it.
    fn arrived(&mut self, qp: Qp, message: &[u8]);

    /// Fills a message of the posted size, in the order of posting.
    fn fill(&mut self, qp: Qp, message: &mut [u8]);

    /// Checks the messages that arrived since the last call. The driver calls it while the
    /// program's next posts are in flight.
    ///
    /// # Errors
    ///
    /// A description of a wrong message.
    fn check(&mut self) -> Result<(), String>;
}
