//! Workloads of simulations: senders, receivers, sizes and starts of flows.
//!
//! - [`Flow`] is one transfer. [`SizeDistribution`] is the distribution of flow sizes: those of
//!   IRN, well-known ones by name, or any from a file.
//! - [`Poisson`], [`Incast`] and [`Permutation`] generate flows. Their `flows` is an iterator in
//!   order of start that stores no flows. [`Merge`] merges several, such as an incast with
//!   cross-traffic.
//! - [`CoflowTrace`] is a list of shuffles, read from a file or made by [`CoflowMix`].
//! - [`read`] takes flow lists line by line and files with distributions; [`write`](mod@write)
//!   writes flow lists.
//! - [`job`] has jobs that alternate between computing and communicating, and models of real
//!   ones.
//!
//! The crate does no I/O and reads no clock. The same seed gives the same flows on any machine:
//! times are integers, and logarithms come from `libm`, because those of the standard library
//! differ among platforms.
//!
//! ```
//! use bandwise_units::{BitRate, Time};
//! use bandwise_workload::{Extent, Load, Poisson, SizeDistribution};
//!
//! let sizes = SizeDistribution::known("web-search").unwrap();
//! let load = Load::new(0.7, BitRate::from_gbps(100))?;
//! let workload = Poisson::new(128, load, sizes, Extent::Until(Time::from_ms(10)))?;
//! let flows: Vec<_> = workload.flows(1, 0).collect();
//! assert!(flows.iter().all(|flow| flow.start < Time::from_ms(10)));
//! # Ok::<(), bandwise_workload::WorkloadError>(())
//! ```

mod arrivals;
mod coflow;
mod error;
mod flow;
pub mod job;
pub mod read;
mod size;
pub mod write;

pub use arrivals::{
    CoflowMix, Extent, Incast, IncastFlows, Load, MAX_LOAD, MAX_WIRE_FACTOR, MIN_LOAD, Merge,
    Merged, Permutation, PermutationFlows, Poisson, PoissonFlows,
};
pub use coflow::{Coflow, CoflowTrace};
pub use error::WorkloadError;
pub use flow::{Flow, ListedFlow, MAX_FLOW, MAX_START};
pub use size::{CdfError, IrnSpreads, KNOWN, SizeDistribution, Spread};
