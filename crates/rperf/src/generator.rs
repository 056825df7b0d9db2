//! [`Generator`]: any method or generator, for drivers that run many.

use crate::{
    AgainstTruth, Bandwidth, Bulk, ClosedLoop, KeyValueClient, KeyValueWorker, Latency, Measure,
    PingPongInitiator, PingPongResponder, PostPoll, RPerf, Window,
};
use bandwise_rdma::verbs::{Completion, Next, Posts, Program};
use bandwise_units::Time;

/// One of the measuring methods or traffic generators.
#[derive(Debug, Clone)]
pub enum Generator {
    /// RPerf's method.
    RPerf(RPerf),
    /// perftest's method, the side that measures.
    PingPongInitiator(PingPongInitiator),
    /// perftest's method, the side that answers.
    PingPongResponder(PingPongResponder),
    /// qperf's method.
    PostPoll(PostPoll),
    /// One request at a time.
    ClosedLoop(ClosedLoop),
    /// A client of a key-value store.
    KeyValueClient(KeyValueClient),
    /// A worker of a key-value store.
    KeyValueWorker(KeyValueWorker),
    /// The bandwidth generator.
    Bulk(Bulk),
}

impl Generator {
    /// What it measured so far, if it is one that measures latency.
    pub fn measure(&self) -> Option<&Measure> {
        match self {
            Generator::RPerf(g) => Some(g.measure()),
            Generator::PingPongInitiator(g) => Some(g.measure()),
            Generator::PostPoll(g) => Some(g.measure()),
            Generator::ClosedLoop(g) => Some(g.measure()),
            Generator::KeyValueClient(g) => Some(g.measure()),
            Generator::PingPongResponder(_) | Generator::KeyValueWorker(_) | Generator::Bulk(_) => {
                None
            }
        }
    }

    /// Has what it measures in a window recorded by itself, besides. A bandwidth generator has its window from
    /// the beginning.
    pub fn count_within(&mut self, window: Window) {
        let measure = match self {
            Generator::RPerf(g) => g.measure_mut(),
            Generator::PingPongInitiator(g) => g.measure_mut(),
            Generator::PostPoll(g) => g.measure_mut(),
            Generator::ClosedLoop(g) => g.measure_mut(),
            Generator::KeyValueClient(g) => g.measure_mut(),
            Generator::PingPongResponder(_) | Generator::KeyValueWorker(_) | Generator::Bulk(_) => {
                return;
            }
        };
        measure.count_within(window);
    }

    /// The latencies recorded so far, if it is one that measures them.
    pub fn latency(&self) -> Option<&Latency> {
        self.measure().map(Measure::latency)
    }

    /// The same beside the truth, if it is known.
    pub fn against_truth(&self) -> Option<&AgainstTruth> {
        self.measure().and_then(Measure::against_truth)
    }

    /// When it last saw a message completed, or a round of some; `None` if it never did, or does not look.
    pub fn last(&self) -> Option<Time> {
        match self {
            Generator::Bulk(g) => g.last(),
            _ => self.measure().and_then(Measure::last),
        }
    }

    /// What completed in its window, if it is a bandwidth generator.
    pub fn bandwidth(&self) -> Option<Bandwidth> {
        match self {
            Generator::Bulk(g) => Some(g.bandwidth()),
            _ => None,
        }
    }
}

impl Program for Generator {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        match self {
            Generator::RPerf(g) => g.step(now, seen, posts),
            Generator::PingPongInitiator(g) => g.step(now, seen, posts),
            Generator::PingPongResponder(g) => g.step(now, seen, posts),
            Generator::PostPoll(g) => g.step(now, seen, posts),
            Generator::ClosedLoop(g) => g.step(now, seen, posts),
            Generator::KeyValueClient(g) => g.step(now, seen, posts),
            Generator::KeyValueWorker(g) => g.step(now, seen, posts),
            Generator::Bulk(g) => g.step(now, seen, posts),
        }
    }
}

/// Each method becomes a [`Generator`] with `into()`.
macro_rules! from {
    ($($method:ident),*) => {$(
        impl From<$method> for Generator {
            fn from(method: $method) -> Self {
                Generator::$method(method)
            }
        }
    )*};
}
from!(
    RPerf,
    PingPongInitiator,
    PingPongResponder,
    PostPoll,
    ClosedLoop,
    KeyValueClient,
    KeyValueWorker,
    Bulk
);
