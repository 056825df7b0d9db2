//! Experiments: scenarios with a fabric, models of its parts, and traffic, which are read from TOML and
//! run.
//!
//! Every scenario is valid: a reader returns a scenario, or an error with the file, the line and the
//! allowed values. Each of the three kinds has the parts spec, scenario, run and results:
//!
//! - [`infiniband`]: measuring methods and bulk traffic on an InfiniBand fabric;
//! - [`ethernet`]: flows of RoCE, IRN, iWARP or Homa through an Ethernet fabric;
//! - [`jobs`]: jobs that compute and communicate on one fabric, by policies of sharing its links.
//!
//! The trait [`Experiment`] runs all kinds in the same way. An incast of three hosts takes at least the
//! time of its 9 MB on the receiver's link:
//!
//! ```
//! use bandwise_input::Source;
//! use bandwise_netsim::engine::Sequential;
//! use bandwise_scenario::{Experiment, Stop, ethernet::EthernetScenario};
//! use std::ops::ControlFlow;
//!
//! let text = r#"
//!     kind = "ethernet"
//!     [fabric]
//!     build = { single-switch = 4 }
//!     link = { rate = "100 Gbps", delay = "1 us" }
//!     [workload]
//!     incast = { senders = 3, bytes = "9 MB", receiver = 0 }
//! "#;
//! let others = |_: &str| Err("it names no other file".to_owned());
//! let parsed = EthernetScenario::from_toml(&Source::new("incast.toml", text), others).unwrap();
//! let results = parsed.scenario.conduct(&Sequential, &mut |_| ControlFlow::Continue(()));
//! assert_eq!((results.stop.clone(), results.finished), (Stop::Complete, 3));
//! assert!(results.simulated.as_ps() >= 9_000_000 * 8 * 10); // 10 ps a bit
//! ```

pub mod ethernet;
mod experiment;
pub mod infiniband;
pub mod jobs;
mod reader;
mod time_range;

pub use experiment::{Effort, Experiment, Progress, Stop, Watch};
pub use reader::files::{File, no_files};
pub use reader::kind::Kind;
pub use reader::parsed::Parsed;
pub use reader::values;
pub use time_range::TimeError;
