//! [`Timeline`]: what each job did when, in steps of one width.

use bandwise_units::{Bytes, Time};

/// What each job did, from time 0 on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// How long a step is.
    pub step: Time,
    /// By job, as many steps as there are until the last of all jobs has ended.
    pub jobs: Vec<Vec<Doing>>,
}

/// What a job did in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Doing {
    /// How long its instances computed.
    pub computing: Time,
    /// How long something was on its way.
    pub sending: Time,
    /// What arrived, of all its instances; exact but for a byte a flow.
    pub bytes: Bytes,
}

/// Steps of a timeline, at most: as many as a wide plot has dots. An even number.
const MOST_STEPS: usize = 800;

/// Takes down what jobs do. When there are too many steps, two become one.
#[derive(Debug)]
pub(super) struct Recorder {
    timeline: Timeline,
    /// Where the current step began.
    begun: Time,
    now: Time,
    current: Vec<Doing>,
    /// By job: what it did since `now`.
    state: Vec<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    is_computing: bool,
    /// What it started to send.
    started: u64,
    /// What had arrived of that when the current step began.
    arrived: u64,
    on_the_way: u64,
}

impl Recorder {
    /// Of jobs of which the last ends at `least` or later: so there are half of the most steps, or more.
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

    /// The end of the current step: what jobs have still on their way is asked for there.
    pub(super) fn due(&self) -> Time {
        self.begun + self.timeline.step
    }

    /// Time goes on, up to [`Recorder::due`] at most; jobs do until then what they did.
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

    /// A job computes, or does so no more.
    pub(super) fn computes(&mut self, job: usize, is_computing: bool) {
        self.state[job].is_computing = is_computing;
    }

    /// A job sends something.
    pub(super) fn starts(&mut self, job: usize, bytes: Bytes) {
        self.state[job].started += bytes.get();
        self.state[job].on_the_way += 1;
    }

    /// Something of a job has arrived.
    pub(super) fn arrives(&mut self, job: usize) {
        self.state[job].on_the_way -= 1;
    }

    /// The current step is over, with that left to send, by job.
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

    /// The last step is over, however long it was.
    pub(super) fn finish(mut self, left: &[Bytes]) -> Timeline {
        if self.now > self.begun {
            self.end_step(left);
        }
        self.timeline
    }
}

impl Timeline {
    /// Makes one step of two.
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
