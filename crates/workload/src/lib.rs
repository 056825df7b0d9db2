//! Flows to simulate: who sends how much to whom, and from when on.
//!
//! - [`Flow`] is one transfer. [`SizeDistribution`] says how large flows are: the ones of IRN, those
//!   that others call by name, or any from a file.
//! - [`Poisson`], [`Incast`] and [`Permutation`] say what flows there are; their `flows` is an
//!   iterator that makes one flow after the other, in order of start, and remembers none. [`Merge`]
//!   puts several into one order, such as an incast with cross-traffic.
//! - [`CoflowTrace`] is a list of shuffles, read from a file or made by [`CoflowMix`].
//! - [`read`] takes flow lists line by line and files with distributions, [`write`](mod@write)
//!   writes flow lists.
//! - [`job`] has jobs that compute and communicate by turns, and models of real ones.
//!
//! Nothing here does I/O or knows the time. The same seed gives the same flows on any machine: times
//! are integers, and logarithms come from `libm`, because those of the standard library differ from
//! platform to platform.

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
pub use flow::{Flow, MAX_FLOW};
pub use size::{CdfError, IrnSpreads, KNOWN, SizeDistribution, Spread};
