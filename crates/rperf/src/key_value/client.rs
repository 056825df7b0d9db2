//! [`KeyValueClient`]: a window of requests outstanding.

use super::{KeyValueQps, KeyValueSizes, SIGNAL_EVERY};
use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Opcode, Posts, Program, WorkRequest};
use bandwise_units::Time;
use std::collections::VecDeque;

/// Settings of [`KeyValueClient`].
#[derive(Debug, Clone)]
pub struct KeyValueClientSettings {
    /// Queue pairs to the workers, which get requests round-robin.
    pub workers: Vec<KeyValueQps>,
    /// Number of requests outstanding over all workers; at least 1.
    pub window: u32,
    /// Sizes of requests and responses.
    pub sizes: KeyValueSizes,
    /// One request in this many is a PUT; none if 0.
    pub put_every: u32,
    /// Largest request sent inline in the WQE, in bytes.
    pub inline_max: u32,
    /// Number of rounds. Without a pause, a response is followed by a request at once.
    pub rounds: Rounds,
}

/// A client of a key-value store. It keeps a window of requests outstanding and measures the time
/// from posting a request to seeing its response.
#[derive(Debug, Clone)]
pub struct KeyValueClient {
    workers: Vec<Worker>,
    next: usize,
    window: u64,
    sizes: KeyValueSizes,
    put_every: u64,
    inline_max: u32,
    posted: u64,
    responses: u64,
    ready: Time,
    measure: Box<Measure>,
}

/// A worker as seen by the client: it responds in the order of the requests.
#[derive(Debug, Clone)]
struct Worker {
    qps: KeyValueQps,
    /// Post times of requests without a response, oldest first.
    posted_at: VecDeque<Time>,
    /// Number of requests posted to this worker.
    posted: u64,
}

impl KeyValueClient {
    /// Creates a client.
    ///
    /// # Panics
    ///
    /// If there is no worker, or the window is 0.
    pub fn new(settings: KeyValueClientSettings) -> Self {
        let s = settings;
        assert!(
            !s.workers.is_empty() && s.window > 0,
            "a client needs a worker and a window of at least 1"
        );
        let posted_at = || VecDeque::with_capacity(s.window as usize);
        KeyValueClient {
            workers: s
                .workers
                .iter()
                .map(|&qps| Worker { qps, posted_at: posted_at(), posted: 0 })
                .collect(),
            next: 0,
            window: u64::from(s.window),
            sizes: s.sizes,
            put_every: u64::from(s.put_every),
            inline_max: s.inline_max,
            posted: 0,
            responses: 0,
            ready: Time::ZERO,
            measure: Measure::new(s.rounds),
        }
    }

    /// Returns the measurement so far: times from posting a request to seeing its response.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        &mut self.measure
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        if completion.kind != CompletionKind::Received {
            return;
        }
        let from = self.workers.iter_mut().find(|w| w.qps.responses == completion.qp);
        let Some(posted) = from.and_then(|worker| worker.posted_at.pop_front()) else { return };
        self.responses += 1;
        self.ready = self.measure.end_round(now, now.signed_ps_since(posted), None);
    }

    fn post_request(&mut self, now: Time, posts: &mut Posts) {
        let is_put = self.put_every > 0 && (self.posted + 1).is_multiple_of(self.put_every);
        let bytes = if is_put { self.sizes.put } else { self.sizes.get };
        let worker = &mut self.workers[self.next];
        worker.posted_at.push_back(now);
        posts.post(WorkRequest {
            qp: worker.qps.requests,
            id: self.posted,
            opcode: Opcode::WriteImm,
            bytes,
            signaled: worker.posted.is_multiple_of(SIGNAL_EVERY),
            inline: bytes <= self.inline_max,
            ring: true,
        });
        worker.posted += 1;
        self.posted += 1;
        self.next = (self.next + 1) % self.workers.len();
    }
}

impl Program for KeyValueClient {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for completion in seen {
            self.see(now, completion);
        }
        if self.measure.is_done() {
            return Next::Done;
        }
        let has_room = self.posted < self.responses + self.window;
        if has_room && now < self.ready {
            return Next::At(self.ready);
        }
        while self.posted < self.responses + self.window {
            self.post_request(now, posts);
        }
        Next::Completion
    }
}
