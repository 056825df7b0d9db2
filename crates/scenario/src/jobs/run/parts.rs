//! Parts of each link by the jobs' given weights: reservations and guarantees.

use super::steering::Steering;
use crate::jobs::SharedJob;
use bandwise_flowsim::policy::{Guarantees, Reservations};
use bandwise_flowsim::{Policy, Simulation};

/// Sum of all parts, the resolution of weights.
const WHOLE: f64 = (1 << 20) as f64;

/// Returns each job's part of a link, and their sum. Parts are static: a job keeps its part after
/// its end.
fn parts(jobs: &[SharedJob]) -> (Vec<u32>, u32) {
    let sum: f64 = jobs.iter().map(|job| job.weight).sum();
    let part = |job: &SharedJob| ((job.weight / sum * WHOLE).round() as u32).max(1);
    let parts: Vec<u32> = jobs.iter().map(part).collect();
    let whole = parts.iter().sum();
    (parts, whole)
}

/// Returns reservations for the jobs, whose number the policy has checked.
pub(super) fn reservations(jobs: &[SharedJob]) -> Reservations {
    let (parts, whole) = parts(jobs);
    Reservations::new(parts, whole).expect("the parts are the whole")
}

/// Returns the same parts as guarantees.
pub(super) fn guarantees(jobs: &[SharedJob]) -> Guarantees {
    let (parts, whole) = parts(jobs);
    Guarantees::new(parts, whole).expect("the parts are the whole")
}

/// A class for each job, on links that keep their first configuration.
pub(super) struct ClassAJob;

impl<P: Policy> Steering<Simulation<P>> for ClassAJob {
    fn class(&self, job: usize) -> u8 {
        u8::try_from(job).expect("no more jobs than there are parts for")
    }
}
