//! Percentiles against their definition, and against a search by brute force.

use bandwise_stats::{Percentile, of_sorted_parts};
use proptest::prelude::*;

/// The least sample with at least `ppm` parts per million of all samples at or below it. Counts
/// every sample for every candidate, without ranks and without sorting.
fn by_brute_force(samples: &[i64], ppm: u32) -> Option<i64> {
    let covers = |&candidate: &i64| {
        let at_or_below = samples.iter().filter(|&&sample| sample <= candidate).count();
        at_or_below as u128 * 1_000_000 >= samples.len() as u128 * u128::from(ppm)
    };
    samples.iter().copied().filter(covers).min()
}

fn sorted(mut samples: Vec<i64>) -> Vec<i64> {
    samples.sort_unstable();
    samples
}

#[test]
fn ranks_follow_the_definition() {
    let rank = |percentile: Percentile, count| percentile.rank(count).unwrap();
    assert_eq!((rank(Percentile::P90, 10), rank(Percentile::P90, 11)), (9, 10));
    assert_eq!((rank(Percentile::P99, 10), rank(Percentile::P99, 100)), (10, 99));
    assert_eq!((rank(Percentile::MEDIAN, 4), rank(Percentile::MEDIAN, 5)), (2, 3));
    assert_eq!((rank(Percentile::P99_9, 1000), rank(Percentile::P99_9, 1001)), (999, 1000));
    assert_eq!(rank(Percentile::from_ppm(0), 7), 1);
    assert_eq!(rank(Percentile::from_permille(1000), 7), 7);
    assert_eq!(Percentile::P90.rank(0), None);
}

#[test]
fn ranks_are_exact_for_any_count() {
    // In floating point, 0.999 * 1000 may round up to rank 1000.
    for thousands in [1, 1_000, 1 << 53, u64::MAX / 1_000] {
        assert_eq!(Percentile::P99_9.rank(thousands * 1_000), Some(thousands * 999));
    }
    assert_eq!(Percentile::from_ppm(1_000_000).rank(u64::MAX), Some(u64::MAX));
}

#[test]
#[should_panic(expected = "at most all samples")]
fn percentile_above_100_is_refused() {
    Percentile::from_ppm(1_000_001);
}

#[test]
#[should_panic(expected = "ascending order")]
fn percentiles_of_parts_are_asked_in_ascending_order() {
    of_sorted_parts(&[&[1, 2]], [Percentile::P99, Percentile::MEDIAN]);
}

proptest! {
    #[test]
    fn a_percentile_is_the_least_sample_that_covers_the_share(
        samples in prop::collection::vec(-20i64..20, 0..60),
        ppm in 0u32..=1_000_000,
    ) {
        let found = Percentile::from_ppm(ppm).of_sorted(&sorted(samples.clone()));
        prop_assert_eq!(found, by_brute_force(&samples, ppm));
    }

    #[test]
    fn percentiles_ascend(
        samples in prop::collection::vec(any::<i64>(), 1..60),
        one in 0u32..=1_000_000,
        other in 0u32..=1_000_000,
    ) {
        let samples = sorted(samples);
        let at = |ppm| Percentile::from_ppm(ppm).of_sorted(&samples);
        prop_assert!(at(one.min(other)) <= at(one.max(other)));
        prop_assert_eq!((at(0), at(1_000_000)), (samples.first().copied(), samples.last().copied()));
    }

    #[test]
    fn percentiles_of_parts_are_those_of_all_samples(
        parts in prop::collection::vec(prop::collection::vec(0i64..50, 0..30), 0..6),
        ppm in prop::collection::vec(0u32..=1_000_000, 5),
    ) {
        let percentiles: [Percentile; 5] =
            std::array::from_fn(|i| sorted(ppm.iter().map(|&ppm| ppm.into()).collect())[i] as u32)
                .map(Percentile::from_ppm);
        let parts: Vec<Vec<i64>> = parts.into_iter().map(sorted).collect();
        let all = sorted(parts.concat());
        let slices: Vec<&[i64]> = parts.iter().map(Vec::as_slice).collect();
        let found = of_sorted_parts(&slices, percentiles);
        let direct = (!all.is_empty()).then(|| percentiles.map(|p| p.of_sorted(&all).unwrap()));
        prop_assert_eq!(found, direct);
    }
}
