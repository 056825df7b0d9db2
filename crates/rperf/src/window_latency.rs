//! [`WindowLatency`]: the latencies of rounds within a window.

use crate::{Latency, PARTS, Window};
use bandwise_units::Time;

/// Latencies of rounds that began and ended in a window, such as the time in which other flows were
/// active too. A round that crosses an edge is excluded: part of it was measured without the other
/// flows.
///
/// Results of the window's first parts alone are available for a run that was cut short.
#[derive(Debug, Clone)]
pub struct WindowLatency {
    window: Window,
    latency: Latency,
    span: Option<Span>,
    /// Results by parts of the window, with fewer digits.
    parts: Vec<Part>,
    /// The current part, and its end.
    part: usize,
    part_ends: Time,
}

/// Earliest start of the first round, and end of the last.
type Span = (Time, Time);

/// Rounds that ended in a part of the window.
#[derive(Debug, Clone)]
struct Part {
    latency: Latency,
    span: Option<Span>,
}

impl WindowLatency {
    pub(crate) fn new(window: Window) -> Self {
        let part = Part { latency: Latency::coarse(), span: None };
        WindowLatency {
            window,
            latency: Latency::new(),
            span: None,
            parts: vec![part; PARTS],
            part: 0,
            part_ends: window.first(1).to,
        }
    }

    /// Ends a round that could start at `ready`, with its measured value. With several rounds
    /// outstanding, a round may have started before the last one ended, so its start is at most
    /// `ps` ago. Rounds end in order.
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
            // Rounding leaves a remainder of the window after its last part.
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

    /// Adds the rounds of another thread with the same window.
    pub fn merge(&mut self, other: &WindowLatency) {
        self.latency.merge(&other.latency);
        self.span = joined(self.span, other.span);
        for (part, more) in self.parts.iter_mut().zip(&other.parts) {
            part.latency.merge(&more.latency);
            part.span = joined(part.span, more.span);
        }
    }

    /// Returns the latencies of these rounds.
    pub fn latency(&self) -> &Latency {
        &self.latency
    }

    /// Returns the time from the start of the first round to the end of the last: the exact time of
    /// all recorded rounds. Returns `None` if there is none.
    pub fn span(&self) -> Option<(Time, Time)> {
        self.span
    }

    /// Returns latencies and span of the rounds that ended in each of the window's [`PARTS`].
    /// Percentiles are exact to 1 in 2000. The first parts together equal a window of these parts.
    pub fn parts(&self) -> impl Iterator<Item = (&Latency, Option<(Time, Time)>)> {
        self.parts.iter().map(|part| (&part.latency, part.span))
    }
}

/// Returns the union of two spans.
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
    fn rounds_across_an_edge_do_not_count() {
        let us = Time::from_us;
        let mut within = WindowLatency::new(Window { from: us(10), to: us(20) });
        let rounds = [(0, 9), (9, 11), (10, 12), (12, 19), (19, 20), (20, 22)];
        rounds.into_iter().for_each(|(ready, now)| within.end_round(us(ready), us(now), 1_000));
        assert_eq!(within.latency().count(), 2);
        assert_eq!(within.span(), Some((us(10), us(19))));
        // One of several outstanding: posted before the window.
        within.end_round(us(12), us(19), 10_000_000);
        assert_eq!(within.latency().count(), 2);
        within.end_round(us(12), us(19), 4_000_000);
        assert_eq!(within.latency().count(), 3);
    }

    /// A part, like the window, does not include its end.
    #[test]
    fn parts_exclude_their_end() {
        let us = Time::from_us;
        let mut within = WindowLatency::new(Window { from: us(0), to: us(64) });
        within.end_round(us(0), us(2), 2_000_000);
        let counts: Vec<u64> = within.parts().map(|(latency, _)| latency.count()).collect();
        assert_eq!(counts[..4], [0, 0, 1, 0]);
    }

    proptest! {
        /// A window that was cut short equals one that was as short from the start.
        #[test]
        fn the_first_parts_are_a_shorter_window(
            times in prop::collection::vec(1u64..3_000, 0..300), from in 0u64..100_000, length in 1u64..300_000,
            parts in 0usize..=PARTS,
        ) {
            let window = Window { from: Time::from_ns(from), to: Time::from_ns(from + length) };
            let mut within = WindowLatency::new(window);
            let mut shorter = WindowLatency::new(window.first(parts));
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
