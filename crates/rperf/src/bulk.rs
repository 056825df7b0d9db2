//! [`Bulk`]: the bandwidth-sensitive generator.

use crate::Window;
use crate::slices::Slices;
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::{BitRate, Bytes, Time};

/// Settings of [`Bulk`].
#[derive(Debug, Clone)]
pub struct BulkSettings {
    /// Queue pairs, served round-robin, one list of messages each.
    pub qps: Vec<Qp>,
    /// Operation of each message; usually SEND or WRITE.
    pub opcode: Opcode,
    /// Payload of a message in bytes.
    pub bytes: u32,
    /// Registered send buffer shared by all queue pairs. The payload of messages posted and not yet
    /// seen completed stays within it.
    pub buffer: Bytes,
    /// Send queue of each queue pair: largest number of messages posted and not yet seen completed.
    pub depth: u32,
    /// Messages per doorbell. Lists are shorter if this exceeds half of the largest number of
    /// outstanding messages, so that one list is in flight while the next is made.
    pub batch: u32,
    /// One message in this many is signaled; its completion also frees all earlier ones of its
    /// queue pair. The number is lowered to half of the largest number of outstanding messages, and
    /// to a value that can't stall.
    pub signal_every: u32,
    /// Largest payload sent inline in the WQE, in bytes.
    pub inline_max: u32,
    /// Start time.
    pub start: Time,
    /// End time, regardless of outstanding messages.
    pub until: Option<Time>,
    /// Number of messages, split evenly among the queue pairs; the generator is done when all have
    /// completed.
    pub messages: Option<u64>,
    /// Limit of the payload rate; unlimited if not given. After a late list the next may follow at
    /// once, but no further delay is compensated.
    pub rate: Option<BitRate>,
    /// Time window in which completions count.
    pub window: Window,
}

/// Reason why a generator can't run with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BulkError {
    /// There is no queue pair to send on.
    #[error("a bulk generator needs at least one queue pair")]
    NoQueuePair,
    /// A count that must be positive is zero.
    #[error("the {0} of a bulk generator is 0: it must be at least 1")]
    Zero(&'static str),
    /// A message is larger than the send buffer.
    #[error("a message of {bytes} does not fit the send buffer of {buffer}")]
    MessageBeyondBuffer {
        /// Size of a message.
        bytes: Bytes,
        /// Size of the buffer.
        buffer: Bytes,
    },
    /// The window is empty.
    #[error("the window from {from} to {to} is empty")]
    EmptyWindow {
        /// Start of the window.
        from: Time,
        /// End of the window.
        to: Time,
    },
}

/// Payload seen completed in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bandwidth {
    /// Payload bytes.
    pub bytes: Bytes,
    /// Number of messages.
    pub messages: u64,
    /// Start of the window.
    pub from: Time,
    /// End of the window, or of the generator if that is earlier.
    pub to: Time,
}

impl Bandwidth {
    /// Returns the payload rate.
    pub fn rate(&self) -> BitRate {
        BitRate::over(self.bytes, self.to.saturating_sub(self.from))
    }
}

/// The paper's bandwidth-sensitive generator. It posts without waiting for responses, as fast as
/// its send buffer and send queues allow.
#[derive(Debug, Clone)]
pub struct Bulk {
    queues: Vec<SendQueue>,
    next_queue: usize,
    opcode: Opcode,
    bytes: u32,
    inline: bool,
    /// Number of messages that the buffer holds, and number outstanding.
    slots: u64,
    outstanding: u64,
    depth: u64,
    batch: u64,
    signal_every: u64,
    until: Time,
    rate: Option<BitRate>,
    /// Earliest time of the next list.
    ready: Time,
    window: Window,
    messages_in_window: u64,
    /// Messages by slices of the window, if requested.
    slices: Option<Slices>,
    /// Time at which a message was last seen completed.
    last: Option<Time>,
    ended: Option<Time>,
}

/// The send queue of a queue pair. Requests complete in the order in which they were posted, and
/// their ids count them, so two counters describe its state.
#[derive(Debug, Clone)]
struct SendQueue {
    qp: Qp,
    posted: u64,
    completed: u64,
    /// Total number of messages to send.
    quota: u64,
    /// The next signaled message, counted from 1.
    next_signal: u64,
}

impl Bulk {
    /// Creates a generator.
    ///
    /// # Errors
    ///
    /// No queue pair, a depth, batch, signal interval or rate of zero, an empty window, or a
    /// message larger than the buffer.
    pub fn new(settings: BulkSettings) -> Result<Self, BulkError> {
        let s = settings;
        let n = s.qps.len() as u64;
        if n == 0 {
            return Err(BulkError::NoQueuePair);
        }
        let counts = [("depth", s.depth), ("batch", s.batch), ("signal interval", s.signal_every)];
        if let Some((name, _)) = counts.into_iter().find(|&(_, count)| count == 0) {
            return Err(BulkError::Zero(name));
        }
        if s.rate.is_some_and(|rate| rate.as_bps() == 0) {
            return Err(BulkError::Zero("rate"));
        }
        if s.window.from >= s.window.to {
            return Err(BulkError::EmptyWindow { from: s.window.from, to: s.window.to });
        }
        let slots = s.buffer.get().checked_div(u64::from(s.bytes)).unwrap_or(u64::MAX);
        if slots == 0 {
            let bytes = Bytes::new(u64::from(s.bytes));
            return Err(BulkError::MessageBeyondBuffer { bytes, buffer: s.buffer });
        }
        let depth = u64::from(s.depth);
        let half = (slots.min(depth) / 2).max(1);
        let batch = u64::from(s.batch).min(half);
        // Messages after the last signaled one must leave room for a list in each queue and in the
        // shared buffer. Otherwise no completion would ever free them. The limit for the send queue
        // follows from the two halves.
        let no_stall = (slots - batch) / n + 1;
        let signal_every = u64::from(s.signal_every).min(half).min(no_stall);
        let queue = |(qp, i): (Qp, u64)| {
            let share = |messages: u64| messages / n + u64::from(i < messages % n);
            let quota = s.messages.map_or(u64::MAX, share);
            SendQueue { qp, posted: 0, completed: 0, quota, next_signal: signal_every }
        };
        Ok(Bulk {
            queues: s.qps.iter().copied().zip(0..).map(queue).collect(),
            next_queue: 0,
            opcode: s.opcode,
            bytes: s.bytes,
            inline: s.opcode.carries_payload() && s.bytes <= s.inline_max,
            slots,
            outstanding: 0,
            depth,
            batch,
            signal_every,
            until: s.until.unwrap_or(Time::MAX),
            rate: s.rate,
            ready: s.start,
            window: s.window,
            messages_in_window: 0,
            slices: None,
            last: None,
            ended: None,
        })
    }

    /// Also counts completions in each slice of the window, of length `each`.
    pub fn by_slices(mut self, each: Time) -> Self {
        self.slices = Some(Slices::new(self.window.from, each));
        self
    }

    /// Returns the completions by slice, or `None` if slices were not requested.
    pub fn slices(&self) -> Option<&Slices> {
        self.slices.as_ref()
    }

    /// Returns the payload completed in the window so far.
    pub fn bandwidth(&self) -> Bandwidth {
        let Window { from, to } = self.window;
        let to = self.ended.map_or(to, |ended| ended.clamp(from, to));
        let messages = self.messages_in_window;
        Bandwidth { bytes: Bytes::new(u64::from(self.bytes)) * messages, messages, from, to }
    }

    /// Returns the number of messages posted, inside and outside of the window.
    pub fn posted(&self) -> u64 {
        self.queues.iter().map(|queue| queue.posted).sum()
    }

    /// Returns the number of messages seen completed, inside and outside of the window.
    pub fn completed(&self) -> u64 {
        self.queues.iter().map(|queue| queue.completed).sum()
    }

    /// Returns when a message was last seen completed, inside or outside of the window; `None` if
    /// none was.
    pub fn last(&self) -> Option<Time> {
        self.last
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        if completion.kind != CompletionKind::Sent(self.opcode) {
            return;
        }
        let ours = self.queues.iter_mut().find(|queue| queue.qp == completion.qp);
        let Some(queue) = ours else { return };
        let freed = (completion.id + 1).saturating_sub(queue.completed);
        queue.completed += freed;
        self.outstanding -= freed;
        self.last = Some(now);
        if (self.window.from..self.window.to).contains(&now) {
            self.messages_in_window += freed;
            if let Some(slices) = &mut self.slices {
                slices.add(now, freed);
            }
        }
    }

    /// Returns the length of the list that the queue could post now, or zero without room for all
    /// of it.
    fn list_len(&self, queue: &SendQueue) -> u64 {
        let len = self.batch.min(queue.quota - queue.posted);
        let room =
            (self.slots - self.outstanding).min(self.depth - (queue.posted - queue.completed));
        if len <= room { len } else { 0 }
    }

    /// Returns the next queue in round-robin order that can post a list, and the list's length.
    fn queue_with_room(&self) -> Option<(usize, u64)> {
        let in_turn = (self.next_queue..self.queues.len()).chain(0..self.next_queue);
        in_turn.map(|i| (i, self.list_len(&self.queues[i]))).find(|&(_, len)| len > 0)
    }

    fn post_list(&mut self, index: usize, len: u64, now: Time, posts: &mut Posts) {
        let queue = &mut self.queues[index];
        for id in queue.posted..queue.posted + len {
            posts.post(WorkRequest {
                qp: queue.qp,
                id,
                opcode: self.opcode,
                bytes: self.bytes,
                signaled: id + 1 == queue.next_signal || id + 1 == queue.quota,
                inline: self.inline,
                ring: id + 1 == queue.posted + len,
            });
            if id + 1 == queue.next_signal {
                queue.next_signal += self.signal_every;
            }
        }
        queue.posted += len;
        self.outstanding += len;
        self.next_queue = if index + 1 < self.queues.len() { index + 1 } else { 0 };
        if let Some(rate) = self.rate {
            let takes = rate.time_for(Bytes::new(u64::from(self.bytes)) * len);
            self.ready = self.ready.max(now.saturating_sub(takes)) + takes;
        }
    }
}

impl Program for Bulk {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for completion in seen {
            self.see(now, completion);
        }
        let all_sent = || self.queues.iter().all(|queue| queue.completed == queue.quota);
        if self.ended.is_some() || now >= self.until || all_sent() {
            self.ended.get_or_insert(now);
            return Next::Done;
        }
        let mut waiting = self.queue_with_room();
        while let Some((queue, len)) = waiting.filter(|_| now >= self.ready) {
            self.post_list(queue, len, now, posts);
            waiting = self.queue_with_room();
        }
        let wake = if waiting.is_some() { self.ready.min(self.until) } else { self.until };
        if wake == Time::MAX { Next::Completion } else { Next::At(wake) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> BulkSettings {
        BulkSettings {
            qps: vec![Qp(0)],
            opcode: Opcode::Write,
            bytes: 4096,
            buffer: Bytes::from_kib(32),
            depth: 128,
            batch: 1,
            signal_every: 1,
            inline_max: 0,
            start: Time::ZERO,
            until: None,
            messages: None,
            rate: None,
            window: Window { from: Time::ZERO, to: Time::from_us(1) },
        }
    }

    fn posted(bulk: &mut Bulk, now: Time, seen: &[Completion]) -> (Vec<WorkRequest>, Next) {
        let mut posts = Posts::default();
        let next = bulk.step(now, seen, &mut posts);
        (posts.drain().collect(), next)
    }

    fn completion(qp: Qp, id: u64) -> Completion {
        let kind = CompletionKind::Sent(Opcode::Write);
        Completion { qp, id, kind, bytes: 4096, truth: None, stamp: None }
    }

    #[test]
    fn fills_its_buffer_and_refills_what_completes() {
        let mut bulk = Bulk::new(settings()).unwrap();
        let (first, next) = posted(&mut bulk, Time::ZERO, &[]);
        assert_eq!((first.len(), next), (8, Next::Completion));
        assert!(first.iter().all(|r| r.signaled && r.ring && !r.inline));
        let seen = [completion(Qp(0), 0), completion(Qp(0), 1)];
        let (refill, _) = posted(&mut bulk, Time::from_us(1), &seen);
        assert_eq!(refill.iter().map(|r| r.id).collect::<Vec<_>>(), [8, 9]);
        // The window does not include its end.
        assert_eq!(bulk.bandwidth().messages, 0);
    }

    #[test]
    fn lists_share_a_doorbell_and_queue_pairs_alternate() {
        let qps = vec![Qp(4), Qp(7)];
        let mut bulk =
            Bulk::new(BulkSettings { qps, batch: 2, signal_every: 2, ..settings() }).unwrap();
        let (list, _) = posted(&mut bulk, Time::ZERO, &[]);
        let shape: Vec<_> = list.iter().map(|r| (r.qp.0, r.id, r.signaled, r.ring)).collect();
        let of = |qp, id| [(qp, id, false, false), (qp, id + 1, true, true)];
        assert_eq!(shape, [of(4, 0), of(7, 0), of(4, 2), of(7, 2)].concat());
        // One completion frees two messages.
        let (refill, _) = posted(&mut bulk, Time::from_ns(1), &[completion(Qp(7), 1)]);
        assert_eq!(refill.len(), 2);
        assert_eq!(bulk.bandwidth().messages, 2);
    }

    #[test]
    fn a_rate_spreads_the_lists() {
        // 4096 bytes at 32.768 Gbps are 1 us.
        let rate = Some(BitRate::from_bps(32_768_000_000));
        let mut bulk = Bulk::new(BulkSettings { rate, ..settings() }).unwrap();
        let us = Time::from_us;
        let (first, next) = posted(&mut bulk, Time::ZERO, &[]);
        assert_eq!((first.len(), next), (1, Next::At(us(1))));
        let (none, next) = posted(&mut bulk, Time::from_ns(900), &[]);
        assert_eq!((none.len(), next), (0, Next::At(us(1))));
        // After a short delay the pace holds. After a long one, a single list is made up.
        let (_, next) = posted(&mut bulk, Time::from_ns(1_300), &[]);
        assert_eq!(next, Next::At(us(2)));
        let (burst, next) = posted(&mut bulk, us(9), &[]);
        assert_eq!((burst.len(), next), (2, Next::At(us(10))));
    }

    #[test]
    fn starts_and_ends_at_the_given_times() {
        let (start, until) = (Time::from_ns(10), Some(Time::from_ns(500)));
        let mut bulk = Bulk::new(BulkSettings { start, until, ..settings() }).unwrap();
        assert_eq!(posted(&mut bulk, Time::ZERO, &[]), (vec![], Next::At(start)));
        assert_eq!(posted(&mut bulk, start, &[]).1, Next::At(Time::from_ns(500)));
        let (none, next) = posted(&mut bulk, Time::from_ns(500), &[completion(Qp(0), 0)]);
        assert_eq!((none.len(), next), (0, Next::Done));
        let bandwidth = bulk.bandwidth();
        assert_eq!((bandwidth.messages, bandwidth.to), (1, Time::from_ns(500)));
        assert_eq!(bandwidth.rate().as_bps(), 4096 * 8 * 2_000_000);
    }

    #[test]
    fn invalid_settings_are_refused() {
        let error = |settings| Bulk::new(settings).unwrap_err().to_string();
        assert_eq!(
            error(BulkSettings { bytes: 65_536, ..settings() }),
            "a message of 64 KiB does not fit the send buffer of 32 KiB"
        );
        assert_eq!(
            error(BulkSettings { batch: 0, ..settings() }),
            "the batch of a bulk generator is 0: it must be at least 1"
        );
        assert_eq!(
            error(BulkSettings { qps: vec![], ..settings() }),
            "a bulk generator needs at least one queue pair"
        );
        let window = Window { from: Time::from_us(1), to: Time::from_us(1) };
        assert_eq!(
            error(BulkSettings { window, ..settings() }),
            "the window from 1 us to 1 us is empty"
        );
    }
}
