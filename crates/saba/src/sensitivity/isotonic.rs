//! Isotonic regression by pooling adjacent violators.

/// Returns the values that never rise and are closest to `values` in the sum of weighted squares.
/// Weights are above 0.
///
/// A value above its predecessor is replaced by their mean, and so on backwards. The solution is
/// unique, whatever the order of pooling (Barlow et al., "Statistical Inference under Order
/// Restrictions", 1972).
pub(super) fn falling(values: &[f64], weights: &[f64]) -> Vec<f64> {
    debug_assert_eq!(values.len(), weights.len());
    // The value, the weight and the number of samples.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (&value, &weight) in values.iter().zip(weights) {
        let mut pool = (value, weight, 1);
        while let Some(&(before, heavy, count)) = pools.last()
            && before < pool.0
        {
            pools.pop();
            let sum = heavy + pool.1;
            pool = ((before * heavy + pool.0 * pool.1) / sum, sum, count + pool.2);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(value, _, count)| std::iter::repeat_n(value, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn isotonic_fit_matches_hand_computed_values() {
        assert_eq!(falling(&[3.0, 1.0, 2.0, 0.5], &[1.0; 4]), [3.0, 1.5, 1.5, 0.5]);
        assert_eq!(falling(&[1.0, 2.0, 3.0], &[1.0, 1.0, 2.0]), [2.25; 3]);
    }

    proptest! {
        /// The result equals the formula without an algorithm: the largest over starts of the least
        /// over ends of the mean between them (for falling values the other way round).
        #[test]
        fn isotonic_fit_equals_the_min_max_of_means(
            data in prop::collection::vec((0u8..20, 1u8..4), 1..9),
        ) {
            let (values, weights): (Vec<f64>, Vec<f64>) =
                data.into_iter().map(|(v, w)| (f64::from(v), f64::from(w))).unzip();
            let mean = |from: usize, to: usize| {
                let sum: f64 = (from..=to).map(|i| values[i] * weights[i]).sum();
                sum / weights[from..=to].iter().sum::<f64>()
            };
            let fitted = falling(&values, &weights);
            for i in 0..values.len() {
                let best = (0..=i)
                    .map(|from| (i..values.len()).map(|to| mean(from, to)).fold(f64::MIN, f64::max))
                    .fold(f64::MAX, f64::min);
                prop_assert!((fitted[i] - best).abs() < 1e-9, "{fitted:?} {best}");
            }
        }
    }
}
