//! Tests of the public interface.

mod arrivals;
mod cdf_files;
mod coflows;
mod flow_lists;
mod incast;
mod jobs;
mod merge;
mod never_panics;
mod permutation;
mod sizes;

use bandwise_units::Bytes;
use bandwise_workload::{Flow, SizeDistribution, Spread};
use proptest::prelude::*;

/// Generates distributions of sizes up to some thousand bytes: steps, gaps, and single sizes.
fn distributions() -> impl Strategy<Value = SizeDistribution> {
    let spreads = prop_oneof![Just(Spread::Uniform), Just(Spread::LogUniform)];
    let steps = prop::collection::vec((0u64..1_000, 0u32..100), 2..8);
    (1u64..50, steps, spreads).prop_filter_map("no flows", |(least, steps, spread)| {
        let all: u32 = steps.iter().map(|step| step.1).sum();
        let (mut size, mut up_to) = (least, 0);
        let point = |(rise, weight)| {
            (size, up_to) = (size + rise, up_to + weight);
            (Bytes::new(size), f64::from(up_to) / f64::from(all))
        };
        let points: Vec<_> = steps.into_iter().map(point).collect();
        SizeDistribution::cdf(&points, spread).ok()
    })
}

/// Generates flows among 54 hosts.
fn flows() -> impl Strategy<Value = Flow> {
    (0u64..1 << 62, 0u32..54, 1u32..54, 1u64..=1 << 40).prop_map(|(ps, src, away, bytes)| Flow {
        start: bandwise_units::Time::from_ps(ps),
        src,
        dst: (src + away) % 54,
        bytes,
    })
}

/// Returns the Kolmogorov-Smirnov distance of samples from a distribution, times the root of their
/// number. It exceeds 2.2 once in ten thousand times.
fn kolmogorov(mut samples: Vec<f64>, share_up_to: impl Fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let distance = |(i, &x): (usize, &f64)| {
        // Equal samples make one step, at the last of them.
        let is_last = samples.get(i + 1) != Some(&x);
        if is_last { (share_up_to(x) - (i + 1) as f64 / n).abs() } else { 0.0 }
    };
    samples.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}
