//! [`Monotone`]: a model in which less bandwidth is never faster.

use super::{Samples, isotonic};
use crate::Share;

/// A slowdown that never falls if the share falls, and is 1 with the whole bandwidth.
///
/// The samples are first made monotone (isotonic regression, least squares, never below 1). Between
/// two of them the slowdown is `a + c / b`: computing does not depend on the share `b`, and sending
/// a given amount takes `1 / b`. Unlike a line, this is exact for an application that alternates
/// between computing and sending. The whole curve need not be convex in `b` nor in `1 / b`.
///
/// Below the least measured share, the slowdown is the maximum for a fixed amount of data: half of
/// the bandwidth at most doubles the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Monotone {
    /// Share and slowdown: the least share first, slowdowns never rise, the last is (1, 1).
    knots: Vec<(Share, f64)>,
}

impl Monotone {
    /// Returns the monotone model of samples.
    pub fn fit(samples: &Samples) -> Self {
        let (last, others) = samples.points().split_last().expect("samples have 3 points or more");
        let (slowdowns, weights): (Vec<f64>, Vec<f64>) =
            others.iter().map(|p| (p.slowdown, f64::from(p.runs))).unzip();
        let slowdowns = isotonic::falling(&slowdowns, &weights);
        // With a lower bound, isotonic regression is the one without it, clamped.
        let knots = others.iter().zip(slowdowns).map(|(p, d)| (p.share, d.max(1.0)));
        Monotone { knots: knots.chain([(last.share, 1.0)]).collect() }
    }

    /// Returns a model through given knots, or `None` if they are invalid: two or more, shares
    /// ascending to 1, slowdowns that never rise, the last of them 1.
    pub fn new(knots: Vec<(Share, f64)>) -> Option<Self> {
        let falls = |pair: &[(Share, f64)]| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1;
        let is_one = knots.len() >= 2
            && knots.windows(2).all(falls)
            && knots.iter().all(|knot| knot.1.is_finite())
            && knots.last() == Some(&(Share::ALL, 1.0));
        is_one.then_some(Monotone { knots })
    }

    /// Returns the model through the nearest monotone values, the last of which becomes 1. Two or
    /// more knots, shares ascending to 1.
    pub(crate) fn nearest(knots: Vec<(Share, f64)>) -> Self {
        let (last, others) = knots.split_last().expect("two knots or more");
        let slowdowns: Vec<f64> = others.iter().map(|knot| knot.1).collect();
        let slowdowns = isotonic::falling(&slowdowns, &vec![1.0; slowdowns.len()]);
        let knots = others.iter().zip(slowdowns).map(|(knot, d)| (knot.0, d.max(1.0)));
        Monotone { knots: knots.chain([(last.0, 1.0)]).collect() }
    }

    /// Returns the knots of the interpolation, the least share first.
    pub fn knots(&self) -> &[(Share, f64)] {
        &self.knots
    }

    /// Returns the least measured share.
    pub fn least(&self) -> Share {
        self.knots[0].0
    }

    /// Returns the value at a share, in the measured range or not.
    pub(crate) fn value(&self, b: f64) -> f64 {
        let (least, most) = self.knots[0];
        if b < least.get() {
            return most * least.get() / b;
        }
        let next = self.knots.partition_point(|knot| knot.0.get() < b).max(1);
        let Some(&to) = self.knots.get(next) else { return 1.0 };
        let (a, c) = hyperbola(self.knots[next - 1], to);
        a + c / b
    }
}

/// Returns `a` and `c` of the `a + c / b` through two knots. `c` is not negative.
pub(crate) fn hyperbola(from: (Share, f64), to: (Share, f64)) -> (f64, f64) {
    let inverse = |share: Share| 1.0 / share.get();
    let c = (from.1 - to.1) / (inverse(from.0) - inverse(to.0));
    (to.1 - c * inverse(to.0), c)
}
