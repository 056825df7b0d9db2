//! [`Piece`]: the sizes between two points of a distribution.

/// The distribution of sizes between two points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spread {
    /// All sizes are equally likely: the cumulative distribution is a straight line.
    #[default]
    Uniform,
    /// All ratios are equally likely, with as many flows from 1 KB to 10 KB as from 10 KB to 100
    /// KB: the cumulative distribution is a straight line over a logarithmic axis.
    LogUniform,
}

/// Sizes above `above` and up to `most`. At every whole number k, the share of sizes up to k is
/// that of the line between the two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    /// Less than `most`, and at least 1 for a log-uniform spread.
    above: u64,
    /// At most [`MAX_FLOW`](crate::MAX_FLOW), so that an `f64` holds every size exactly.
    most: u64,
    spread: Spread,
}

impl Piece {
    /// Returns sizes above `above` and up to `most`. The spread is uniform if `above` is 0, because
    /// ratios to 0 are undefined.
    pub(super) fn new(above: u64, most: u64, spread: Spread) -> Self {
        debug_assert!(above < most && most <= crate::MAX_FLOW.get());
        let spread = if above == 0 { Spread::Uniform } else { spread };
        Piece { above, most, spread }
    }

    /// Returns a single size.
    pub(super) fn only(size: u64) -> Self {
        Piece::new(size - 1, size, Spread::Uniform)
    }

    pub(super) fn above(&self) -> u64 {
        self.above
    }

    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Returns the share of sizes up to `size`, from 0 to 1.
    pub(super) fn share_up_to(&self, size: u64) -> f64 {
        if size <= self.above {
            0.0
        } else if size >= self.most {
            1.0
        } else {
            match self.spread {
                Spread::Uniform => (size - self.above) as f64 / (self.most - self.above) as f64,
                Spread::LogUniform => ln_ratio(self.above, size) / ln_ratio(self.above, self.most),
            }
        }
    }

    /// Returns the smallest size with a share up to it of at least `share`, above 0 and up to 1.
    pub(super) fn quantile(&self, share: f64) -> u64 {
        let above = self.above as f64;
        let on_the_line = match self.spread {
            Spread::Uniform => above + share * (self.most - self.above) as f64,
            Spread::LogUniform => above * libm::exp(share * ln_ratio(self.above, self.most)),
        };
        let size = (on_the_line.ceil() as u64).clamp(self.above + 1, self.most);
        // Rounding errors may lift a whole number slightly, which `ceil` turns into one more.
        if size > self.above + 1 && self.share_up_to(size - 1) >= share { size - 1 } else { size }
    }

    /// Returns the mean, exact except for the last digits of an `f64`.
    pub(super) fn mean(&self) -> f64 {
        let (a, b) = (self.above, self.most);
        match self.spread {
            Spread::Uniform => (a + 1 + b) as f64 / 2.0,
            // The sum over k = a+1 … b of k (ln k - ln(k-1)) / ln(b/a), by parts
            // [b ln b - a ln a - ln (b-1)! + ln (a-1)!] / ln(b/a), where
            // ln (x-1)! = (x - 1/2) ln x - x + ln(2 pi)/2 + binet(x).
            Spread::LogUniform => ((b - a) as f64 + binet(a) - binet(b)) / ln_ratio(a, b) + 0.5,
        }
    }
}

/// Returns ln(b/a) for 1 <= a < b, also for large numbers that are close.
fn ln_ratio(a: u64, b: u64) -> f64 {
    libm::log1p((b - a) as f64 / a as f64)
}

/// Returns the remainder of Stirling's formula for ln (x-1)!, for x >= 1: Binet's function, which
/// is 1/12x - 1/360x^3 + 1/1260x^5 - 1/1680x^7 + … (Abramowitz and Stegun, 6.1.41).
fn binet(x: u64) -> f64 {
    /// From here on the omitted terms are below 10^-12.
    const SERIES: u64 = 10;
    // binet(x) = binet(x+1) + (x + 1/2) ln(1 + 1/x) - 1, since x! = x (x-1)!.
    let steps: f64 =
        (x..SERIES).map(|x| x as f64).map(|x| (x + 0.5) * libm::log1p(1.0 / x) - 1.0).sum();
    let inverse = 1.0 / x.max(SERIES) as f64;
    let square = inverse * inverse;
    let series = 1.0 / 1260.0 - square / 1680.0;
    steps + inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * series))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spreads() -> impl Strategy<Value = Spread> {
        prop_oneof![Just(Spread::Uniform), Just(Spread::LogUniform)]
    }

    #[test]
    fn binets_function_matches_the_factorial() {
        let mut ln_factorial = 0.0;
        for x in 1..100_u64 {
            let y = x as f64;
            let stirling = (y - 0.5) * y.ln() - y + (2.0 * std::f64::consts::PI).ln() / 2.0;
            let left = ln_factorial - stirling;
            assert!((binet(x) - left).abs() < 1e-10, "{x}: {} {left}", binet(x));
            ln_factorial += y.ln();
        }
    }

    #[test]
    fn single_size_piece_has_only_that_size() {
        for size in [1, 2, 1000, crate::MAX_FLOW.get()] {
            let piece = Piece::only(size);
            assert_eq!((piece.quantile(1e-300), piece.quantile(1.0)), (size, size));
            assert_eq!((piece.mean(), piece.share_up_to(size - 1)), (size as f64, 0.0));
        }
    }

    proptest! {
        /// The oracle: the sum of every size times its probability.
        #[test]
        fn the_mean_is_the_sum_over_all_sizes(
            above in 0u64..50, width in 1u64..3_000, spread in spreads(),
        ) {
            let piece = Piece::new(above, above + width, spread);
            let share = |k: u64| piece.share_up_to(k) - piece.share_up_to(k - 1);
            let sum: f64 = (above + 1..=above + width).map(|k| k as f64 * share(k)).sum();
            prop_assert!((piece.mean() - sum).abs() < 1e-9 * sum, "{} {sum}", piece.mean());
        }

        #[test]
        fn mean_of_large_sizes_is_within_their_range(
            above in 0u64..1 << 39, width in 1u64..1 << 39, spread in spreads(),
        ) {
            let piece = Piece::new(above, above + width, spread);
            let (least, most) = ((above + 1) as f64, (above + width) as f64);
            let slack = 1e-9 * most;
            prop_assert!((least - slack..=most + slack).contains(&piece.mean()), "{}", piece.mean());
        }

        #[test]
        fn quantiles_invert_shares(
            above in 0u64..1 << 39, width in 1u64..1 << 39, at in 0u64.., spread in spreads(),
        ) {
            let piece = Piece::new(above, above + width, spread);
            let size = above + 1 + at % width;
            prop_assert_eq!(piece.quantile(piece.share_up_to(size)), size);
        }
    }
}
