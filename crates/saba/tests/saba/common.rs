//! Sample applications.

use bandwise_random::Stream;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Sample, Samples};
use bandwise_units::Time;
use proptest::prelude::*;

/// The shares of the paper's profiler (Saba 4.5.1).
pub(crate) const PROFILED: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];

pub(crate) fn share(share: f64) -> Share {
    Share::try_from(share).unwrap()
}

/// Returns samples with these slowdowns, where a slowdown of 1 takes 100 s.
pub(crate) fn samples(slowdowns: &[(f64, f64)]) -> Samples {
    let sample = |&(b, d): &(f64, f64)| Sample {
        share: share(b),
        time: Time::from_ps((d * 1e14).round() as u64),
    };
    Samples::new(slowdowns.iter().map(sample)).unwrap()
}

/// Returns LR with the values in the text (Saba 4.2.2).
pub(crate) fn lr() -> Samples {
    samples(&[(1.0, 1.0), (0.75, 1.3), (0.25, 3.4), (0.1, 4.5)])
}

/// Returns SQL with the values in the text (Saba 4.2.2).
pub(crate) fn sql() -> Samples {
    samples(&[(1.0, 1.0), (0.25, 1.2), (0.1, 2.2)])
}

/// Generates the slowdowns at the profiled shares of an application of random stages, some of which
/// compute while they send (Saba 3.4), with a measuring error of up to `noise`.
pub(crate) fn staged(index: u64, noise: f64) -> Samples {
    let mut chance = Stream::new(1, "stages", index);
    let sends = chance.fraction();
    let stages: Vec<[f64; 3]> = (0..4)
        .map(|_| [chance.fraction(), chance.fraction() * sends, chance.fraction().round()])
        .collect();
    let time = |b: f64| -> f64 {
        let stage = |&[compute, send, overlaps]: &[f64; 3]| match overlaps {
            0.0 => compute + send / b,
            _ => compute.max(send / b),
        };
        stages.iter().map(stage).sum()
    };
    let mut measured =
        |b: f64| time(b) / time(1.0) * (1.0 + noise * (2.0 * chance.fraction() - 1.0));
    samples(&PROFILED.map(|b| (b, measured(b))))
}

/// Generates samples: slowdowns from 1 to 20 at three to nine shares, in any order.
pub(crate) fn any_samples() -> impl Strategy<Value = Samples> {
    prop::collection::btree_map(1u32..100, 1.0f64..20.0, 2..9).prop_map(|others| {
        let mut all: Vec<(f64, f64)> =
            others.into_iter().map(|(percent, d)| (f64::from(percent) / 100.0, d)).collect();
        all.push((1.0, 1.0));
        samples(&all)
    })
}
