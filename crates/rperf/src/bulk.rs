//! [`Bulk`]: the bandwidth generator.

use crate::Window;
use crate::slices::Slices;
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::{BitRate, Bytes, Time};

/// What [`Bulk`] is to do.
#[derive(Debug, Clone)]
pub struct BulkSettings {
    /// The queue pairs, served in turn, a list of messages each.
    pub qps: Vec<Qp>,
    /// SEND or WRITE, usually.
    pub opcode: Opcode,
    /// Payload of a message, bytes.
    pub bytes: u32,
    /// The registered send buffer that all queue pairs share: the payload of messages posted and
    /// not yet seen completed stays within it.
    pub buffer: Bytes,
    /// The send queue of each queue pair: how many messages may be posted to it and not yet seen
    /// completed.
    pub depth: u32,
    /// How many messages are handed over with one doorbell. Lists are shorter where this is more
    /// than half of what may be outstanding, so that one is on its way while the next is made.
    pub batch: u32,
    /// One message in this many asks for a completion, which frees all earlier ones of its queue
    /// pair too. Lowered to half of what may be outstanding, and to what can't stall.
    pub signal_every: u32,
    /// The largest payload that travels inside the WQE, bytes.
    pub inline_max: u32,
    /// When to begin.
    pub start: Time,
    /// When to stop, whatever is still outstanding.
    pub until: Option<Time>,
    /// How many messages to send, split evenly among the queue pairs; done when all completed.
    pub messages: Option<u64>,
    /// Payload rate not to exceed; as fast as possible without. A list that was late lets the
    /// next one follow at once, more is not caught up.
    pub rate: Option<BitRate>,
    /// When completions count.
    pub window: Window,
}

/// Settings that no generator can run by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BulkError {
    /// There is nowhere to send.
    #[error("a bulk generator needs at least one queue pair")]
    NoQueuePair,
    /// A count that must be positive is zero.
    #[error("the {0} of a bulk generator is 0: it must be at least 1")]
    Zero(&'static str),
    /// Not one message fits.
    #[error("a message of {bytes} does not fit the send buffer of {buffer}")]
    MessageBeyondBuffer {
        /// The size of a message.
        bytes: Bytes,
        /// The size of the buffer.
        buffer: Bytes,
    },
    /// The window is empty.
    #[error("the window from {from} to {to} is empty")]
    EmptyWindow {
        /// Its start.
        from: Time,
        /// Its end.
        to: Time,
    },
}

/// Payload that was seen completed in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bandwidth {
    /// Payload bytes.
    pub bytes: Bytes,
    /// Messages.
    pub messages: u64,
    /// The start of the window.
    pub from: Time,
    /// The end of the window, or of the generator if that came first.
    pub to: Time,
}

impl Bandwidth {
    /// Payload over time.
    pub fn rate(&self) -> BitRate {
        BitRate::over(self.bytes, self.to.saturating_sub(self.from))
    }
}

/// The paper's bandwidth-sensitive generator: posts without waiting for answers, as fast as its
/// send buffer and its send queues let it.
#[derive(Debug, Clone)]
pub struct Bulk {
    lanes: Vec<Lane>,
    next_lane: usize,
    opcode: Opcode,
    bytes: u32,
    inline: bool,
    /// How many messages the buffer holds, and how many of them are taken.
    slots: u64,
    outstanding: u64,
    depth: u64,
    batch: u64,
    signal_every: u64,
    until: Time,
    rate: Option<BitRate>,
    /// No list is posted before.
    ready: Time,
    window: Window,
    messages_in_window: u64,
    /// The same by slices of the window, where somebody wants to know.
    slices: Option<Slices>,
    /// When a message was seen completed the last time.
    last: Option<Time>,
    ended: Option<Time>,
}

/// One queue pair. Its requests end in the order in which they were posted, and their ids count
/// them, so that two counters are all there is to know.
#[derive(Debug, Clone)]
struct Lane {
    qp: Qp,
    posted: u64,
    completed: u64,
    /// How many messages it sends in all.
    quota: u64,
    /// The next one to ask for a completion, counted from 1.
    next_signal: u64,
}

impl Bulk {
    /// A generator that is about to begin.
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
        // The messages behind the last one that asked for a completion must leave room for a
        // list, in each queue and in the buffer that the queues share; otherwise nothing would
        // ever free them. The send queue's part of this follows from the two halves.
        let no_stall = (slots - batch) / n + 1;
        let signal_every = u64::from(s.signal_every).min(half).min(no_stall);
        let lane = |(qp, i): (Qp, u64)| {
            let share = |messages: u64| messages / n + u64::from(i < messages % n);
            let quota = s.messages.map_or(u64::MAX, share);
            Lane { qp, posted: 0, completed: 0, quota, next_signal: signal_every }
        };
        Ok(Bulk {
            lanes: s.qps.iter().copied().zip(0..).map(lane).collect(),
            next_lane: 0,
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

    /// The same, which counts besides what completes in each slice of its window.
    pub fn by_slices(mut self, each: Time) -> Self {
        self.slices = Some(Slices::new(self.window.from, each));
        self
    }

    /// What completed in each slice; `None` if nobody asked for that.
    pub fn slices(&self) -> Option<&Slices> {
        self.slices.as_ref()
    }

    /// What has completed in the window so far.
    pub fn bandwidth(&self) -> Bandwidth {
        let Window { from, to } = self.window;
        let to = self.ended.map_or(to, |ended| ended.clamp(from, to));
        let messages = self.messages_in_window;
        Bandwidth { bytes: Bytes::new(u64::from(self.bytes)) * messages, messages, from, to }
    }

    /// How many messages were posted, in the window or not.
    pub fn posted(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.posted).sum()
    }

    /// How many messages were seen completed, in the window or not.
    pub fn completed(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.completed).sum()
    }

    /// When a message was seen completed the last time, in the window or not; `None` if none was.
    pub fn last(&self) -> Option<Time> {
        self.last
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        if completion.kind != CompletionKind::Sent(self.opcode) {
            return;
        }
        let ours = self.lanes.iter_mut().find(|lane| lane.qp == completion.qp);
        let Some(lane) = ours else { return };
        let freed = (completion.id + 1).saturating_sub(lane.completed);
        lane.completed += freed;
        self.outstanding -= freed;
        self.last = Some(now);
        if (self.window.from..self.window.to).contains(&now) {
            self.messages_in_window += freed;
            if let Some(slices) = &mut self.slices {
                slices.add(now, freed);
            }
        }
    }

    /// The length of the list that the lane would post now; zero without room for all of it.
    fn list_len(&self, lane: &Lane) -> u64 {
        let len = self.batch.min(lane.quota - lane.posted);
        let room = (self.slots - self.outstanding).min(self.depth - (lane.posted - lane.completed));
        if len <= room { len } else { 0 }
    }

    /// The next lane in turn that can post a list, and how long that would be.
    fn lane_with_room(&self) -> Option<(usize, u64)> {
        let in_turn = (self.next_lane..self.lanes.len()).chain(0..self.next_lane);
        in_turn.map(|i| (i, self.list_len(&self.lanes[i]))).find(|&(_, len)| len > 0)
    }

    fn post_list(&mut self, index: usize, len: u64, now: Time, posts: &mut Posts) {
        let lane = &mut self.lanes[index];
        for id in lane.posted..lane.posted + len {
            posts.post(WorkRequest {
                qp: lane.qp,
                id,
                opcode: self.opcode,
                bytes: self.bytes,
                signaled: id + 1 == lane.next_signal || id + 1 == lane.quota,
                inline: self.inline,
                ring: id + 1 == lane.posted + len,
            });
            if id + 1 == lane.next_signal {
                lane.next_signal += self.signal_every;
            }
        }
        lane.posted += len;
        self.outstanding += len;
        self.next_lane = if index + 1 < self.lanes.len() { index + 1 } else { 0 };
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
        let all_sent = || self.lanes.iter().all(|lane| lane.completed == lane.quota);
        if self.ended.is_some() || now >= self.until || all_sent() {
            self.ended.get_or_insert(now);
            return Next::Done;
        }
        let mut waiting = self.lane_with_room();
        while let Some((lane, len)) = waiting.filter(|_| now >= self.ready) {
            self.post_list(lane, len, now, posts);
            waiting = self.lane_with_room();
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
    fn lists_share_a_doorbell_and_queue_pairs_take_turns() {
        let qps = vec![Qp(4), Qp(7)];
        let mut bulk =
            Bulk::new(BulkSettings { qps, batch: 2, signal_every: 2, ..settings() }).unwrap();
        let (list, _) = posted(&mut bulk, Time::ZERO, &[]);
        let shape: Vec<_> = list.iter().map(|r| (r.qp.0, r.id, r.signaled, r.ring)).collect();
        let of = |qp, id| [(qp, id, false, false), (qp, id + 1, true, true)];
        assert_eq!(shape, [of(4, 0), of(7, 0), of(4, 2), of(7, 2)].concat());
        // One completion frees two.
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
        // Late by a little: the pace holds. Late by much: one list is caught up.
        let (_, next) = posted(&mut bulk, Time::from_ns(1_300), &[]);
        assert_eq!(next, Next::At(us(2)));
        let (burst, next) = posted(&mut bulk, us(9), &[]);
        assert_eq!((burst.len(), next), (2, Next::At(us(10))));
    }

    #[test]
    fn begins_and_ends_when_told() {
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
    fn what_can_not_run_is_refused() {
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
