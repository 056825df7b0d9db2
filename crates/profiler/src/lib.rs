//! Saba's profiler (Saba 4.2): a program runs with several shares of the bandwidth, and its
//! sensitivity is learned from its times.
//!
//! The crate runs no program, sets no rate and reads no clock. [`Campaign`] returns the next run
//! and takes its result. [`Journal`] is the persistent state. [`judge`] decides whether the samples
//! suffice. [`Comparison`] does the same for programs that share links in several ways, which
//! measures the gain of Saba.
//!
//! ```
//! use bandwise_profiler::{Campaign, Outcome, Plan, Purpose, Run};
//! use bandwise_saba::Share;
//! use bandwise_units::Time;
//! use std::num::NonZeroU32;
//!
//! let shares = [0.25, 0.5, 1.0].map(|share| Share::try_from(share).unwrap());
//! let plan = Plan::new(&shares, NonZeroU32::MIN, 0, NonZeroU32::MIN, 1)?;
//! let mut campaign = Campaign::new(&plan);
//! while let Some(next) = campaign.next() {
//!     let time = Time::from_ms((1000.0 / next.share.get()) as u64);
//!     campaign.made(Run { share: next.share, purpose: next.purpose, time, outcome: Outcome::Success });
//! }
//! assert_eq!(campaign.samples().len(), 3);
//! # Ok::<(), bandwise_profiler::PlanError>(())
//! ```

mod campaign;
mod comparison;
mod comparison_results;
mod journal;
mod noise;
mod plan;
mod profile_results;
mod spread;

pub use campaign::{Campaign, Next, Purpose};
pub use comparison::{Comparison, Round, Setting, Sharing, Step, Timed, gain, slowdowns};
pub use comparison_results::{ComparisonResults, Conclusion, Gain, Omission, Slowdowns};
pub use journal::{Differs, Journal};
pub use noise::{Judged, Measured, Verdict, judge};
pub use plan::{Plan, PlanError};
pub use profile_results::{Doubt, FittedModel, ProfileResults, Unusable};
pub use spread::Spread;

use bandwise_saba::Share;
use bandwise_units::Time;
use std::fmt;

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Exit code 0.
    Success,
    /// This exit code, other than 0.
    Code(i32),
    /// The end by a signal.
    Signal(i32),
    /// The end by the time limit.
    Late,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Success => f.write_str("succeeded"),
            Outcome::Code(code) => write!(f, "ended with code {code}"),
            Outcome::Signal(signal) => write!(f, "ended by signal {signal}"),
            Outcome::Late => f.write_str("took longer than --timeout"),
        }
    }
}

/// A completed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The share of the bandwidth.
    pub share: Share,
    /// The purpose.
    pub purpose: Purpose,
    /// The duration.
    pub time: Time,
    /// The outcome.
    pub outcome: Outcome,
}
