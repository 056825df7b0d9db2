//! The ticks of an axis and their labels. The ticks cover the values: the first is at or below the
//! lowest and the last at or above the highest.

use crate::number::{people, short};

/// The largest drawn size. Larger sizes, and sizes below `SMALLEST` other than zero, are not drawn,
/// so that all arithmetic is finite.
pub(crate) const LARGEST: f64 = 1e60;
const SMALLEST: f64 = 1e-60;

/// Returns ticks at multiples of 1, 2 or 5 times a power of ten: at least 3 and at most `most`,
/// which is 6 to 10, or one more than the difference of two whole numbers that is at least 2.
pub(crate) fn linear(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (low, high) = spread(low, high);
    let span = high - low;
    // The search starts well below the step and takes a few iterations.
    let exponent = (span / 100.0).log10().floor() as i32;
    for step in
        (0..).map(|i| Round { mantissa: [1, 2, 5][i % 3], exponent: exponent + (i / 3) as i32 })
    {
        let size = step.times(1);
        // A value within rounding of a tick is on it.
        let first = (low / size + 1e-9).floor() as i64;
        let last = (high / size - 1e-9).ceil() as i64;
        if (last - first) < most as i64 {
            return (first..=last).map(|i| step.times(i)).collect();
        }
    }
    unreachable!("steps grow without end")
}

/// Returns a range that holds three different ticks.
fn spread(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if size < SMALLEST {
        return (0.0, 1.0);
    }
    if high - low > size * 1e-9 { (low, high) } else { (low - size * 0.1, high + size * 0.1) }
}

/// A round number: a mantissa times a power of ten.
struct Round {
    mantissa: i64,
    exponent: i32,
}

impl Round {
    /// Returns the multiple nearest to the decimal number: 3 times 0.1 is 0.3.
    fn times(&self, n: i64) -> f64 {
        let whole = (self.mantissa * n) as f64;
        match self.exponent {
            e if e < 0 => whole / 10f64.powi(-e),
            e => whole * 10f64.powi(e),
        }
    }
}

/// Returns ticks at powers of two: at least 3, at most `most`. Values must be positive.
pub(crate) fn log2(low: f64, high: f64, most: usize) -> Vec<f64> {
    let first = (low.max(SMALLEST).log2() + 1e-9).floor() as i32;
    let last = (high.max(SMALLEST).log2() - 1e-9).ceil() as i32;
    exponents(first, last, most).into_iter().map(|e| 2f64.powi(e)).collect()
}

/// Returns ticks at 1, 2 and 5 times powers of ten if there is room, else at powers of ten: at
/// least 3, at most `most`. Values must be positive.
pub(crate) fn log10(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (low, high) = (low.max(SMALLEST), high.max(SMALLEST));
    let value = |k: i32| {
        let mantissa = [1, 2, 5][k.rem_euclid(3) as usize];
        Round { mantissa, exponent: k.div_euclid(3) }.times(1)
    };
    let start = 3 * low.log10().floor() as i32 - 3;
    let first = (start..).take_while(|&k| value(k) <= low * (1.0 + 1e-9)).last().unwrap_or(start);
    let last = (first..).find(|&k| value(k) >= high * (1.0 - 1e-9)).unwrap_or(first);
    let last = last.max(first + 2);
    if ((last - first) as usize) < most {
        return (first..=last).map(value).collect();
    }
    let (first, last) = (first.div_euclid(3), (last + 2).div_euclid(3));
    exponents(first, last, most).into_iter().map(|e| value(3 * e)).collect()
}

/// Returns evenly spaced whole numbers from `first` to `last` or a little beyond.
fn exponents(first: i32, last: i32, most: usize) -> Vec<i32> {
    let last = last.max(first + 2);
    let stride = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200]
        .into_iter()
        .find(|stride| (last - first + stride - 1) / stride < most as i32)
        .unwrap_or(500);
    let steps = ((last - first + stride - 1) / stride).max(2);
    (0..=steps).map(|i| first + i * stride).collect()
}

/// Returns the labels of linear ticks, with the same number of decimals, and with `k`, `M`, `G` or
/// `T` for large ones.
pub(crate) fn linear_labels(ticks: &[f64]) -> Vec<String> {
    let size = ticks.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let step = ticks.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
    if !(1e-4..1e15).contains(&size) {
        return ticks.iter().map(|&t| people(t)).collect();
    }
    let (divisor, suffix) = match size {
        s if s >= 1e12 => (1e12, "T"),
        s if s >= 1e9 => (1e9, "G"),
        s if s >= 1e6 => (1e6, "M"),
        s if s >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let decimals = (-((step / divisor).log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize;
    let label = |&tick: &f64| match tick {
        0.0 => "0".to_owned(),
        tick => format!("{:.decimals$}{suffix}", tick / divisor),
    };
    ticks.iter().map(label).collect()
}

/// Returns the label of a tick at a power of two: `64`, `4Ki`, `1Mi`.
pub(crate) fn log2_label(tick: f64) -> String {
    let units = [(40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki")];
    let unit = units.into_iter().find(|&(power, _)| tick >= 2f64.powi(power));
    match unit {
        Some((power, suffix)) => format!("{}{suffix}", people(tick / 2f64.powi(power))),
        None => people(tick),
    }
}

/// Returns the label of a decimal tick: `0.01`, `50`, `20k`.
pub(crate) fn log10_label(tick: f64) -> String {
    short(tick)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns whether the first digit is 1, 2 or 5 and all others are zeros.
    fn is_round(value: f64) -> bool {
        value == 0.0
            || matches!(format!("{:e}", value.abs()).as_bytes()[..2], [b'1' | b'2' | b'5', b'e'])
    }

    fn increasing(ticks: &[f64]) -> bool {
        ticks.windows(2).all(|w| w[0] < w[1])
    }

    proptest! {
        #[test]
        fn linear_ticks_are_round_and_cover_the_range(
            a in -1e12f64..1e12, width in prop_oneof![Just(0.0), 1e-9f64..1e12], most in 6usize..=10,
        ) {
            let ticks = linear(a, a + width, most);
            prop_assert!((3..=most).contains(&ticks.len()), "{ticks:?}");
            prop_assert!(increasing(&ticks), "{ticks:?}");
            let step = ticks[1] - ticks[0];
            prop_assert!(ticks[0] <= a + step * 1e-6 && ticks[ticks.len() - 1] >= a + width - step * 1e-6);
            if width > a.abs() * 1e-6 {
                prop_assert!(is_round(crate::number::rounded(step, 5)), "step {step}");
            }
            prop_assert!(linear_labels(&ticks).iter().all(|l| l.len() <= 18));
        }

        #[test]
        fn small_whole_ranges_get_exact_ticks(low in -50i32..50, width in 1i32..500) {
            let ticks = linear(f64::from(low), f64::from(low + width), 8);
            let labels = linear_labels(&ticks);
            let mut different = labels.clone();
            different.dedup();
            prop_assert_eq!(&different, &labels);
            for (tick, label) in ticks.iter().zip(&labels) {
                prop_assert_eq!(label.parse::<f64>().unwrap(), *tick);
            }
        }

        #[test]
        fn counts_get_whole_ticks(low in -50i32..50, width in 2i32..9) {
            let ticks = linear(f64::from(low), f64::from(low + width), width as usize + 1);
            prop_assert!(ticks.len() >= 3 && ticks.iter().all(|t| t.fract() == 0.0), "{ticks:?}");
        }

        #[test]
        fn logarithmic_ticks_are_round_and_cover_the_range(
            exponent in -12f64..12.0, decades in 0f64..12.0, most in 6usize..=10,
        ) {
            let (low, high) = (10f64.powf(exponent), 10f64.powf(exponent + decades));
            for ticks in [log2(low, high, most), log10(low, high, most)] {
                prop_assert!((3..=most).contains(&ticks.len()), "{ticks:?}");
                prop_assert!(increasing(&ticks), "{ticks:?}");
                prop_assert!(ticks[0] <= low * 1.0001 && ticks[ticks.len() - 1] >= high * 0.9999);
            }
            prop_assert!(log10(low, high, most).into_iter().all(is_round));
            prop_assert!(log2(low, high, most).iter().all(|t| t.log2().fract() == 0.0));
        }

        #[test]
        fn extremes_stay_finite(a in -LARGEST..LARGEST, b in 0.0..LARGEST, e in -60f64..60.0) {
            for ticks in [linear(a, a + b, 8), linear(0.0, 10f64.powf(e), 8)] {
                prop_assert!(ticks.len() >= 3 && increasing(&ticks), "{ticks:?}");
            }
            prop_assert!(log2(10f64.powf(e), LARGEST, 8).iter().all(|t| t.is_finite()));
            prop_assert!(log10(10f64.powf(e), LARGEST, 8).iter().all(|t| t.is_finite()));
        }
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(linear_labels(&linear(0.0, 20.2, 8)), ["0", "5", "10", "15", "20", "25"]);
        assert_eq!(
            linear_labels(&linear(-0.3, 0.9, 8)).join(" "),
            "-0.4 -0.2 0 0.2 0.4 0.6 0.8 1.0"
        );
        assert_eq!(linear_labels(&linear(0.0, 56e9, 8)).join(" "), "0 10G 20G 30G 40G 50G 60G");
        let sizes: Vec<_> = log2(64.0, 1048576.0, 8).into_iter().map(log2_label).collect();
        assert_eq!(sizes.join(" "), "64 256 1Ki 4Ki 16Ki 64Ki 256Ki 1Mi");
        let times: Vec<_> = log10(0.4, 19.0, 8).into_iter().map(log10_label).collect();
        assert_eq!(times.join(" "), "0.2 0.5 1 2 5 10 20");
        let wide: Vec<_> = log10(0.1, 9e4, 8).into_iter().map(log10_label).collect();
        assert_eq!(wide.join(" "), "0.1 1 10 100 1k 10k 100k");
    }
}
