//! Jobs: stages of computing and communicating, as distributed frameworks run them (Saba 2.1.1).
//!
//! [`Job`] is the plan. [`JobRun`] executes it as a state machine without clock and network: its
//! inputs are the ends of actions, its outputs the actions that begin. [`Workload`] models the
//! ten workloads of Saba's table 2.1, and workloads with measured times, and makes jobs of them.
//! [`synthetic`] generates workloads.

mod fit;
mod pattern;
mod run;
mod synthetic;
mod table;

pub use fit::{Fit, ROUNDS};
pub use pattern::{Pattern, Transfer};
pub use run::{Action, JobRun, Part};
pub use synthetic::{MAX_SYNTHETIC, synthetic};
pub use table::{
    DATA_SCALES, INSTANCE_SCALES, PROFILE_INSTANCES, REFERENCE_RATE, Scale, ScaleError, WORKLOADS,
    Workload,
};

use bandwise_units::{BitRate, Bytes, Time};

/// A job of several instances, each on its own host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The number of instances, 1 or more. A single instance does not communicate.
    pub instances: u32,
    /// The stages of a round, in order.
    pub stages: Vec<Stage>,
    /// The number of rounds.
    pub rounds: u32,
}

/// A stage: each instance computes, and instances exchange data. The next stage starts when both
/// have ended at all instances, as at the barrier of bulk-synchronous programs (Saba 2.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// The computing time of an instance.
    pub compute: Time,
    /// The communication pattern.
    pub pattern: Pattern,
    /// The bytes that are ready when the stage starts and are sent while instances compute; Saba
    /// 3.4 calls them overlapped. For the unit, see [`Pattern`].
    pub overlapped: Bytes,
    /// The bytes that are ready when the instances have computed.
    pub exposed: Bytes,
}

impl Stage {
    /// Returns a stage without communication.
    pub const fn computing(compute: Time) -> Self {
        let (pattern, nothing) = (Pattern::Shuffle, Bytes::new(0));
        Stage { compute, pattern, overlapped: nothing, exposed: nothing }
    }

    /// Returns the duration for instances with a link of `rate` each, behind a switch without
    /// limits.
    fn alone(&self, instances: u32, rate: BitRate) -> Time {
        let time = |bytes| self.pattern.alone(instances, bytes, rate);
        self.compute.max(time(self.overlapped)) + time(self.exposed)
    }
}

impl Job {
    /// Returns the job's duration alone, with a link of `rate` for each instance and no other
    /// limit. Simulations of the job alone must give this time.
    pub fn alone(&self, rate: BitRate) -> Time {
        let round = self.stages.iter().map(|stage| stage.alone(self.instances, rate).as_ps());
        Time::from_ps(round.sum::<u64>() * u64::from(self.rounds))
    }

    /// Returns the bytes that all instances send in the whole job.
    pub fn bytes(&self) -> Bytes {
        let stage = |s: &Stage| {
            let of = |bytes| s.pattern.total(self.instances, bytes).get();
            of(s.overlapped) + of(s.exposed)
        };
        Bytes::new(self.stages.iter().map(stage).sum::<u64>() * u64::from(self.rounds))
    }
}
