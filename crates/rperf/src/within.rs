//! [`Within`]: what a method measured in a part of the time.

use crate::{Latency, Window};
use bandwise_units::Time;

/// Rounds that began and ended in a window, such as the time in which other flows were active too. A round
/// that reaches over an edge is none of them: some of it was measured beside nobody.
#[derive(Debug, Clone)]
pub struct Within {
    window: Window,
    latency: Latency,
    /// When the first of them could begin, and the last had ended.
    span: Option<(Time, Time)>,
}

impl Within {
    pub(crate) fn new(window: Window) -> Self {
        Within { window, latency: Latency::new(), span: None }
    }

    /// A round that could begin at `ready` has ended, and measured that. Where several are under way, this one
    /// may have begun before the last one ended: not later than it took.
    pub(crate) fn end_round(&mut self, ready: Time, now: Time, ps: i64) {
        let took = Time::from_ps(u64::try_from(ps).unwrap_or(0));
        let began = ready.min(now.saturating_sub(took));
        if began < self.window.from || now >= self.window.to {
            return;
        }
        self.latency.record_ps(ps);
        let (first, _) = self.span.unwrap_or((began, now));
        self.span = Some((first, now));
    }

    /// What these rounds measured.
    pub fn latency(&self) -> &Latency {
        &self.latency
    }

    /// From the beginning of the first of them to the end of the last: as many rounds as were recorded took
    /// exactly that. `None` if there was none.
    pub fn span(&self) -> Option<(Time, Time)> {
        self.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_over_an_edge_do_not_count() {
        let us = Time::from_us;
        let mut within = Within::new(Window { from: us(10), to: us(20) });
        let rounds = [(0, 9), (9, 11), (10, 12), (12, 19), (19, 20), (20, 22)];
        rounds.into_iter().for_each(|(ready, now)| within.end_round(us(ready), us(now), 1_000));
        assert_eq!(within.latency().count(), 2);
        assert_eq!(within.span(), Some((us(10), us(19))));
        // One of several under way: posted before the window.
        within.end_round(us(12), us(14), 5_000_000);
        assert_eq!(within.latency().count(), 2);
        within.end_round(us(12), us(15), 4_000_000);
        assert_eq!(within.latency().count(), 3);
    }
}
