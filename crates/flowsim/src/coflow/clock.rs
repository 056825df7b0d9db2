//! [`Clock`]: what each of some flows carries that have one rate.

use crate::rate::{Rate, Volume};
use bandwise_units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Counts what a flow carries that has had the clock's rate all along. Flows that come to have that rate are due at
/// what it shows then and what they have left: a change of the rate costs nothing per flow, and remainders are exact.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    rate: Rate,
    shown: Volume,
    since: Time,
    /// Flows by what the clock shows when they end. One that has another clock by now may still be there.
    due: BinaryHeap<Reverse<(Volume, u32)>>,
}

impl Clock {
    /// What it shows.
    pub(super) fn shown(&self, now: Time) -> Volume {
        self.shown.plus(self.rate.over(now - self.since))
    }

    pub(super) fn rate(&self) -> Rate {
        self.rate
    }

    /// Another rate from now on.
    pub(super) fn set(&mut self, rate: Rate, now: Time) {
        (self.shown, self.since, self.rate) = (self.shown(now), now, rate);
    }

    /// A flow is to go by this clock, which has `left` to carry; what the clock shows when it ends.
    pub(super) fn join(&mut self, flow: u32, left: Volume, now: Time) -> Volume {
        let due = self.shown(now).plus(left);
        self.due.push(Reverse((due, flow)));
        due
    }

    /// Takes out a flow that is due, if there is one; `is_here` says of one whether it still goes by this clock, and is due
    /// at that.
    pub(super) fn take_due(
        &mut self,
        now: Time,
        is_here: impl Fn(u32, Volume) -> bool,
    ) -> Option<u32> {
        let due = self.first(is_here)?;
        if due > self.shown(now) {
            return None;
        }
        self.due.pop().map(|Reverse((_, flow))| flow)
    }

    /// When the next flow is due, if one ever is.
    pub(super) fn next_end(&mut self, is_here: impl Fn(u32, Volume) -> bool) -> Option<Time> {
        let due = self.first(is_here)?;
        let ps = due.less(self.shown).time_at(self.rate)?;
        self.since.as_ps().checked_add(ps.as_ps()).map(Time::from_ps)
    }

    /// What it shows when the next flow is due. Forgets those before it that are not here any more.
    fn first(&mut self, is_here: impl Fn(u32, Volume) -> bool) -> Option<Volume> {
        loop {
            let &Reverse((due, flow)) = self.due.peek()?;
            if is_here(flow, due) {
                return Some(due);
            }
            self.due.pop();
        }
    }
}
