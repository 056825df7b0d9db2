//! Fit of a workload to measured completion times.

use super::Workload;
use bandwise_units::BitRate;

/// The model nearest to measured times, and its error.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The model. It shuffles in [`ROUNDS`] rounds.
    pub workload: Workload,
    /// The largest relative error of a measured time.
    pub off_by: f64,
}

/// The number of rounds of fitted workloads. Completion times do not reveal it.
pub const ROUNDS: u32 = 10;

impl Workload {
    /// Fits a workload to completion times as closely as a job of stages can. `times` are fractions
    /// of `rate`, above 0 and up to 1, each with the seconds that the job took.
    ///
    /// With x = 1 / fraction, the time is f + e x + h max(k, x): computing, exposed communication,
    /// and communication that computing hides down to 1 / k of the bandwidth. For each measured k,
    /// least squares of relative errors determine f, e and h (0 or more); the best k is used.
    /// Returns `None` if no time has all of `rate`, or a time is invalid.
    pub fn from_times(name: &str, times: &[(f64, f64)], rate: BitRate) -> Option<Fit> {
        let whole = times.iter().find(|time| time.0 == 1.0)?.1;
        let fine = |&(part, seconds): &(f64, f64)| {
            part > 0.0 && part <= 1.0 && seconds > 0.0 && seconds.is_finite()
        };
        if !times.iter().all(fine) {
            return None;
        }
        let slowdowns: Vec<_> = times.iter().map(|&(part, s)| (1.0 / part, s / whole)).collect();
        let mut best: Option<(f64, f64, [f64; 3])> = None;
        for &(k, _) in slowdowns.iter() {
            for mask in 1..8u8 {
                let Some(factors) = least_squares(&slowdowns, k, mask) else { continue };
                let error = slowdowns.iter().map(|&(x, y)| off(x, y, k, factors).powi(2)).sum();
                // A later candidate has to be better by more than rounding errors.
                if best.is_none_or(|(least, ..)| error < least - 1e-12) {
                    best = Some((error, k, factors));
                }
            }
        }
        let (_, k, factors) = best?;
        let off_by =
            slowdowns.iter().map(|&(x, y)| off(x, y, k, factors).abs()).fold(0.0, f64::max);
        // Fractions of the model's time with the whole bandwidth.
        let [f, e, h] = factors;
        let all = f + e + h * k;
        let workload = Workload {
            name: name.into(),
            about: "measured".into(),
            seconds: whole * all,
            rate,
            exposed: e / all,
            hidden: h / all,
            behind: h * k / all,
            broadcast: 0.0,
            rounds: ROUNDS,
        };
        Some(Fit { workload, off_by })
    }
}

fn terms(x: f64, k: f64) -> [f64; 3] {
    [1.0, x, x.max(k)]
}

/// Returns the relative difference of the model from `y`.
fn off(x: f64, y: f64, k: f64, factors: [f64; 3]) -> f64 {
    let terms = terms(x, k);
    (0..3).map(|i| terms[i] * factors[i]).sum::<f64>() / y - 1.0
}

/// Returns the factors of the terms in `mask`, if the solution is unique and no factor is negative.
fn least_squares(slowdowns: &[(f64, f64)], k: f64, mask: u8) -> Option<[f64; 3]> {
    // Normal equations with the right side as a fourth column. Terms outside of `mask` are fixed at
    // 0.
    let mut rows = [[0.0; 4]; 3];
    for (i, row) in rows.iter_mut().enumerate() {
        if mask & (1 << i) == 0 {
            row[i] = 1.0;
            continue;
        }
        for &(x, y) in slowdowns {
            let terms = terms(x, k).map(|term| term / y);
            for j in (0..3).filter(|j| mask & (1 << j) != 0) {
                row[j] += terms[i] * terms[j];
            }
            row[3] += terms[i];
        }
    }
    for i in 0..3 {
        let pivot = (i..3).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        if rows[i][i].abs() < 1e-9 {
            return None;
        }
        let of = rows[i];
        for (j, row) in rows.iter_mut().enumerate() {
            if j != i {
                let factor = row[i] / of[i];
                (0..4).for_each(|column| row[column] -= factor * of[column]);
            }
        }
    }
    let factors = [0, 1, 2].map(|i| rows[i][3] / rows[i][i]);
    // Rounding residues of zero are set to zero.
    let factors = factors.map(|factor| if factor.abs() < 1e-9 { 0.0 } else { factor });
    factors.iter().all(|&factor| factor >= 0.0).then_some(factors)
}
