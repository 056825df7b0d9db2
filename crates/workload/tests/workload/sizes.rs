//! Size distributions: mean, shares, quantiles and samples agree.

use super::{distributions, kolmogorov};
use bandwise_random::Stream;
use bandwise_units::Bytes;
use bandwise_workload::{CdfError, IrnSpreads, KNOWN, MAX_FLOW, SizeDistribution, Spread};
use proptest::prelude::*;

/// Returns every size of a distribution and its share of flows.
fn shares(sizes: &SizeDistribution) -> impl Iterator<Item = (f64, f64)> {
    let up_to = |k| sizes.share_up_to(Bytes::new(k));
    (sizes.least().get()..=sizes.most().get()).map(move |k| (k as f64, up_to(k) - up_to(k - 1)))
}

fn samples(sizes: &SizeDistribution, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(1, "sizes", 0);
    (0..n).map(|_| sizes.sample(&mut stream).get() as f64).collect()
}

/// Returns the distance of 100,000 samples from the distribution.
fn distance(sizes: &SizeDistribution) -> f64 {
    kolmogorov(samples(sizes, 100_000), |x| sizes.share_up_to(Bytes::new(x as u64)))
}

#[test]
fn irn_sizes_match_hand_computed_values() {
    let sizes = SizeDistribution::irn_heavy_tailed(IrnSpreads::default());
    let share = |bytes| sizes.share_up_to(Bytes::new(bytes));
    assert_eq!([31, 1_000, 200_000, 3_000_000].map(share), [0.0, 0.5, 0.85, 1.0]);
    // Halfway through each range, by ratio in the middle one: the root of 1000 times 200000.
    let quantile = |share| sizes.quantile(share).get();
    assert_eq!([0.25, 0.675].map(quantile), [516, 14_143]);
    assert!((share(1_600_000) - 0.925).abs() < 1e-15);
    let middle = 199_000.0 / 200f64.ln() + 0.5;
    let mean = 0.5 * 516.0 + 0.35 * middle + 0.15 * 1_600_000.5;
    assert!((sizes.mean() - mean).abs() < 1e-3, "{} {mean}", sizes.mean());
    assert_eq!(sizes.mean().round(), 253_404.0);

    let spreads = IrnSpreads { middle: Spread::Uniform, ..IrnSpreads::default() };
    let even = SizeDistribution::irn_heavy_tailed(spreads);
    let mean = 0.5 * 516.0 + 0.35 * 100_500.5 + 0.15 * 1_600_000.5;
    assert!((even.mean() - mean).abs() < 1e-6, "{} {mean}", even.mean());
    assert_eq!(SizeDistribution::irn_uniform().mean(), 2_750_000.0);
}

/// Means as in the comments, and as the publishers compute with a line between points.
#[test]
fn known_distributions_have_their_published_means() {
    let mean = |name| SizeDistribution::known(name).unwrap().mean();
    // Sizes are rounded up to whole bytes: half a byte more.
    assert!((mean("web-search") - 1_711_250.5).abs() < 1e-6, "{}", mean("web-search"));
    insta::assert_snapshot!(format!("{:.1}", mean("fb-hadoop")), @"120421.3");
    insta::assert_snapshot!(format!("{:.1}", mean("data-mining")), @"12658199.1");
    assert!(KNOWN.iter().all(|name| SizeDistribution::known(name).is_some()));
    assert_eq!(SizeDistribution::known("web search"), None);
}

#[test]
fn samples_follow_the_known_distributions() {
    for name in KNOWN {
        let sizes = SizeDistribution::known(name).unwrap();
        assert!(distance(&sizes) < 2.2, "{name}: {}", distance(&sizes));
    }
}

#[test]
fn uniform_sizes_include_both_ends() {
    let dice = SizeDistribution::uniform(Bytes::new(1), Bytes::new(6)).unwrap();
    assert_eq!((dice.mean(), dice.least().get(), dice.most().get()), (3.5, 1, 6));
    let mut rolled = samples(&dice, 1_000);
    rolled.sort_by(f64::total_cmp);
    rolled.dedup();
    assert_eq!(rolled, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let one = SizeDistribution::fixed(MAX_FLOW).unwrap();
    assert_eq!((one.mean(), one.quantile(0.5)), (MAX_FLOW.get() as f64, MAX_FLOW));
    for share in [f64::NEG_INFINITY, 0.0, f64::INFINITY, f64::NAN] {
        assert!((1..=6).contains(&dice.quantile(share).get()), "{share}");
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let refused = |least, most| {
        let error = SizeDistribution::uniform(Bytes::new(least), Bytes::new(most)).unwrap_err();
        format!("{error} (allowed: {})", error.allowed())
    };
    insta::assert_snapshot!(refused(0, 5), @"a flow of 0 bytes (allowed: 1 to 1099511627776 bytes)");
    insta::assert_snapshot!(refused(1, 1 << 63), @"a flow of 9223372036854775808 bytes (allowed: 1 to 1099511627776 bytes)");
    insta::assert_snapshot!(refused(6, 5), @"sizes from 6 to 5 bytes (allowed: the smaller size first)");
}

#[test]
fn invalid_cdf_points_are_refused() {
    let error = |points: &[(u64, f64)]| {
        let points: Vec<_> = points.iter().map(|&(b, share)| (Bytes::new(b), share)).collect();
        SizeDistribution::cdf(&points, Spread::Uniform).unwrap_err()
    };
    assert_eq!(error(&[]), CdfError::TooFew { points: 0 });
    assert_eq!(error(&[(1, 1.0)]), CdfError::TooFew { points: 1 });
    assert_eq!(error(&[(1, 0.0), (2, 0.9)]), CdfError::End { point: 1, share: 0.9 });
    assert_eq!(error(&[(1, 50.0), (2, 1.0)]), CdfError::Share { point: 0, share: 50.0, all: 1.0 });
    assert!(matches!(error(&[(1, f64::NAN), (2, 1.0)]), CdfError::Share { point: 0, .. }));
    let falls = CdfError::ShareFalls { point: 2, before: 40.0, share: 30.0 };
    assert_eq!(error(&[(1, 0.0), (2, 40.0), (3, 30.0), (4, 100.0)]), falls);
    let falls = CdfError::SizeFalls { point: 1, before: 9, bytes: 8 };
    assert_eq!(error(&[(9, 0.0), (8, 1.0)]), falls);
    assert_eq!(error(&[(0, 0.25), (8, 1.0)]), CdfError::NoBytes { point: 0, share: 0.25 });
    assert_eq!(error(&[(0, 0.0), (0, 1.0)]), CdfError::NoBytes { point: 1, share: 1.0 });
    let bytes = u64::MAX;
    assert_eq!(error(&[(0, 0.0), (bytes, 1.0)]), CdfError::TooLarge { point: 1, bytes });
}

/// A table of points is equal in both units, and a vertical step gives flows of one size.
#[test]
fn cdf_steps_and_gaps_are_sampled() {
    let of = |points: &[(u64, f64)]| {
        let points: Vec<_> = points.iter().map(|&(b, share)| (Bytes::new(b), share)).collect();
        SizeDistribution::cdf(&points, Spread::LogUniform).unwrap()
    };
    let sizes = of(&[(10, 25.0), (20, 25.0), (20, 75.0), (30, 75.0), (40, 100.0)]);
    assert_eq!(sizes, of(&[(10, 0.25), (20, 0.25), (20, 0.75), (30, 0.75), (40, 1.0)]));
    let quantiles = [0.01, 0.25, 0.26, 0.75].map(|share| sizes.quantile(share).get());
    assert_eq!(quantiles, [10, 10, 20, 20]);
    let shares = [9, 10, 19, 20, 30, 40].map(|bytes| sizes.share_up_to(Bytes::new(bytes)));
    assert_eq!(shares, [0.0, 0.25, 0.25, 0.75, 0.75, 1.0]);
}

proptest! {
    /// The mean equals the oracle: every size times its share of flows.
    #[test]
    fn the_mean_is_the_sum_over_all_sizes(sizes in distributions()) {
        let sum: f64 = shares(&sizes).map(|(size, share)| size * share).sum();
        prop_assert!((sizes.mean() - sum).abs() < 1e-9 * sum, "{} {sum}", sizes.mean());
        let all: f64 = shares(&sizes).map(|(_, share)| share).sum();
        prop_assert!((all - 1.0).abs() < 1e-12 && shares(&sizes).all(|(_, share)| share >= 0.0));
    }

    /// The mean of samples is within five standard errors. The variance follows from the same sum.
    #[test]
    fn the_mean_of_samples_converges(sizes in distributions()) {
        const N: usize = 20_000;
        let variance: f64 =
            shares(&sizes).map(|(size, share)| (size - sizes.mean()).powi(2) * share).sum();
        let mean = samples(&sizes, N).iter().sum::<f64>() / N as f64;
        let error = (variance / N as f64).sqrt();
        prop_assert!((mean - sizes.mean()).abs() <= 5.0 * error + 1e-9, "{mean} {}", sizes.mean());
    }

    #[test]
    fn quantiles_invert_the_distribution(sizes in distributions(), share in 1e-9f64..=1.0) {
        let size = sizes.quantile(share);
        prop_assert!(sizes.share_up_to(size) >= share - 1e-12);
        prop_assert!(sizes.share_up_to(Bytes::new(size.get() - 1)) < share + 1e-12);
        prop_assert!((sizes.least()..=sizes.most()).contains(&size));
    }
}
