//! Measuring programs in real time. [`drive`] runs a [`Program`](bandwise_rdma::verbs::Program): it posts the program's
//! requests to a [`Device`] and returns the completions, with the time of a [`Clock`]. Simulated hosts run the same
//! programs.
//!
//! | part | content |
//! |---|---|
//! | [`Device`] | posting and polling; [`Instantly`] costs nothing, to measure the loop itself |
//! | [`ByEvents`] | sleeping until a completion, instead of busy polling |
//! | [`Clock`] | [`Tsc`], the processor's counter, read with fences; [`Monotonic`] if it is unreliable; [`processor_time`] |
//! | [`ibverbs`] | devices of this host, through libibverbs |
//! | [`Control`] | the TCP connection over which two hosts agree on a measurement ([`bandwise_session`]) |
//! | [`placement`] | the processors of threads, and those near a device |
//! | [`drive`] | the loop: no allocation, no system call except for sleeping, no lock |
//!
//! # Examples
//!
//! RPerf on a device without costs. Both completions of a pair are polled at once, so their difference is 0:
//!
//! ```
//! use bandwise_rdma::verbs::Qp;
//! use bandwise_rperf::{RPerf, RPerfSettings, Rounds, Think};
//! use bandwise_units::Time;
//! use bandwise_verbs::{DriveEnd, Instantly, Monotonic, drive};
//!
//! let rounds = Rounds { warmup: 3, samples: 100, think: Think::uniform(Time::ZERO, Time::ZERO, 1) };
//! let settings = RPerfSettings { wire: Qp(0), loopback: Qp(1), bytes: 64, inline_max: 0, rounds };
//! let mut rperf = RPerf::new(settings);
//! let end = drive(&mut rperf, &mut Instantly::default(), &Monotonic::start(), &mut || false);
//! assert_eq!(end, Ok(DriveEnd::Done));
//! assert_eq!(rperf.measure().latency().mean_ps(), Some(0.0));
//! ```

mod by_events;
mod clock;
mod control;
mod device;
mod drive;
pub mod ibverbs;
mod instantly;
pub mod placement;

pub use by_events::{ByEvents, Wakes, Woken};
pub use clock::{Clock, Monotonic, Tsc, TscError, processor_time};
pub use control::{Control, ControlError, Watched};
pub use device::{Device, Rested};
pub use drive::{DriveEnd, drive};
pub use instantly::Instantly;
