//! [`KeyValueClient`]: a window of requests outstanding.

use super::{KeyValueSizes, Route, SIGNAL_EVERY};
use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Opcode, Posts, Program, WorkRequest};
use bandwise_units::Time;
use std::collections::VecDeque;

/// What [`KeyValueClient`] is to do.
#[derive(Debug, Clone)]
pub struct KeyValueClientSettings {
    /// Its ways to the workers, which get a request in turn.
    pub workers: Vec<Route>,
    /// How many requests are outstanding, over all workers; at least 1.
    pub window: u32,
    /// How large they are.
    pub sizes: KeyValueSizes,
    /// One request in this many is a PUT; with 0 none is.
    pub put_every: u32,
    /// The largest request that travels inside the WQE, bytes.
    pub inline_max: u32,
    /// How often to measure. Without a pause after an answer, another request follows at once.
    pub rounds: Rounds,
}

/// A client of a key-value store: it keeps a window of requests outstanding and takes the time from
/// posting one to seeing its answer.
#[derive(Debug, Clone)]
pub struct KeyValueClient {
    workers: Vec<Worker>,
    next: usize,
    window: u64,
    sizes: KeyValueSizes,
    put_every: u64,
    inline_max: u32,
    posted: u64,
    answered: u64,
    ready: Time,
    measure: Box<Measure>,
}

/// A worker as the client knows it: it answers in the order in which it was asked.
#[derive(Debug, Clone)]
struct Worker {
    route: Route,
    /// When requests that are not answered were posted, oldest first.
    asked: VecDeque<Time>,
    /// How many requests it got.
    posted: u64,
}

impl KeyValueClient {
    /// A client that is about to begin. Panics without a worker or a window.
    pub fn new(settings: KeyValueClientSettings) -> Self {
        let s = settings;
        assert!(!s.workers.is_empty() && s.window > 0, "nobody is asked anything");
        let asked = || VecDeque::with_capacity(s.window as usize);
        KeyValueClient {
            workers: s
                .workers
                .iter()
                .map(|&route| Worker { route, asked: asked(), posted: 0 })
                .collect(),
            next: 0,
            window: u64::from(s.window),
            sizes: s.sizes,
            put_every: u64::from(s.put_every),
            inline_max: s.inline_max,
            posted: 0,
            answered: 0,
            ready: Time::ZERO,
            measure: Measure::new(s.rounds),
        }
    }

    /// What was measured so far: from posting a request to its answer seen.
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
        let from = self.workers.iter_mut().find(|w| w.route.answers == completion.qp);
        let Some(posted) = from.and_then(|worker| worker.asked.pop_front()) else { return };
        self.answered += 1;
        self.ready = self.measure.end_round(now, now.signed_ps_since(posted), None);
    }

    fn ask(&mut self, now: Time, posts: &mut Posts) {
        let is_put = self.put_every > 0 && (self.posted + 1).is_multiple_of(self.put_every);
        let bytes = if is_put { self.sizes.put } else { self.sizes.get };
        let worker = &mut self.workers[self.next];
        worker.asked.push_back(now);
        posts.post(WorkRequest {
            qp: worker.route.requests,
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
        let has_room = self.posted < self.answered + self.window;
        if has_room && now < self.ready {
            return Next::At(self.ready);
        }
        while self.posted < self.answered + self.window {
            self.ask(now, posts);
        }
        Next::Completion
    }
}
