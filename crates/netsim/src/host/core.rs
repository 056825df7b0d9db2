//! A CPU core that runs one program: it polls, is sometimes away, and takes time to post.

use super::device::{DeviceModel, OsTick};
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
        }
    }

    /// When the program finds what appears at `visible`: somewhere within the period of its
    /// polling loop, or when the interrupt has woken it.
    pub fn found_at(&mut self, visible: Time) -> Time {
        match self.notify {
            Notify::Poll => visible + self.random.time_below(self.poll),
            Notify::Event => visible + self.interrupt,
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
