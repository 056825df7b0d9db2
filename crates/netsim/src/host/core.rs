//! A CPU core that runs one program: it polls, is sometimes away, and takes time to post.

use super::device::{DeviceModel, OsTick};
use crate::random::Stream;
use bandwise_rdma::verbs::{Completion, Program};
use bandwise_units::Time;

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
    poll: Time,
}

impl<P: Program> Core<P> {
    pub fn new(program: P, device: &DeviceModel, seed: u64, index: u64) -> Self {
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
            poll: device.cpu_poll,
        }
    }

    /// When a polling loop finds what appears at `visible`: somewhere within its period.
    pub fn found_at(&mut self, visible: Time) -> Time {
        visible + self.random.time_below(self.poll)
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
