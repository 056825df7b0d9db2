//! Integer weights, as tables of arbiters have them.

/// The largest weight of an arbitration table of InfiniBand (IBTA 7.6.9.2).
pub const MAX_WEIGHT: u8 = 255;

/// Returns weights from 1 to `most` in the ratios of shares, which are not negative. The largest
/// share gets `most`. Every other weight is within one unit of its part of the sum, but at least 1.
/// All are `most` if all shares are 0.
///
/// Whole parts are assigned first. Then the shares with the largest remainders get one more each;
/// of equal remainders, the first.
pub fn arbitration(shares: &[f64], most: u8) -> Vec<u8> {
    let most = most.max(1);
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return vec![most; shares.len()];
    }
    let quota = |share: &f64| share / largest * f64::from(most);
    // The whole part of a number from 0 to 255.
    let mut weights: Vec<u8> = shares.iter().map(|share| quota(share) as u8).collect();
    let sum = shares.iter().map(quota).sum::<f64>().round();
    let given: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let more = (sum - given).max(0.0) as usize;
    if more > 0 {
        let missing = |i: usize| quota(&shares[i]) - f64::from(weights[i]);
        let missing = (0..shares.len()).map(|i| (missing(i), i)).filter(|of| of.0 > 0.0);
        let mut missing: Vec<(f64, usize)> = missing.collect();
        missing.sort_by(|a, b| b.0.total_cmp(&a.0));
        for &(_, i) in missing.iter().take(more) {
            weights[i] += 1;
        }
    }
    for weight in &mut weights {
        *weight = (*weight).max(1);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn arbitration_weights_match_hand_computed_values() {
        assert_eq!(arbitration(&[0.5, 0.25, 0.25], 4), [4, 2, 2]);
        assert_eq!(arbitration(&[0.6, 0.3, 0.0001], 255), [255, 128, 1]);
        // Of 4 + 1.33 + 1.33 the sum is nearly 7.
        assert_eq!(arbitration(&[0.6, 0.2, 0.2], 4), [4, 2, 1]);
        assert_eq!(arbitration(&[0.0, 0.0], 255), [255, 255]);
        assert!(arbitration(&[], 255).is_empty());
    }

    proptest! {
        #[test]
        fn weights_approximate_share_ratios(shares in prop::collection::vec(0.0f64..1.0, 1..16), most in 1u8..) {
            let weights = arbitration(&shares, most);
            let largest = shares.iter().copied().fold(0.0, f64::max);
            prop_assert!(weights.iter().all(|&weight| (1..=most).contains(&weight)));
            prop_assert!(weights.iter().max() == Some(&most));
            for (i, (&share, &weight)) in shares.iter().zip(&weights).enumerate() {
                let quota = if largest > 0.0 { share / largest * f64::from(most) } else { f64::from(most) };
                let off = (f64::from(weight) - quota).abs();
                prop_assert!(off < 1.0 || (weight == 1 && quota <= 1.0), "{i}: {weight} {quota}");
            }
            // A larger share never has a smaller weight.
            for (a, wa) in shares.iter().zip(&weights) {
                for (b, wb) in shares.iter().zip(&weights) {
                    prop_assert!(a <= b || wa >= wb || (wa + 1 == *wb && (a - b) < largest / f64::from(most)));
                }
            }
        }
    }
}
