//! [`Clock`]: the volume that each of several flows with one rate carries.

use crate::rate::{Rate, Volume};
use bandwise_units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A counter of the volume that a flow with the clock's rate has carried. A flow that joins is due
/// at the present volume plus its remaining one. So a change of the rate costs nothing per flow,
/// and remainders are exact.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    rate: Rate,
    shown: Volume,
    since: Time,
    /// Flows by the volume at which they end. Entries of flows that have left the clock may remain.
    due: BinaryHeap<Reverse<(Volume, u32)>>,
}

impl Clock {
    /// Returns the volume at a time.
    pub(super) fn shown(&self, now: Time) -> Volume {
        self.shown.plus(self.rate.over(now - self.since))
    }

    pub(super) fn rate(&self) -> Rate {
        self.rate
    }

    /// Sets another rate from now on.
    pub(super) fn set(&mut self, rate: Rate, now: Time) {
        (self.shown, self.since, self.rate) = (self.shown(now), now, rate);
    }

    /// Adds a flow with `left` to carry, and returns the volume at which it ends.
    pub(super) fn join(&mut self, flow: u32, left: Volume, now: Time) -> Volume {
        let due = self.shown(now).plus(left);
        self.due.push(Reverse((due, flow)));
        due
    }

    /// Removes a flow that is due, if there is one. `is_here` returns whether a flow still belongs
    /// to this clock and is due at a volume.
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

    /// Returns the time at which the next flow is due, if one ever is.
    pub(super) fn next_end(&mut self, is_here: impl Fn(u32, Volume) -> bool) -> Option<Time> {
        let due = self.first(is_here)?;
        let ps = due.less(self.shown).time_at(self.rate)?;
        self.since.as_ps().checked_add(ps.as_ps()).map(Time::from_ps)
    }

    /// Returns the volume at which the next flow is due. Removes earlier entries of flows that have
    /// left.
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
