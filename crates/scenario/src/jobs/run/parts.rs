//! Parts of each link by the weights that jobs were given: reservations and guarantees.

use super::steering::Steering;
use crate::jobs::SharedJob;
use bandwise_flowsim::policy::{Guarantees, Reservations};
use bandwise_flowsim::{Policy, Simulation};

/// What all parts together are about: a part is as fine as a weight can be told from another.
const WHOLE: f64 = (1 << 20) as f64;

/// A job's part of each link, and all parts together. A job has its part while it is over, too: it is static.
fn parts(jobs: &[SharedJob]) -> (Vec<u32>, u32) {
    let sum: f64 = jobs.iter().map(|job| job.weight).sum();
    let part = |job: &SharedJob| ((job.weight / sum * WHOLE).round() as u32).max(1);
    let parts: Vec<u32> = jobs.iter().map(part).collect();
    let whole = parts.iter().sum();
    (parts, whole)
}

/// Reservations for as many jobs as the policy can tell apart.
pub(super) fn reservations(jobs: &[SharedJob]) -> Reservations {
    let (parts, whole) = parts(jobs);
    Reservations::new(parts, whole).expect("the parts are the whole")
}

/// The same parts as guarantees.
pub(super) fn guarantees(jobs: &[SharedJob]) -> Guarantees {
    let (parts, whole) = parts(jobs);
    Guarantees::new(parts, whole).expect("the parts are the whole")
}

/// A job is a class, and links share as they did at the beginning.
pub(super) struct ClassAJob;

impl<P: Policy> Steering<Simulation<P>> for ClassAJob {
    fn class(&self, job: usize) -> u8 {
        u8::try_from(job).expect("no more jobs than there are parts for")
    }
}
