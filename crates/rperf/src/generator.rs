//! [`Generator`]: any method or generator, for drivers of many programs.

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
    /// perftest's method, the measuring side.
    PingPongInitiator(PingPongInitiator),
    /// perftest's method, the responding side.
    PingPongResponder(PingPongResponder),
    /// qperf's method.
    PostPoll(PostPoll),
    /// A closed-loop client.
    ClosedLoop(ClosedLoop),
    /// A client of a key-value store.
    KeyValueClient(KeyValueClient),
    /// A worker of a key-value store.
    KeyValueWorker(KeyValueWorker),
    /// The bandwidth-sensitive generator.
    Bulk(Bulk),
}

impl Generator {
    /// Returns the measurement so far; `None` for generators that measure no latency.
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

    /// Also records the rounds within a window separately. Has no effect on a bandwidth
    /// generator, which gets its window at its creation.
    pub fn record_window(&mut self, window: Window) {
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
        measure.record_window(window);
    }

    /// Returns the latencies recorded so far; `None` for generators that measure none.
    pub fn latency(&self) -> Option<&Latency> {
        self.measure().map(Measure::latency)
    }

    /// Returns the latencies beside the ground truth; `None` if the ground truth is unknown.
    pub fn against_truth(&self) -> Option<&AgainstTruth> {
        self.measure().and_then(Measure::against_truth)
    }

    /// Returns when a message or a round last completed; `None` if none did, or if the generator
    /// does not track that.
    pub fn last(&self) -> Option<Time> {
        match self {
            Generator::Bulk(g) => g.last(),
            _ => self.measure().and_then(Measure::last),
        }
    }

    /// Returns the payload completed in the window; `None` for other generators than [`Bulk`].
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

/// Implements `From` of each method for [`Generator`].
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
