//! [`JobRun`]: the execution of a job, without a clock or a network.

use super::{Job, Pattern, Stage, Transfer};
use bandwise_units::{Bytes, Time};

/// The two parts of a stage's data. Each goes through the phases of the pattern on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The data that is sent while instances compute.
    Overlapped,
    /// The data that is sent after computing.
    Exposed,
}

/// An action that begins. The caller reports its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// All instances compute for this time. The caller then calls [`JobRun::computed`].
    Compute(Time),
    /// A transfer starts. The caller calls [`JobRun::delivered`] when the transfer has arrived.
    Send(Part, Transfer),
    /// The job has ended.
    End,
}

/// A job in execution. The caller starts it once and reports the ends of its actions. The
/// returned actions begin at the instant of the call.
#[derive(Debug, Clone)]
pub struct JobRun<'a> {
    job: &'a Job,
    round: u32,
    stage: usize,
    computing: bool,
    parts: [Progress; 2],
    over: bool,
}

/// The progress of one part.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// The number of phases that have begun.
    begun: u32,
    /// The transfers of the current phase that have not arrived.
    in_flight: u64,
    over: bool,
}

impl<'a> JobRun<'a> {
    /// Returns a run that has not started.
    pub fn new(job: &'a Job) -> Self {
        let parts = [Progress::default(); 2];
        JobRun { job, round: 0, stage: 0, computing: false, parts, over: false }
    }

    /// Returns whether the job has ended.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns whether instances compute.
    pub fn is_computing(&self) -> bool {
        self.computing
    }

    /// Returns the number of completed stages, and of all stages.
    pub fn progress(&self) -> (u64, u64) {
        let a_round = self.job.stages.len() as u64;
        let all = a_round * u64::from(self.job.rounds);
        let done = u64::from(self.round) * a_round + self.stage as u64;
        (if self.over { all } else { done }, all)
    }

    /// Starts the first stage.
    pub fn start(&mut self, actions: &mut Vec<Action>) {
        if self.job.rounds == 0 || self.job.stages.is_empty() {
            return self.end(actions);
        }
        self.begin(actions);
        self.settle(actions);
    }

    /// Records that the instances have computed.
    pub fn computed(&mut self, actions: &mut Vec<Action>) {
        debug_assert!(self.computing, "no instance computes");
        self.computing = false;
        self.next_phase(Part::Exposed, actions);
        self.settle(actions);
    }

    /// Records that a transfer has arrived.
    pub fn delivered(&mut self, part: Part, actions: &mut Vec<Action>) {
        let progress = &mut self.parts[part as usize];
        debug_assert!(progress.in_flight > 0, "no transfer is in flight");
        progress.in_flight -= 1;
        if progress.in_flight == 0 {
            self.next_phase(part, actions);
            self.settle(actions);
        }
    }

    fn current(&self) -> &'a Stage {
        &self.job.stages[self.stage]
    }

    /// Starts a stage.
    fn begin(&mut self, actions: &mut Vec<Action>) {
        self.parts = [Progress::default(); 2];
        self.computing = true;
        actions.push(Action::Compute(self.current().compute));
        self.next_phase(Part::Overlapped, actions);
    }

    /// Starts the next phase of a part that has data to send.
    fn next_phase(&mut self, part: Part, actions: &mut Vec<Action>) {
        let Stage { pattern, overlapped, exposed, .. } = *self.current();
        let bytes = match part {
            Part::Overlapped => overlapped,
            Part::Exposed => exposed,
        };
        let progress = &mut self.parts[part as usize];
        while progress.in_flight == 0 && progress.begun < phases(pattern, bytes) {
            let phase = progress.begun;
            progress.begun += 1;
            pattern.transfers(phase, self.job.instances, bytes, |transfer| {
                progress.in_flight += 1;
                actions.push(Action::Send(part, transfer));
            });
        }
        progress.over = progress.in_flight == 0;
    }

    /// Starts the next stage if this one has ended. Even a stage without computing time ends only
    /// after the caller has called [`JobRun::computed`].
    fn settle(&mut self, actions: &mut Vec<Action>) {
        let over = self.parts.iter().all(|part| part.over);
        if self.computing || !over || self.over {
            return;
        }
        self.stage += 1;
        if self.stage == self.job.stages.len() {
            self.stage = 0;
            self.round += 1;
        }
        if self.round == self.job.rounds {
            return self.end(actions);
        }
        self.begin(actions);
    }

    fn end(&mut self, actions: &mut Vec<Action>) {
        self.over = true;
        actions.push(Action::End);
    }
}

fn phases(pattern: Pattern, bytes: Bytes) -> u32 {
    if bytes.get() == 0 { 0 } else { pattern.phases() }
}
