//! Experiments: a fabric, models of its parts, and traffic, read from TOML, run, with results.
//!
//! A scenario can only be one that makes sense: reading returns a value or an error with file, line
//! and what is allowed. There are three kinds, each with the parts spec, scenario, run and results:
//!
//! - [`infiniband`]: measuring methods and bulk traffic on an InfiniBand fabric;
//! - [`ethernet`]: flows of RoCE, IRN, iWARP or Homa through an Ethernet fabric;
//! - [`jobs`]: jobs that compute and communicate on one fabric, by policies of sharing its links.

pub mod ethernet;
mod experiment;
pub mod infiniband;
pub mod jobs;
mod reader;
mod time_range;

pub use experiment::{Effort, Experiment, Progress, Stop, Watch};
pub use reader::files::File;
pub use reader::kind::Kind;
pub use reader::parsed::Parsed;
pub use reader::values;
pub use time_range::TimeError;
