//! A CPU core that runs one program: it polls, is sometimes interrupted, and needs time to post.

use super::device::{DeviceModel, IdleState, OsTick};
use bandwise_random::Stream;
use bandwise_rdma::verbs::{Completion, Program};
use bandwise_units::Time;

/// Method by which a program learns of completions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Notify {
    /// The program polls its completion queue continuously.
    #[default]
    Poll,
    /// The program sleeps and is woken by an interrupt.
    Event,
}

#[derive(Debug)]
pub(crate) struct Core<P> {
    pub program: P,
    /// Time until which the core is busy.
    pub free_at: Time,
    /// Completions in memory that the program has not polled yet.
    pub pending: Vec<Completion>,
    /// Time of the pending event that steps the program.
    pub wake_at: Time,
    /// Time at which the program asked to be stepped next.
    pub timer: Time,
    pub done: bool,
    tick: Option<OsTick>,
    next_tick: Time,
    random: Stream,
    notify: Notify,
    poll: Time,
    interrupt: Time,
    idle_states: Vec<IdleState>,
    /// Time at which the program is awake after the last completion.
    awake_at: Time,
    /// Start of the program, and its CPU time since: interrupts, steps, posting.
    started_at: Time,
    busy: Time,
    ended_at: Option<Time>,
}

impl<P: Program> Core<P> {
    pub(crate) fn new(
        program: P,
        notify: Notify,
        device: &DeviceModel,
        seed: u64,
        index: u64,
    ) -> Self {
        let mut random = Stream::new(seed, "core", index);
        let next_tick = device.os_tick.map_or(Time::MAX, |t| random.time_below(t.period));
        Core {
            program,
            free_at: Time::ZERO,
            pending: Vec::new(),
            wake_at: Time::MAX,
            timer: Time::MAX,
            done: false,
            tick: device.os_tick,
            next_tick,
            random,
            notify,
            poll: device.cpu_poll,
            interrupt: device.interrupt,
            idle_states: device.idle_states.clone(),
            awake_at: Time::ZERO,
            started_at: Time::ZERO,
            busy: Time::ZERO,
            ended_at: None,
        }
    }

    /// Schedules the start of the program at `at`.
    pub(crate) fn start_at(&mut self, at: Time) {
        (self.timer, self.started_at) = (at, at);
    }

    /// Records a step of the program at `now` that occupies the core until `free_at`.
    pub(crate) fn stepped(&mut self, now: Time, free_at: Time) {
        self.free_at = free_at;
        self.busy += free_at - now;
    }

    /// Records that the program has finished.
    pub(crate) fn finish(&mut self) {
        (self.done, self.ended_at) = (true, Some(self.free_at));
    }

    /// Returns the CPU time used up to `now`. A polling core is always busy.
    pub(crate) fn cpu_time(&self, now: Time) -> Time {
        match self.notify {
            Notify::Poll => self.ended_at.unwrap_or(now).saturating_sub(self.started_at),
            Notify::Event => self.busy,
        }
    }

    /// Returns when the program finds a completion that becomes visible at `visible`: within one
    /// period of its polling loop, or after the interrupt has woken it.
    pub(crate) fn found_at(&mut self, visible: Time) -> Time {
        match self.notify {
            Notify::Poll => visible + self.random.time_below(self.poll),
            Notify::Event => {
                let sleeps_since = self.free_at.max(self.awake_at);
                let slept = visible.saturating_sub(sleeps_since);
                let deepest = self.idle_states.iter().rev().find(|state| state.after <= slept);
                let exit = deepest.map_or(Time::ZERO, |state| state.exit);
                self.busy += self.interrupt;
                self.awake_at = self.awake_at.max(visible + exit + self.interrupt);
                self.awake_at
            }
        }
    }

    /// Returns when the core can next read its completion queue, or `None` if it can at `now`.
    pub(crate) fn unavailable_until(&mut self, now: Time) -> Option<Time> {
        if let Some(tick) = self.tick {
            while self.next_tick + tick.steal <= now {
                self.next_tick += tick.period;
            }
            if self.next_tick <= now {
                return Some(self.next_tick + tick.steal);
            }
        }
        (self.free_at > now).then_some(self.free_at)
    }
}
