//! Saba's profiler (Saba 4.2): a program is run with several shares of the bandwidth, and how long it took
//! is what its sensitivity is learned from.
//!
//! Nothing here runs a program, sets a rate or looks at a clock: [`Campaign`] says which run comes next and is
//! told what came of it; [`Journal`] is what outlives the process; [`judge`] says whether what was measured is
//! enough. [`Comparison`] does the same for programs that share links in several ways, which shows what Saba is worth.

mod campaign;
mod comparison;
mod journal;
mod noise;
mod plan;
mod spread;

pub use campaign::{Campaign, Next, Purpose};
pub use comparison::{Comparison, Round, Setting, Sharing, Step, Timed, gain, slowdowns};
pub use journal::{Differs, Journal};
pub use noise::{Judged, Measured, Verdict, judge};
pub use plan::{Plan, PlanError};
pub use spread::Spread;

use bandwise_saba::Share;
use bandwise_units::Time;

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The program ended well.
    Well,
    /// It ended with this code, which is not 0.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// It took longer than it was given, and was ended.
    Late,
}

/// A run that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// With which share of the bandwidth.
    pub share: Share,
    /// Whether it was only to warm up.
    pub purpose: Purpose,
    /// From its start to its end.
    pub time: Time,
    /// How it ended.
    pub outcome: Outcome,
}
