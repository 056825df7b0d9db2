//! Runs of real programs: the drivers of `bandwise-profiler`.
//!
//! - [`Profile`] runs one program with several shares of the bandwidth, limited at [`Links`], and
//!   writes each run to a [`JournalFile`].
//! - [`Together`] runs several programs, alone and together, with links shared without a
//!   controller, by equal weights, and by Saba. It starts and stops controllers of its own by
//!   [`ControllerSettings`].
//!
//! Both report progress by events, stop on request of the caller, and restore the links.
//!
//! # Examples
//!
//! A profile of `true`, with a command that limits nothing:
//!
//! ```
//! use bandwise_profiler::{Campaign, Journal, Plan, ProfileResults};
//! use bandwise_runner::{Completion, JournalFile, Links, Profile};
//! use bandwise_saba::Share;
//! use std::num::NonZeroU32;
//!
//! let shares = [0.25, 0.5, 1.0].map(|share| Share::try_from(share).unwrap());
//! let plan = Plan::new(&shares, NonZeroU32::MIN, 0, NonZeroU32::MIN, 1).unwrap();
//! let mut campaign = Campaign::new(&plan);
//! let links = Links::Command("true".into());
//! let subject = Journal::new("app".into(), vec!["true".into()], links.to_string());
//! let folder = tempfile::tempdir()?;
//! let (mut journal, before) =
//!     JournalFile::lock(&folder.path().join("app.profile"))?.resume(None, &subject)?;
//! assert!(before.is_empty());
//!
//! let mut profile = Profile { command: vec!["true".into()], timeout: None, links };
//! let end = profile.run(&mut campaign, &mut journal, &|| false, &mut |_| {})?;
//! assert_eq!(end, Completion::Complete);
//! assert_eq!(ProfileResults::of(&campaign, 0.1).samples.unwrap().points().len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod controller;
mod devices;
mod error;
mod journal;
mod links;
mod output;
mod process;
mod profile;

pub use compare::{CompareEvent, Program, Together};
pub use controller::ControllerSettings;
pub use devices::Devices;
pub use error::{RunnerError, Unfit};
pub use journal::{JournalFile, LockedJournal};
pub use links::{Links, SHARE};
pub use output::OutputFile;
pub use profile::{Profile, ProfileEvent};

/// The end of a series of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// All runs were made.
    Complete,
    /// The caller asked to stop before the last run.
    Interrupted,
}
