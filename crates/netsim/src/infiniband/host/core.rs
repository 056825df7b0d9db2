//! A CPU core that runs one program: it polls, is sometimes away, and takes time to post.

use super::device::{DeviceModel, IdleState, OsTick};
use bandwise_random::Stream;
use bandwise_rdma::verbs::{Completion, Program};
use bandwise_units::Time;

/// How a program learns of completions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Notify {
    /// It polls its completion queue all the time.
    #[default]
    Poll,
    /// It sleeps and is woken by an interrupt.
    Event,
}

#[derive(Debug)]
pub(crate) struct Core<P> {
    pub program: P,
    /// Busy until then.
    pub free_at: Time,
    /// Completions in memory that the program has not polled yet.
    pub pending: Vec<Completion>,
    /// An event will step the program at this time.
    pub wake_at: Time,
    /// When the program asked to be stepped next.
    pub timer: Time,
    pub done: bool,
    tick: Option<OsTick>,
    next_tick: Time,
    random: Stream,
    notify: Notify,
    poll: Time,
    interrupt: Time,
    idle_states: Vec<IdleState>,
    /// When the last completion found it awake, or will.
    awake_at: Time,
    /// When it began, and what it has worked since: interrupts, steps, posting.
    began: Time,
    worked: Time,
    ended: Option<Time>,
}

impl<P: Program> Core<P> {
    pub fn new(program: P, notify: Notify, device: &DeviceModel, seed: u64, index: u64) -> Self {
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
            began: Time::ZERO,
            worked: Time::ZERO,
            ended: None,
        }
    }

    /// Its program begins at `at`.
    pub fn begin(&mut self, at: Time) {
        (self.timer, self.began) = (at, at);
    }

    /// It has stepped its program at `now` and is busy with that until `free_at`.
    pub fn stepped(&mut self, now: Time, free_at: Time) {
        self.free_at = free_at;
        self.worked += free_at - now;
    }

    /// Its program has what it wanted.
    pub fn end(&mut self) {
        (self.done, self.ended) = (true, Some(self.free_at));
    }

    /// CPU time used up to `now`. One that polls works all the time.
    pub fn cpu_time(&self, now: Time) -> Time {
        match self.notify {
            Notify::Poll => self.ended.unwrap_or(now).saturating_sub(self.began),
            Notify::Event => self.worked,
        }
    }

    /// When the program finds what appears at `visible`: somewhere within the period of its
    /// polling loop, or when the interrupt has woken it.
    pub fn found_at(&mut self, visible: Time) -> Time {
        match self.notify {
            Notify::Poll => visible + self.random.time_below(self.poll),
            Notify::Event => {
                let sleeps_since = self.free_at.max(self.awake_at);
                let slept = visible.saturating_sub(sleeps_since);
                let deepest = self.idle_states.iter().rev().find(|state| state.after <= slept);
                let exit = deepest.map_or(Time::ZERO, |state| state.exit);
                self.worked += self.interrupt;
                self.awake_at = self.awake_at.max(visible + exit + self.interrupt);
                self.awake_at
            }
        }
    }

    /// If the core can't look at its completion queue at `now`, when it can.
    pub fn away_until(&mut self, now: Time) -> Option<Time> {
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
