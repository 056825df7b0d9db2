//! Roots of quadratics.

/// Returns the real roots of `a x² + b x + c`, or none if the polynomial is constant. Neither root
/// loses digits if the other is much larger.
pub(crate) fn quadratic(a: f64, b: f64, c: f64) -> impl Iterator<Item = f64> {
    let discriminant = b * b - 4.0 * a * c;
    let q = -0.5 * (b + discriminant.max(0.0).sqrt().copysign(b));
    let first = (discriminant >= 0.0 && a != 0.0).then(|| q / a);
    let second = (discriminant >= 0.0 && q != 0.0).then(|| c / q);
    first.into_iter().chain(second).filter(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::quadratic;

    fn sorted(a: f64, b: f64, c: f64) -> Vec<f64> {
        let mut roots: Vec<f64> = quadratic(a, b, c).collect();
        roots.sort_by(f64::total_cmp);
        roots
    }

    #[test]
    fn roots_match_known_values() {
        assert_eq!(sorted(1.0, -3.0, 2.0), [1.0, 2.0]);
        assert_eq!(sorted(0.0, 2.0, -1.0), [0.5]);
        assert!(sorted(1.0, 0.0, 1.0).is_empty() && sorted(0.0, 0.0, 1.0).is_empty());
        // The textbook formula gives 7.45e-9 for the small root.
        assert_eq!(sorted(1.0, -1e8, 1.0), [1e-8, 1e8]);
    }
}
