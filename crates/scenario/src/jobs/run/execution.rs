//! [`Jobs`]: the jobs of a scenario in execution, over any carrier.

use crate::Progress;
use crate::jobs::SharedJob;
use bandwise_units::Time;
use bandwise_workload::job::{Action, JobRun, Part, Transfer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A carrier of the jobs' data.
pub(super) trait Carrier {
    /// Takes the start of a job.
    fn starts(&mut self, job: usize);
    /// Sends a transfer of a job. On its arrival, the caller calls [`Jobs::delivered`].
    fn send(&mut self, job: usize, part: Part, transfer: Transfer);
    /// Takes the end of a job.
    fn ended(&mut self, job: usize);
    /// Takes the state of a job after each of these calls: whether its instances compute.
    fn computes(&mut self, _job: usize, _is_computing: bool) {}
}

/// A due event of a job. Simultaneous events are in the order of jobs.
type Due = Reverse<(Time, u32)>;

/// Jobs in execution.
pub(super) struct Jobs<'a> {
    runs: Vec<JobRun<'a>>,
    /// Starts of jobs, and ends of computing.
    due: BinaryHeap<Due>,
    started: Vec<bool>,
    /// End of each job.
    ended: Vec<Option<Time>>,
    actions: Vec<Action>,
}

impl<'a> Jobs<'a> {
    /// Returns jobs that have not started.
    pub(super) fn new(jobs: &'a [SharedJob]) -> Self {
        let due = (0u32..).zip(jobs).map(|(job, shared)| Reverse((shared.start, job)));
        Jobs {
            runs: jobs.iter().map(|job| JobRun::new(&job.job)).collect(),
            due: due.collect(),
            started: vec![false; jobs.len()],
            ended: vec![None; jobs.len()],
            actions: Vec::new(),
        }
    }

    /// Returns the time of the next start or end of computing.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.due.peek().map(|&Reverse((at, _))| at)
    }

    /// Takes the arrival of a transfer.
    pub(super) fn delivered(
        &mut self,
        job: u32,
        part: Part,
        now: Time,
        carrier: &mut impl Carrier,
    ) {
        self.runs[job as usize].delivered(part, &mut self.actions);
        self.act(job, now, carrier);
    }

    /// Carries out all events up to now.
    pub(super) fn advance(&mut self, now: Time, carrier: &mut impl Carrier) {
        while let Some(&Reverse((_, job))) = self.due.peek().filter(|due| due.0.0 <= now) {
            self.due.pop();
            let index = job as usize;
            if std::mem::replace(&mut self.started[index], true) {
                self.runs[index].computed(&mut self.actions);
            } else {
                carrier.starts(index);
                self.runs[index].start(&mut self.actions);
            }
            self.act(job, now, carrier);
        }
    }

    /// Carries out the actions of a job.
    fn act(&mut self, job: u32, now: Time, carrier: &mut impl Carrier) {
        let index = job as usize;
        for action in self.actions.drain(..) {
            match action {
                Action::Compute(time) => self.due.push(Reverse((now + time, job))),
                Action::Send(part, transfer) => carrier.send(index, part, transfer),
                Action::End => {
                    self.ended[index] = Some(now);
                    carrier.ended(index);
                }
            }
        }
        carrier.computes(index, self.runs[index].is_computing());
    }

    /// Returns the finished part of all stages.
    pub(super) fn progress(&self, now: Time) -> Progress {
        let (done, all) = self
            .runs
            .iter()
            .map(JobRun::progress)
            .fold((0, 0), |sum, job| (sum.0 + job.0, sum.1 + job.1));
        Progress { simulated: now, part: done as f64 / all.max(1) as f64 }
    }

    /// Returns the end of each job; `None` for a job that has not ended.
    pub(super) fn into_ended(self) -> Vec<Option<Time>> {
        self.ended
    }
}
