//! [`Latency`]: a distribution of times that may be negative, in constant memory.

use bandwise_stats::Percentile;
use hdrhistogram::Histogram;

/// Resolution of the histograms in picoseconds: 0.1 ns.
const STEP_PS: u64 = 100;
/// Significant decimal digits: values below 3.2768 us are exact to a step, larger ones to 1 in 10
/// 000.
const DIGITS: u8 = 4;
/// Digits of histograms that exist in large numbers: exact to a step up to 204.8 ns, and to 1 in
/// 1000 beyond.
const FEWER_DIGITS: u8 = 3;
/// Initial range in picoseconds: 100 us up, 20 us down.
const ROOM_PS: u64 = 100_000_000;
const ROOM_BELOW_PS: u64 = 20_000_000;

/// A distribution of signed times: RPerf subtracts two times, and the difference may be negative.
/// No sample is dropped.
///
/// Count, minimum, maximum and mean are exact. Percentiles have a resolution of 0.1 ns up to 3.2768
/// us, and of 1 in 10 000 beyond. A distribution takes 1.6 MB for any number of samples; one beyond
/// 100 us (or below -20 us) adds 0.1 MB for each doubling.
#[derive(Debug, Clone)]
pub struct Latency {
    /// Samples of zero and above.
    positive: Histogram<u64>,
    /// Magnitudes of samples below zero.
    negative: Histogram<u64>,
    zeros: u64,
    sum_ps: i128,
    min_ps: i64,
    max_ps: i64,
}

impl Latency {
    /// Creates an empty distribution.
    pub fn new() -> Self {
        Latency::of_digits(DIGITS)
    }

    /// Creates an empty distribution of a tenth of the memory, 0.16 MB. Its percentiles are exact
    /// to 1 in 1000 from 204.8 ns on.
    pub fn coarse() -> Self {
        Latency::of_digits(FEWER_DIGITS)
    }

    fn of_digits(digits: u8) -> Self {
        let histogram = |room_ps: u64| {
            let mut h = Histogram::new_with_bounds(1, room_ps / STEP_PS, digits)
                .expect("bounds and digits are in range");
            h.auto(true);
            h
        };
        Latency {
            positive: histogram(ROOM_PS),
            negative: histogram(ROOM_BELOW_PS),
            zeros: 0,
            sum_ps: 0,
            min_ps: i64::MAX,
            max_ps: i64::MIN,
        }
    }

    /// Adds a sample in picoseconds. Allocates only if the sample is outside of the histogram's
    /// range so far.
    pub fn record_ps(&mut self, ps: i64) {
        // Half a step rounds up.
        let steps = (ps.unsigned_abs() + STEP_PS / 2) / STEP_PS;
        let side = if ps < 0 { &mut self.negative } else { &mut self.positive };
        side.record(steps).expect("the histogram grows");
        self.zeros += u64::from(ps == 0);
        self.sum_ps += i128::from(ps);
        self.min_ps = self.min_ps.min(ps);
        self.max_ps = self.max_ps.max(ps);
    }

    /// Adds the samples of another distribution.
    pub fn merge(&mut self, other: &Latency) {
        self.positive.add(&other.positive).expect("the histogram grows");
        if !other.negative.is_empty() {
            self.negative.add(&other.negative).expect("the histogram grows");
        }
        self.zeros += other.zeros;
        self.sum_ps += other.sum_ps;
        self.min_ps = self.min_ps.min(other.min_ps);
        self.max_ps = self.max_ps.max(other.max_ps);
    }

    /// Returns the number of samples.
    pub fn count(&self) -> u64 {
        self.positive.len() + self.negative.len()
    }

    /// Returns the number of samples below zero.
    pub fn negatives(&self) -> u64 {
        self.negative.len()
    }

    /// Returns the number of samples of exactly zero picoseconds.
    pub fn zeros(&self) -> u64 {
        self.zeros
    }

    /// Returns the smallest sample in picoseconds, or `None` if there is none.
    pub fn min_ps(&self) -> Option<i64> {
        (self.count() > 0).then_some(self.min_ps)
    }

    /// Returns the largest sample in picoseconds, or `None` if there is none.
    pub fn max_ps(&self) -> Option<i64> {
        (self.count() > 0).then_some(self.max_ps)
    }

    /// Returns the mean in picoseconds, or `None` if there are no samples.
    pub fn mean_ps(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum_ps as f64 / self.count() as f64)
    }

    /// Returns a percentile in picoseconds, to the resolution of the histogram and never outside of
    /// minimum and maximum. Returns `None` if there are no samples.
    pub fn percentile_ps(&self, percentile: Percentile) -> Option<i64> {
        let rank = percentile.rank(self.count())?;
        let below = self.negatives();
        // Below zero, ranks run backwards, since the smallest value has the largest magnitude.
        let ps = match rank.checked_sub(below) {
            None | Some(0) => -value_ps(&self.negative, below - rank + 1),
            Some(above) => value_ps(&self.positive, above),
        };
        Some(ps.clamp(self.min_ps, self.max_ps))
    }

    /// Returns the figures of reports, or `None` if there are no samples.
    pub fn summary(&self) -> Option<Summary> {
        let ns = |ps: i64| ps as f64 / 1e3;
        Some(Summary {
            count: self.count(),
            negatives: self.negatives(),
            zeros: self.zeros(),
            min_ns: ns(self.min_ps()?),
            mean_ns: self.mean_ps()? / 1e3,
            p50_ns: ns(self.percentile_ps(Percentile::MEDIAN)?),
            p90_ns: ns(self.percentile_ps(Percentile::P90)?),
            p99_ns: ns(self.percentile_ps(Percentile::P99)?),
            p99_9_ns: ns(self.percentile_ps(Percentile::P99_9)?),
            p99_99_ns: ns(self.percentile_ps(Percentile::P99_99)?),
            max_ns: ns(self.max_ps()?),
        })
    }
}

impl Default for Latency {
    fn default() -> Self {
        Latency::new()
    }
}

/// Returns the value of rank `rank` (from 1) in picoseconds: the middle of its bucket. Computed in
/// integers, since the histogram's own quantiles take a floating-point fraction.
fn value_ps(histogram: &Histogram<u64>, rank: u64) -> i64 {
    let mut passed = 0;
    for bucket in histogram.iter_recorded() {
        passed += bucket.count_at_value();
        if passed >= rank {
            let low = u128::from(histogram.lowest_equivalent(bucket.value_iterated_to()));
            let high = u128::from(histogram.highest_equivalent(bucket.value_iterated_to()));
            let middle = (low + high) * u128::from(STEP_PS) / 2;
            return i64::try_from(middle).unwrap_or(i64::MAX);
        }
    }
    unreachable!("rank {rank} of {passed} samples")
}

/// Figures of a [`Latency`] in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Summary {
    /// Number of samples.
    pub count: u64,
    /// Number of samples below zero.
    pub negatives: u64,
    /// Number of samples of exactly zero picoseconds.
    pub zeros: u64,
    /// Minimum, ns.
    pub min_ns: f64,
    /// Mean, ns.
    pub mean_ns: f64,
    /// Median, ns.
    pub p50_ns: f64,
    /// 90th percentile, ns.
    pub p90_ns: f64,
    /// 99th percentile, ns.
    pub p99_ns: f64,
    /// 99.9th percentile, ns: the tail in the RPerf paper.
    pub p99_9_ns: f64,
    /// 99.99th percentile, ns.
    pub p99_99_ns: f64,
    /// Maximum, ns.
    pub max_ns: f64,
}

/// A comparison of measured samples with a more accurate source: the simulator's ground truth, or
/// the time stamps of a device with a clock.
#[derive(Debug, Clone, Default)]
pub struct AgainstTruth {
    /// Values of the more accurate source.
    pub truth: Latency,
    /// Measured value minus the more accurate one, per sample: positive if the method reports too
    /// much.
    pub error: Latency,
}

impl AgainstTruth {
    /// Adds a sample: the measured value and the more accurate one, in picoseconds.
    pub fn record(&mut self, measured_ps: i64, truth_ps: i64) {
        self.truth.record_ps(truth_ps);
        self.error.record_ps(measured_ps - truth_ps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[i64]) -> Latency {
        let mut latency = Latency::new();
        samples.iter().for_each(|&ps| latency.record_ps(ps));
        latency
    }

    #[test]
    fn percentiles_cross_zero() {
        let latency = of(&[-300, -200, -100, 0, 100, 200, 300, 400, 500, 600]);
        let at = |ppm| latency.percentile_ps(Percentile::from_ppm(ppm)).unwrap();
        assert_eq!([at(0), at(100_000), at(200_000), at(300_000)], [-300, -300, -200, -100]);
        assert_eq!([at(300_001), at(400_000), at(500_000), at(1_000_000)], [0, 0, 100, 600]);
        assert_eq!((latency.count(), latency.negatives(), latency.zeros()), (10, 3, 1));
        assert_eq!(latency.mean_ps(), Some(150.0));
    }

    #[test]
    fn an_empty_distribution_has_no_summary() {
        assert_eq!(Latency::new().summary(), None);
        assert_eq!(Latency::new().percentile_ps(Percentile::MEDIAN), None);
    }

    #[test]
    fn ranks_are_computed_in_integers() {
        // 999 of 1000: in floating point 0.999 * 1000 may round up to the 1000th.
        let samples: Vec<i64> = (1..=1000).map(|n| n * 100).collect();
        let summary = of(&samples).summary().unwrap();
        assert_eq!((summary.p50_ns, summary.p99_9_ns, summary.p99_99_ns), (50.0, 99.9, 100.0));
    }

    fn samples() -> impl Strategy<Value = Vec<i64>> {
        let sample = prop_oneof![
            -5_000i64..5_000,
            -3_000_000i64..3_000_000,
            -10_000_000_000i64..100_000_000_000,
            Just(0i64),
        ];
        prop::collection::vec(sample, 1..400)
    }

    proptest! {
        #[test]
        fn a_merged_distribution_has_all_samples(one in samples(), other in samples()) {
            let mut merged = of(&one);
            merged.merge(&of(&other));
            let all = of(&[one, other].concat());
            prop_assert_eq!(merged.summary(), all.summary());
            merged.merge(&Latency::new());
            prop_assert_eq!(merged.summary(), all.summary());
        }

        #[test]
        fn statistics_equal_those_of_sorted_samples(mut all in samples(), ppm in 0u32..=1_000_000) {
            let latency = of(&all);
            all.sort_unstable();
            let n = all.len() as u64;
            prop_assert_eq!(latency.count(), n);
            prop_assert_eq!(latency.negatives(), all.iter().filter(|&&s| s < 0).count() as u64);
            prop_assert_eq!(latency.zeros(), all.iter().filter(|&&s| s == 0).count() as u64);
            prop_assert_eq!(latency.min_ps(), all.first().copied());
            prop_assert_eq!(latency.max_ps(), all.last().copied());
            let mean = all.iter().map(|&s| i128::from(s)).sum::<i128>() as f64 / n as f64;
            prop_assert_eq!(latency.mean_ps(), Some(mean));
            for ppm in [ppm, 0, 500_000, 999_000, 1_000_000] {
                let rank = (n * u64::from(ppm)).div_ceil(1_000_000).max(1) as usize;
                let exact = all[rank - 1];
                let got = latency.percentile_ps(Percentile::from_ppm(ppm)).unwrap();
                // Half a step, or half a bucket of 1 in 16384.
                let slack = 50 + exact.abs() / 16_384;
                prop_assert!((got - exact).abs() <= slack, "{ppm}: {got} for {exact}");
            }
        }
    }
}
