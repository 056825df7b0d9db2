//! Generators of flows, as iterators in order of start.
//!
//! Each generator takes the `seed` of the run and its own number `part` among the
//! generators of a workload. So a further generator does not change the flows of the
//! others.

mod coflows;
mod incast;
mod load;
mod merge;
mod permutation;
mod poisson;

pub use coflows::CoflowMix;
pub use incast::{Incast, IncastFlows};
pub use load::{Load, MAX_LOAD, MAX_WIRE_FACTOR, MIN_LOAD};
pub use merge::{Merge, Merged};
pub use permutation::{Permutation, PermutationFlows};
pub use poisson::{Extent, Poisson, PoissonFlows};

use crate::WorkloadError;

/// Returns the number of hosts, or an error if the number is below 2.
fn two_or_more(hosts: u32) -> Result<u32, WorkloadError> {
    if hosts < 2 { Err(WorkloadError::Hosts { hosts }) } else { Ok(hosts) }
}

/// Returns the `n`-th host other than `host`, both counted from 0.
fn nth_other(host: u32, n: u32) -> u32 {
    if n < host { n } else { n + 1 }
}
