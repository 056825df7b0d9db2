//! [`Scheduler`]: the schedulers of coflows that are compared.

use super::{CoflowTimes, Order, run, run_in_order};
use crate::NetworkError;
use crate::policy::Sebf;
use bandwise_units::BitRate;
use bandwise_workload::CoflowTrace;
use std::ops::ControlFlow;

/// A scheduler of coflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduler {
    /// Max-min fairness among flows.
    Fair,
    /// The coflow with the fewest bytes first.
    SmallestFirst,
    /// The coflow with the smallest effective bottleneck first (Varys).
    Sebf,
    /// Bottleneck-select-scale-iterate (Sincronia).
    Sincronia,
}

impl Scheduler {
    /// All schedulers; the first is the baseline of comparisons.
    pub const ALL: [Scheduler; 4] =
        [Scheduler::Fair, Scheduler::SmallestFirst, Scheduler::Sebf, Scheduler::Sincronia];

    /// Returns the name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Scheduler::Fair => "fair",
            Scheduler::SmallestFirst => "smallest-first",
            Scheduler::Sebf => "sebf",
            Scheduler::Sincronia => "sincronia",
        }
    }

    /// Returns the name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Scheduler::Fair => "max-min among flows",
            Scheduler::SmallestFirst => "smallest coflow first",
            Scheduler::Sebf => "Varys (SEBF)",
            Scheduler::Sincronia => "Sincronia",
        }
    }

    /// Runs a trace on one big switch, as [`run`] does. Returns `None` if `watch` breaks.
    ///
    /// # Errors
    ///
    /// Returns a [`NetworkError`] if the rate is out of range.
    pub fn run(
        self,
        trace: &CoflowTrace,
        rate: BitRate,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Option<CoflowTimes>, NetworkError> {
        match self {
            Scheduler::Fair => run_in_order(trace, rate, Order::Fair, watch),
            Scheduler::SmallestFirst => run_in_order(trace, rate, Order::SmallestFirst, watch),
            // SEBF allocates the rates itself.
            Scheduler::Sebf => run(trace, rate, Sebf::default(), watch),
            Scheduler::Sincronia => run_in_order(trace, rate, Order::Sincronia, watch),
        }
    }
}
