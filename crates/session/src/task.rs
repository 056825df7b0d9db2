//! [`Task`]: the measurement of two sides.

use crate::{KeyValue, Path, Plan, Side, WantedPages};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rdma::wire::Mtu;
use serde::{Deserialize, Serialize};

/// A number from `LEAST` to `MOST`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Within<const LEAST: u32, const MOST: u32>(u32);

/// A number out of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{number} is not within {least} to {most}")]
pub struct WithinError {
    number: u32,
    least: u32,
    most: u32,
}

impl<const LEAST: u32, const MOST: u32> Within<LEAST, MOST> {
    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32, const MOST: u32> TryFrom<u32> for Within<LEAST, MOST> {
    type Error = WithinError;
    fn try_from(number: u32) -> Result<Self, WithinError> {
        match (LEAST..=MOST).contains(&number) {
            true => Ok(Within(number)),
            false => Err(WithinError { number, least: LEAST, most: MOST }),
        }
    }
}

impl<const LEAST: u32, const MOST: u32> From<Within<LEAST, MOST>> for u32 {
    fn from(number: Within<LEAST, MOST>) -> u32 {
        number.0
    }
}

/// The operation that transfers messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// SEND, which consumes a RECV.
    Send,
    /// WRITE, which the other side can only detect in memory.
    Write,
    /// WRITE with immediate, which consumes a RECV too.
    WriteImm,
    /// READ from the memory of the other side.
    Read,
    /// An atomic on the memory of the other side: fetch and add.
    Atomic,
}

impl Operation {
    /// Returns `true` if the other side needs a RECV for each message.
    pub const fn takes_recv(self) -> bool {
        matches!(self, Operation::Send | Operation::WriteImm)
    }
}

impl From<Operation> for Opcode {
    fn from(operation: Operation) -> Opcode {
        match operation {
            Operation::Send => Opcode::Send,
            Operation::Write => Opcode::Write,
            Operation::WriteImm => Opcode::WriteImm,
            Operation::Read => Opcode::Read,
            Operation::Atomic => Opcode::Atomic,
        }
    }
}

/// A measuring method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A SEND over the wire minus one over a loopback.
    Rperf,
    /// A message that the other side's program returns, as in perftest.
    PingPong(Operation),
    /// A WRITE and its completion, as in qperf.
    PostPoll,
    /// Requests and their completions, one or several outstanding.
    ClosedLoop(Operation),
    /// As much data as possible.
    Bulk(Operation),
    /// Requests of a key-value store's clients and responses of its workers, as in HERD.
    KeyValue(KeyValue),
}

impl Method {
    /// Returns the operation of the method's messages.
    pub const fn operation(self) -> Operation {
        match self {
            Method::Rperf => Operation::Send,
            Method::PostPoll => Operation::Write,
            // Requests; responses are SENDs.
            Method::KeyValue(_) => Operation::WriteImm,
            Method::PingPong(operation)
            | Method::ClosedLoop(operation)
            | Method::Bulk(operation) => operation,
        }
    }
}

/// A measurement that both sides agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The method.
    pub method: Method,
    /// The transport service.
    pub transport: Transport,
    /// The payload of a message in bytes; with a key-value store, the size of a value.
    pub bytes: Within<0, { 1 << 30 }>,
    /// The largest payload inside a WQE, in bytes.
    pub inline: Within<0, 4096>,
    /// The number of queue pairs of a thread that carry messages.
    pub queue_pairs: Within<1, 1024>,
    /// The number of threads of a side that carry messages.
    pub threads: Within<1, 64>,
    /// The number of outstanding messages of a queue pair, with bulk and in a closed loop; with a key-value store, of
    /// outstanding requests of a client.
    pub depth: Within<1, 16384>,
    /// The largest payload of a packet, if both ports take it.
    pub mtu: Mtu,
    /// The service level.
    pub sl: Within<0, 15>,
    /// The traffic class of packets with a GID.
    pub traffic_class: Within<0, 255>,
    /// True if queue pairs are connected by RDMA-CM.
    pub manager: bool,
    /// True if both sides sleep until a completion wakes them.
    pub events: bool,
}

/// The reason for which a task is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// The arrival of an empty WRITE can't be detected.
    #[error(
        "an empty WRITE changes nothing, so its arrival can't be detected: ping-pong needs 1 B or more, or SEND"
    )]
    EmptyWrite,
    /// Datagrams can't be connected by RDMA-CM.
    #[error("datagrams (UD) have no connections that RDMA-CM could make")]
    NotByManager,
    /// An arriving WRITE causes no event.
    #[error(
        "a WRITE that arrives is no event, so ping-pong by WRITE can't wait for one: SEND or WRITE with immediate can"
    )]
    NoEvent,
    /// The operation causes no reception that could be answered or counted.
    #[error("{0} does not use READs and atomics; closed-loop does")]
    NotByThat(&'static str),
    /// Datagrams have no acknowledgements and access no memory.
    #[error("datagrams (UD) can only be measured by ping-pong and bulk, with SEND")]
    NotByDatagrams,
    /// Atomics have one size.
    #[error("an atomic has 8 B, not {0} B")]
    Atomic(u32),
    /// More queue pairs than fit a message of the protocol.
    #[error(
        "{threads} threads with {queue_pairs} queue pairs each are too many: {MOST_QUEUE_PAIRS} queue pairs in all \
         at most"
    )]
    TooManyPairs {
        /// The queue pairs of a thread.
        queue_pairs: u32,
        /// The threads.
        threads: u32,
    },
    /// A value that does not fit a datagram with its request.
    #[error("a value of {0} B is too long: a PUT and a datagram hold {most} B at most", most = KeyValue::MOST)]
    Value(u32),
    /// More requests than there is memory for.
    #[error(
        "{queue_pairs} queue pairs of {depth} requests are too many: {MOST_REQUESTS} in all at most"
    )]
    TooMany {
        /// The queue pairs.
        queue_pairs: u32,
        /// The requests of each.
        depth: u32,
    },
    /// More outstanding READs or atomics than a connection can have.
    #[error("{0} outstanding READs or atomics are too many for a connection: {MOST_READS} at most")]
    TooManyReads(u32),
}

/// The largest number of requests of all queue pairs, which is the length of the completion queue. Devices limit it.
pub(super) const MOST_REQUESTS: u32 = 1 << 17;

/// The largest number of outstanding READs and atomics of a connection, which both sides state in 8 bits (IBTA 9.4.4
/// and 12.6.5). Devices have fewer.
const MOST_READS: u32 = 255;

/// The largest number of queue pairs of all threads, which one line describes.
pub(super) const MOST_QUEUE_PAIRS: u32 = 1024;

/// A side of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The measuring side.
    Client,
    /// The responding side.
    Server,
}

/// The length of the send queue with one message at a time. Unsignalled requests stay in it until the next signalled
/// one completes; perftest's ping-pong signals one in a hundred.
const ONE_AT_A_TIME: u32 = 16;
const PING_PONG: u32 = 256;
/// The operand of an atomic in bytes (IBTA 9.4.5).
const ATOMIC: u32 = 8;
/// The number of RECVs with one message at a time.
pub(super) const RECVS: u32 = 64;

impl Task {
    /// Returns the queue pairs of each thread of a side.
    ///
    /// # Errors
    ///
    /// Returns [`TaskError`] if the task is impossible.
    pub fn plan(&self, part: Part) -> Result<Plan, TaskError> {
        let (depth, queue_pairs) = (self.depth.get(), self.queue_pairs.get());
        let (operation, bytes) = (self.method.operation(), self.bytes.get());
        let is_asked_for = matches!(operation, Operation::Read | Operation::Atomic);
        if operation == Operation::Atomic && bytes != ATOMIC {
            return Err(TaskError::Atomic(bytes));
        }
        let is_for_datagrams = matches!(
            self.method,
            Method::PingPong(Operation::Send) | Method::Bulk(Operation::Send)
        );
        let send_depth = match self.method {
            _ if self.transport == Transport::Ud && !is_for_datagrams => {
                return Err(TaskError::NotByDatagrams);
            }
            _ if queue_pairs * self.threads.get() > MOST_QUEUE_PAIRS => {
                let threads = self.threads.get();
                return Err(TaskError::TooManyPairs { queue_pairs, threads });
            }
            _ if self.manager && self.transport == Transport::Ud => {
                return Err(TaskError::NotByManager);
            }
            Method::KeyValue(_) if self.manager => return Err(TaskError::NotByManager),
            Method::KeyValue(store) => return store.plan(self, part),
            Method::PingPong(_) if is_asked_for => return Err(TaskError::NotByThat("ping-pong")),
            Method::PingPong(Operation::Write) if bytes == 0 => return Err(TaskError::EmptyWrite),
            Method::PingPong(Operation::Write) if self.events => return Err(TaskError::NoEvent),
            Method::Bulk(_) if is_asked_for => return Err(TaskError::NotByThat("bulk")),
            Method::Bulk(_) | Method::ClosedLoop(_) if queue_pairs * depth > MOST_REQUESTS => {
                return Err(TaskError::TooMany { queue_pairs, depth });
            }
            Method::ClosedLoop(_) if is_asked_for && depth > MOST_READS => {
                return Err(TaskError::TooManyReads(depth));
            }
            Method::PingPong(_) => PING_PONG,
            Method::Bulk(_) if part == Part::Client => depth,
            Method::ClosedLoop(_) if part == Part::Client => depth.max(ONE_AT_A_TIME),
            _ => ONE_AT_A_TIME,
        };
        let recv_depth = match self.method {
            // The receiving side needs twice as many, since half of them may be used up.
            Method::Bulk(_) if operation.takes_recv() && part == Part::Server => 2 * depth,
            Method::Bulk(_) => 0,
            Method::ClosedLoop(_) if operation.takes_recv() && part == Part::Server => {
                RECVS.max(2 * depth)
            }
            _ if operation.takes_recv() => RECVS,
            _ => 0,
        };
        let loopback = self.method == Method::Rperf && part == Part::Client;
        Ok(Plan {
            transport: self.transport,
            queue_pairs: queue_pairs as u16,
            datagrams: 0,
            loopback,
            completions: (queue_pairs + u32::from(loopback)) * (send_depth + recv_depth),
            bytes,
            send_depth,
            recv_depth,
            reads: if is_asked_for { depth as u8 } else { 1 },
            // Longer messages are not sent inline at all.
            inline: if bytes <= self.inline.get() { bytes } else { 0 },
            has_contents: false,
            sees_writes: self.method == Method::PingPong(Operation::Write),
            pages: WantedPages::Ordinary,
            // The method that subtracts the times of two completions.
            stamps: loopback,
        })
    }

    /// Returns the number of threads of a side.
    pub fn threads_of(&self, part: Part) -> u32 {
        match (self.method, part) {
            (Method::KeyValue(store), Part::Client) => store.clients.get(),
            (Method::KeyValue(store), Part::Server) => store.workers.get(),
            _ => self.threads.get(),
        }
    }

    /// Returns the other side for a thread of this one, counted from 0.
    pub fn other_side(&self, part: Part, thread: usize, other: &Side) -> Side {
        let (here, there) = match part {
            Part::Client => (self.threads_of(part), self.threads_of(Part::Server)),
            Part::Server => (self.threads_of(part), self.threads_of(Part::Client)),
        };
        match self.method {
            Method::KeyValue(_) => other.across(thread, here as usize, there as usize),
            _ => other.of_thread(thread, here as usize),
        }
    }

    /// Returns the path parameters.
    pub fn path(&self) -> Path {
        let (sl, traffic_class) = (self.sl.get() as u8, self.traffic_class.get() as u8);
        Path { mtu: self.mtu, sl, traffic_class }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn task(method: Method, bytes: u32, queue_pairs: u32, depth: u32) -> Task {
        Task {
            method,
            transport: Transport::Rc,
            bytes: bytes.try_into().unwrap(),
            inline: 236.try_into().unwrap(),
            queue_pairs: queue_pairs.try_into().unwrap(),
            threads: 1.try_into().unwrap(),
            depth: depth.try_into().unwrap(),
            mtu: Mtu::MAX,
            sl: 0.try_into().unwrap(),
            traffic_class: 0.try_into().unwrap(),
            manager: false,
            events: false,
        }
    }

    #[test]
    fn receiving_side_has_recvs() {
        let (send, write) = (Operation::Send, Operation::Write);
        for (method, client, server) in [
            (Method::Rperf, RECVS, RECVS),
            (Method::PingPong(send), RECVS, RECVS),
            (Method::PingPong(write), 0, 0),
            (Method::PostPoll, 0, 0),
            (Method::ClosedLoop(Operation::WriteImm), RECVS, 256),
            (Method::ClosedLoop(Operation::Read), 0, 0),
            (Method::Bulk(send), 0, 256),
            (Method::Bulk(write), 0, 0),
        ] {
            let task = task(method, 64, 1, 128);
            let recvs = |part| task.plan(part).unwrap().recv_depth;
            assert_eq!((recvs(Part::Client), recvs(Part::Server)), (client, server), "{method:?}");
            let loopback = task.plan(Part::Client).unwrap().loopback;
            assert_eq!(loopback, method == Method::Rperf);
            assert!(!task.plan(Part::Server).unwrap().loopback);
        }
    }

    /// A queue pair has room for all outstanding requests, on both sides.
    #[test]
    fn closed_loop_queues_hold_its_depth() {
        for (depth, send, recv) in [(1, ONE_AT_A_TIME, RECVS), (100, 100, 200)] {
            let task = task(Method::ClosedLoop(Operation::Send), 64, 1, depth);
            let (client, server) =
                (task.plan(Part::Client).unwrap(), task.plan(Part::Server).unwrap());
            assert_eq!((client.send_depth, server.recv_depth, client.reads), (send, recv, 1));
            assert!(server.completions >= server.recv_depth + server.send_depth);
        }
    }

    #[test]
    fn inline_is_used_up_to_its_limit() {
        let inline = |bytes| task(Method::Rperf, bytes, 1, 1).plan(Part::Client).unwrap().inline;
        assert_eq!((inline(0), inline(236), inline(237)), (0, 236, 0));
    }

    #[test]
    fn invalid_tasks_are_refused() {
        let empty = task(Method::PingPong(Operation::Write), 0, 1, 1);
        assert_eq!(empty.plan(Part::Server), Err(TaskError::EmptyWrite));
        let waits = Task { events: true, ..task(Method::PingPong(Operation::Write), 8, 1, 1) };
        assert_eq!(waits.plan(Part::Server), Err(TaskError::NoEvent));
        let error = |method, bytes| task(method, bytes, 1, 1).plan(Part::Server).unwrap_err();
        let atomic = Operation::Atomic;
        assert_eq!(error(Method::ClosedLoop(atomic), 64), TaskError::Atomic(64));
        assert_eq!(error(Method::PingPong(atomic), 8), TaskError::NotByThat("ping-pong"));
        assert_eq!(error(Method::Bulk(Operation::Read), 8), TaskError::NotByThat("bulk"));
        assert!(task(Method::ClosedLoop(atomic), 8, 1, 1).plan(Part::Client).is_ok());
        let ud = |method| Task { transport: Transport::Ud, ..task(method, 64, 1, 1) };
        assert_eq!(ud(Method::Rperf).plan(Part::Client), Err(TaskError::NotByDatagrams));
        let write = ud(Method::Bulk(Operation::Write)).plan(Part::Client);
        assert_eq!(write, Err(TaskError::NotByDatagrams));
        let ping_pong = ud(Method::PingPong(Operation::Send));
        assert!(ping_pong.plan(Part::Server).is_ok());
        let by_manager = Task { manager: true, ..ping_pong };
        assert_eq!(by_manager.plan(Part::Client), Err(TaskError::NotByManager));
        let reads =
            |depth| task(Method::ClosedLoop(Operation::Read), 8, 1, depth).plan(Part::Client);
        assert_eq!(reads(256), Err(TaskError::TooManyReads(256)));
        assert_eq!(reads(255).unwrap().reads, 255);
        let many = task(Method::Bulk(Operation::Write), 0, 1024, 16384);
        assert!(many.plan(Part::Client).unwrap_err().to_string().contains("1024 queue pairs"));
        let threads = 64.try_into().unwrap();
        let many = Task { threads, ..task(Method::Bulk(Operation::Write), 1, 17, 1) };
        assert!(many.plan(Part::Client).unwrap_err().to_string().contains("64 threads with 17"));
        assert_eq!(Within::<1, 5>::try_from(6).unwrap_err().to_string(), "6 is not within 1 to 5");
    }
}
