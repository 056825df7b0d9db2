//! [`Within`]: what a method measured in a part of the time.

use crate::{Latency, PARTS, Window};
use bandwise_units::Time;

/// Rounds that began and ended in a window, such as the time in which other flows were active too. A round
/// that reaches over an edge is none of them: some of it was measured beside nobody.
///
/// It can also be said of the window's first parts alone, for a run that was cut short.
#[derive(Debug, Clone)]
pub struct Within {
    window: Window,
    latency: Latency,
    span: Option<Span>,
    /// The same by parts of the window, to fewer digits.
    parts: Vec<Part>,
    /// The part that goes on, and its end.
    part: usize,
    part_ends: Time,
}

/// When the first of some rounds could begin, and the last had ended.
type Span = (Time, Time);

/// Rounds that ended in a part of the window.
#[derive(Debug, Clone)]
struct Part {
    latency: Latency,
    span: Option<Span>,
}

impl Within {
    pub(crate) fn new(window: Window) -> Self {
        let part = Part { latency: Latency::coarse(), span: None };
        Within {
            window,
            latency: Latency::new(),
            span: None,
            parts: vec![part; PARTS],
            part: 0,
            part_ends: window.first(1).to,
        }
    }

    /// A round that could begin at `ready` has ended, and measured that. Where several are under way, this one
    /// may have begun before the last one ended: not later than it took. Rounds end one after the other.
    pub(crate) fn end_round(&mut self, ready: Time, now: Time, ps: i64) {
        let took = Time::from_ps(u64::try_from(ps).unwrap_or(0));
        let began = ready.min(now.saturating_sub(took));
        if began < self.window.from || now >= self.window.to {
            return;
        }
        self.latency.record_ps(ps);
        self.span = joined(self.span, Some((began, now)));
        while now >= self.part_ends {
            self.part += 1;
            // What is left of the window behind its last part is none.
            self.part_ends = match self.part {
                0..PARTS => self.window.first(self.part + 1).to,
                _ => Time::MAX,
            };
        }
        if let Some(part) = self.parts.get_mut(self.part) {
            part.latency.record_ps(ps);
            part.span = joined(part.span, Some((began, now)));
        }
    }

    /// Adds the rounds of another thread, which had the same window.
    pub fn merge(&mut self, other: &Within) {
        self.latency.merge(&other.latency);
        self.span = joined(self.span, other.span);
        for (part, more) in self.parts.iter_mut().zip(&other.parts) {
            part.latency.merge(&more.latency);
            part.span = joined(part.span, more.span);
        }
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

    /// The same of each of the window's [`PARTS`], of the rounds that ended in it; quantiles are known to 1 in 2000. The
    /// rounds of the first parts together are those that lie in the window of these parts.
    pub fn parts(&self) -> impl Iterator<Item = (&Latency, Option<(Time, Time)>)> {
        self.parts.iter().map(|part| (&part.latency, part.span))
    }
}

/// From when the first begins to when the last ends.
fn joined(one: Option<Span>, other: Option<Span>) -> Option<Span> {
    let (Some((from, to)), Some((began, ended))) = (one, other) else { return one.or(other) };
    Some((from.min(began), to.max(ended)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_stats::Percentile;
    use proptest::prelude::*;

    #[test]
    fn rounds_over_an_edge_do_not_count() {
        let us = Time::from_us;
        let mut within = Within::new(Window { from: us(10), to: us(20) });
        let rounds = [(0, 9), (9, 11), (10, 12), (12, 19), (19, 20), (20, 22)];
        rounds.into_iter().for_each(|(ready, now)| within.end_round(us(ready), us(now), 1_000));
        assert_eq!(within.latency().count(), 2);
        assert_eq!(within.span(), Some((us(10), us(19))));
        // One of several under way: posted before the window.
        within.end_round(us(12), us(19), 10_000_000);
        assert_eq!(within.latency().count(), 2);
        within.end_round(us(12), us(19), 4_000_000);
        assert_eq!(within.latency().count(), 3);
    }

    /// As the window does not include its end.
    #[test]
    fn parts_do_not_include_their_end() {
        let us = Time::from_us;
        let mut within = Within::new(Window { from: us(0), to: us(64) });
        within.end_round(us(0), us(2), 2_000_000);
        let counts: Vec<u64> = within.parts().map(|(latency, _)| latency.count()).collect();
        assert_eq!(counts[..4], [0, 0, 1, 0]);
    }

    proptest! {
        /// A window that was cut short is one that was as short from the beginning.
        #[test]
        fn the_first_parts_are_a_shorter_window(
            times in prop::collection::vec(1u64..3_000, 0..300), from in 0u64..100_000, length in 1u64..300_000,
            parts in 0usize..=PARTS,
        ) {
            let window = Window { from: Time::from_ns(from), to: Time::from_ns(from + length) };
            let mut within = Within::new(window);
            let mut shorter = Within::new(window.first(parts));
            let mut ready = Time::ZERO;
            for ns in times {
                let now = ready + Time::from_ns(ns);
                let ps = (ns * 1_000) as i64;
                within.end_round(ready, now, ps);
                shorter.end_round(ready, now, ps);
                ready = now;
            }
            let (mut latency, mut span) = (Latency::coarse(), None);
            for (part, of) in within.parts().take(parts) {
                latency.merge(part);
                span = joined(span, of);
            }
            prop_assert_eq!(span, shorter.span());
            let exact = shorter.latency();
            prop_assert_eq!(latency.count(), exact.count());
            prop_assert_eq!((latency.min_ps(), latency.max_ps()), (exact.min_ps(), exact.max_ps()));
            prop_assert_eq!(latency.mean_ps(), exact.mean_ps());
            if let (Some(some), Some(exact)) = (latency.percentile_ps(Percentile::P90), exact.percentile_ps(Percentile::P90)) {
                prop_assert!((some - exact).abs() <= 100 + exact.abs() / 2_000, "{some} for {exact}");
            }
        }
    }
}
