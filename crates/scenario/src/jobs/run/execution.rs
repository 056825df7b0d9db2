//! [`Jobs`]: the jobs of a scenario on their way, whoever carries their data.

use crate::Progress;
use crate::jobs::SharedJob;
use bandwise_units::Time;
use bandwise_workload::job::{Action, JobRun, Part, Transfer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Who carries the data of jobs.
pub(super) trait Carrier {
    /// A job starts.
    fn starts(&mut self, job: usize);
    /// It sends something. When that has arrived, [`Jobs::delivered`].
    fn send(&mut self, job: usize, part: Part, transfer: Transfer);
    /// It has ended.
    fn ended(&mut self, job: usize);
    /// After any of these: whether its instances compute now.
    fn computes(&mut self, _job: usize, _is_computing: bool) {}
}

/// Something that happens to a job, by time: of those at one instant, jobs in their order.
type Due = Reverse<(Time, u32)>;

/// Jobs on their way.
pub(super) struct Jobs<'a> {
    runs: Vec<JobRun<'a>>,
    /// Jobs that start, or whose instances have computed.
    due: BinaryHeap<Due>,
    started: Vec<bool>,
    /// By job: when it ended.
    ended: Vec<Option<Time>>,
    actions: Vec<Action>,
}

impl<'a> Jobs<'a> {
    /// Jobs that have not started yet.
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

    /// When a job starts next, or its instances have computed.
    pub(super) fn next_due(&self) -> Option<Time> {
        self.due.peek().map(|&Reverse((at, _))| at)
    }

    /// Something that a job sent has arrived.
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

    /// All that is due by now happens.
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

    /// What a job begins.
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

    /// By job: when it ended; none for one that has not.
    pub(super) fn into_ended(self) -> Vec<Option<Time>> {
        self.ended
    }
}
