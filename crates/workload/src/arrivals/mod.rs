//! What flows there are: generators as iterators over flows in order of start.
//!
//! Each takes `seed`, the one of the run, and `part`, a number of its own among the generators of a
//! workload, so that a second one changes nothing about the first.

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

/// How many hosts there are, if one can send to another.
fn two_or_more(hosts: u32) -> Result<u32, WorkloadError> {
    if hosts < 2 { Err(WorkloadError::Hosts { hosts }) } else { Ok(hosts) }
}

/// The `n`-th of the hosts that are not `host`, both counted from 0.
fn nth_other(host: u32, n: u32) -> u32 {
    if n < host { n } else { n + 1 }
}
