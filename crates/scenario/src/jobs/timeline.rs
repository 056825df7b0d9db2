//! [`Timeline`]: the activities of each job, in steps of one width.

use bandwise_units::{Bytes, Time};

/// The activities of each job, from time 0 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Width of a step.
    pub step: Time,
    /// Steps of each job, until the last of all jobs has ended.
    pub jobs: Vec<Vec<Doing>>,
}

/// The activities of a job in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Doing {
    /// Time during which its instances computed.
    pub computing: Time,
    /// Time during which a transfer was in flight.
    pub sending: Time,
    /// Bytes that arrived for all its instances, with an error of up to a byte per flow.
    pub bytes: Bytes,
}

/// Most steps of a timeline: the width of a wide plot in pixels. An even number.
const MOST_STEPS: usize = 800;

/// A recorder of the jobs' activities. If there are too many steps, pairs of steps are merged.
#[derive(Debug)]
pub(super) struct Recorder {
    timeline: Timeline,
    /// Begin of the current step.
    begun: Time,
    now: Time,
    current: Vec<Doing>,
    /// State of each job since `now`.
    state: Vec<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    is_computing: bool,
    /// Bytes of all started transfers.
    started: u64,
    /// Bytes of the started transfers that had arrived at the start of the current step.
    arrived: u64,
    on_the_way: u64,
}

impl Recorder {
    /// Returns a recorder of jobs of which the last ends at `least` or later, so that the timeline
    /// has at least half of the most steps.
    pub(super) fn new(jobs: usize, least: Time) -> Recorder {
        let step = Time::from_ps((least.as_ps() / (MOST_STEPS as u64 / 2)).max(1));
        Recorder {
            timeline: Timeline { step, jobs: vec![Vec::new(); jobs] },
            begun: Time::ZERO,
            now: Time::ZERO,
            current: vec![Doing::default(); jobs],
            state: vec![State::default(); jobs],
        }
    }

    /// Returns the end of the current step, for which the recorder needs the bytes left in flight.
    pub(super) fn due(&self) -> Time {
        self.begun + self.timeline.step
    }

    /// Advances the time to at most [`Recorder::due`]; jobs keep their activities until then.
    pub(super) fn advance(&mut self, to: Time) {
        let passed = to.saturating_sub(self.now);
        for (doing, state) in self.current.iter_mut().zip(&self.state) {
            if state.is_computing {
                doing.computing += passed;
            }
            if state.on_the_way > 0 {
                doing.sending += passed;
            }
        }
        self.now = to;
    }

    /// Takes the state of a job: whether it computes.
    pub(super) fn computes(&mut self, job: usize, is_computing: bool) {
        self.state[job].is_computing = is_computing;
    }

    /// Takes the start of a transfer.
    pub(super) fn starts(&mut self, job: usize, bytes: Bytes) {
        self.state[job].started += bytes.get();
        self.state[job].on_the_way += 1;
    }

    /// Takes the arrival of a transfer.
    pub(super) fn arrives(&mut self, job: usize) {
        self.state[job].on_the_way -= 1;
    }

    /// Ends the current step, with the bytes left in flight by job.
    pub(super) fn end_step(&mut self, left: &[Bytes]) {
        for (((doing, state), left), steps) in
            self.current.iter_mut().zip(&mut self.state).zip(left).zip(&mut self.timeline.jobs)
        {
            let arrived = state.started - left.get();
            doing.bytes = Bytes::new(arrived - state.arrived);
            state.arrived = arrived;
            steps.push(std::mem::take(doing));
        }
        self.begun = self.now;
        if self.timeline.jobs.first().is_some_and(|steps| steps.len() >= MOST_STEPS) {
            self.timeline.halve();
        }
    }

    /// Ends the last step, which may be shorter than the others.
    pub(super) fn finish(mut self, left: &[Bytes]) -> Timeline {
        if self.now > self.begun {
            self.end_step(left);
        }
        self.timeline
    }
}

impl Timeline {
    /// Merges pairs of steps, and doubles the width.
    fn halve(&mut self) {
        self.step += self.step;
        for steps in &mut self.jobs {
            *steps = steps.chunks(2).map(|two| two.iter().fold(Doing::default(), add)).collect();
        }
    }
}

fn add(a: Doing, b: &Doing) -> Doing {
    Doing {
        computing: a.computing + b.computing,
        sending: a.sending + b.sending,
        bytes: Bytes::new(a.bytes.get() + b.bytes.get()),
    }
}
