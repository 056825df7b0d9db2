//! [`JobRun`]: a job on its way, without a clock or a network.

use super::{Job, Pattern, Stage, Transfer};
use bandwise_units::{Bytes, Time};

/// Which part of a stage's data: its two parts go through the phases of the pattern by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What goes while instances compute.
    Overlapped,
    /// What goes when they have.
    Exposed,
}

/// What begins. What it belongs to is told back when it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// All instances compute for so long; then [`JobRun::computed`].
    Compute(Time),
    /// Something is sent; when it has arrived, [`JobRun::delivered`].
    Send(Part, Transfer),
    /// The job is over.
    End,
}

/// A job on its way. It is started once, and told what has ended; what it answers begins at the
/// same instant.
#[derive(Debug, Clone)]
pub struct JobRun<'a> {
    job: &'a Job,
    round: u32,
    stage: usize,
    computing: bool,
    parts: [Progress; 2],
    over: bool,
}

/// How far a part is.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// Phases begun.
    begun: u32,
    /// Transfers of the last of them that have not arrived.
    on_the_way: u64,
    over: bool,
}

impl<'a> JobRun<'a> {
    /// A run that has not started.
    pub fn new(job: &'a Job) -> Self {
        let parts = [Progress::default(); 2];
        JobRun { job, round: 0, stage: 0, computing: false, parts, over: false }
    }

    /// Whether the job is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether instances compute at the moment.
    pub fn is_computing(&self) -> bool {
        self.computing
    }

    /// How many stages are behind it, and how many there are.
    pub fn progress(&self) -> (u64, u64) {
        let a_round = self.job.stages.len() as u64;
        let all = a_round * u64::from(self.job.rounds);
        let done = u64::from(self.round) * a_round + self.stage as u64;
        (if self.over { all } else { done }, all)
    }

    /// The first stage begins.
    pub fn start(&mut self, actions: &mut Vec<Action>) {
        if self.job.rounds == 0 || self.job.stages.is_empty() {
            return self.end(actions);
        }
        self.begin(actions);
        self.settle(actions);
    }

    /// The instances have computed.
    pub fn computed(&mut self, actions: &mut Vec<Action>) {
        debug_assert!(self.computing, "nobody computes");
        self.computing = false;
        self.next_phase(Part::Exposed, actions);
        self.settle(actions);
    }

    /// A transfer has arrived.
    pub fn delivered(&mut self, part: Part, actions: &mut Vec<Action>) {
        let progress = &mut self.parts[part as usize];
        debug_assert!(progress.on_the_way > 0, "nothing is on its way");
        progress.on_the_way -= 1;
        if progress.on_the_way == 0 {
            self.next_phase(part, actions);
            self.settle(actions);
        }
    }

    fn current(&self) -> &'a Stage {
        &self.job.stages[self.stage]
    }

    /// A stage begins.
    fn begin(&mut self, actions: &mut Vec<Action>) {
        self.parts = [Progress::default(); 2];
        self.computing = true;
        actions.push(Action::Compute(self.current().compute));
        self.next_phase(Part::Overlapped, actions);
    }

    /// Begins the next phase of a part in which there is something to send.
    fn next_phase(&mut self, part: Part, actions: &mut Vec<Action>) {
        let Stage { pattern, overlapped, exposed, .. } = *self.current();
        let bytes = match part {
            Part::Overlapped => overlapped,
            Part::Exposed => exposed,
        };
        let progress = &mut self.parts[part as usize];
        while progress.on_the_way == 0 && progress.begun < phases(pattern, bytes) {
            let phase = progress.begun;
            progress.begun += 1;
            pattern.transfers(phase, self.job.instances, bytes, |transfer| {
                progress.on_the_way += 1;
                actions.push(Action::Send(part, transfer));
            });
        }
        progress.over = progress.on_the_way == 0;
    }

    /// Goes on to the next stage if this one is over: a stage that computes for no time is over
    /// only when it is told so.
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
