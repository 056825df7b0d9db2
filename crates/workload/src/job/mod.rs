//! Jobs: stages of computing and communicating, as distributed frameworks run them (Saba 2.1.1).
//!
//! [`Job`] says what there is to do, [`JobRun`] does it as a state machine that knows neither time
//! nor network: it is told what has ended and says what begins. [`Workload`] models the ten
//! workloads of Saba's table 2.1 and makes jobs of them, of measured times
//! too; [`synthetic`] makes workloads up.

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

/// A job of several instances, which stand on a host each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// How many instances it has, 1 or more. One alone communicates with nobody.
    pub instances: u32,
    /// What it does, one after the other, again and again.
    pub stages: Vec<Stage>,
    /// How often.
    pub rounds: u32,
}

/// A stage: each instance computes, and they exchange data. The next one starts when both are over
/// at all of them, which is the barrier of bulk-synchronous programs (Saba 2.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// How long an instance computes.
    pub compute: Time,
    /// Who sends to whom.
    pub pattern: Pattern,
    /// What is ready to be sent when the stage starts, and so goes while instances compute: Saba 3.4
    /// calls it overlapped. For what the bytes are counted, see [`Pattern`].
    pub overlapped: Bytes,
    /// What is ready only when they have computed.
    pub exposed: Bytes,
}

impl Stage {
    /// A stage that computes, and nothing else.
    pub const fn computing(compute: Time) -> Self {
        let (pattern, nothing) = (Pattern::Shuffle, Bytes::new(0));
        Stage { compute, pattern, overlapped: nothing, exposed: nothing }
    }

    /// How long it takes instances that have a link of `rate` each to themselves, behind a switch
    /// that limits nothing.
    fn alone(&self, instances: u32, rate: BitRate) -> Time {
        let time = |bytes| self.pattern.alone(instances, bytes, rate);
        self.compute.max(time(self.overlapped)) + time(self.exposed)
    }
}

impl Job {
    /// How long it takes alone, where each instance has a link of `rate` and nothing else limits it.
    /// This is what an engine has to find too.
    pub fn alone(&self, rate: BitRate) -> Time {
        let round = self.stages.iter().map(|stage| stage.alone(self.instances, rate).as_ps());
        Time::from_ps(round.sum::<u64>() * u64::from(self.rounds))
    }

    /// What all instances send in all.
    pub fn bytes(&self) -> Bytes {
        let stage = |s: &Stage| {
            let of = |bytes| s.pattern.total(self.instances, bytes).get();
            of(s.overlapped) + of(s.exposed)
        };
        Bytes::new(self.stages.iter().map(stage).sum::<u64>() * u64::from(self.rounds))
    }
}
