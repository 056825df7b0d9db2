//! The published solver of weights (Saba 4.5.2): sequential least squares programming (SLSQP) of
//! the NLopt library. A baseline: it descends from equal weights to the next optimum, which need
//! not be the global one, in time of the third power of the number of applications.

use super::ModelId;
use super::problem::Term;
use super::solver::{Guarantee, Solver, Weights};
use nlopt::{Algorithm, Nlopt, Target};

/// The relative change of the sum of slowdowns at which steps end.
const TOLERANCE: f64 = 1e-10;

/// Returns the weights of a port by SLSQP, with the floors of the solver. Returns `None` if NLopt
/// fails, which happens if rounding leaves it no step.
pub fn slsqp(solver: &Solver, members: &[ModelId]) -> Option<Weights> {
    let capacity = solver.capacity();
    let terms: Vec<Term> = solver.each(members);
    let n = terms.len();
    let objective = |x: &[f64], gradient: Option<&mut [f64]>, _: &mut ()| {
        if let Some(gradient) = gradient {
            for ((slope, term), &x) in gradient.iter_mut().zip(&terms).zip(x) {
                *slope = term.curve.slope(x);
            }
        }
        terms.iter().zip(x).map(|(term, &x)| term.curve.value(x)).sum()
    };
    let all_given = |x: &[f64], gradient: Option<&mut [f64]>, _: &mut ()| {
        if let Some(gradient) = gradient {
            gradient.fill(1.0);
        }
        x.iter().sum::<f64>() - capacity
    };
    let mut problem = Nlopt::new(Algorithm::Slsqp, n, objective, Target::Minimize, ());
    let (lo, hi): (Vec<f64>, Vec<f64>) = terms.iter().map(|term| (term.lo, term.hi)).unzip();
    problem.set_lower_bounds(&lo).ok()?;
    problem.set_upper_bounds(&hi).ok()?;
    problem.set_ftol_rel(TOLERANCE).ok()?;
    problem.add_equality_constraint(all_given, (), 1e-9).ok()?;
    // Equal weights, unless a floor is higher.
    let mut shares: Vec<f64> = lo.iter().map(|&lo| lo.max(capacity / n as f64)).collect();
    let (_, slowdowns) = problem.optimize(&mut shares).ok()?;
    Some(Weights { shares, slowdowns, guarantee: Guarantee::Within(f64::INFINITY) })
}
