//! Max-min fairness by linear programmes: the largest rate that all flows can have, then the
//! largest that all others can have if the limited ones keep theirs, and so on.

use crate::nets::*;
use bandwise_flowsim::Simulation;
use bandwise_flowsim::policy::MaxMin;
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, microlp, variable};
use proptest::prelude::*;

/// Returns rates in units of the largest capacity.
fn max_min(capacities: &[f64], flows: &[Drawn], caps: &[f64]) -> Vec<f64> {
    let mut fixed: Vec<Option<f64>> = vec![None; flows.len()];
    while fixed.contains(&None) {
        let level = best(capacities, flows, caps, &fixed, None);
        // These flows can't exceed the level, even if each alone is maximised.
        let stuck: Vec<usize> = (0..flows.len())
            .filter(|&f| fixed[f].is_none())
            .filter(|&f| best(capacities, flows, caps, &fixed, Some((f, level))) < level + 1e-7)
            .collect();
        assert!(!stuck.is_empty(), "a flow is at the limit");
        stuck.into_iter().for_each(|f| fixed[f] = Some(level));
    }
    fixed.into_iter().flatten().collect()
}

/// Returns the largest common rate of the flows without a rate. With a flow given, returns its
/// largest rate if the others have at least a level.
fn best(
    capacities: &[f64],
    flows: &[Drawn],
    caps: &[f64],
    fixed: &[Option<f64>],
    one: Option<(usize, f64)>,
) -> f64 {
    let mut variables = ProblemVariables::new();
    let level = variables.add(variable().min(0.0));
    let rates: Vec<_> =
        caps.iter().map(|&cap| variables.add(variable().min(0.0).max(cap))).collect();
    let goal = one.map_or(level, |(f, _)| rates[f]);
    let mut model = variables.maximise(goal).using(microlp);
    for (f, &rate) in rates.iter().enumerate() {
        // A computed float may be slightly less, or there might be no solution.
        let least = match (fixed[f], one) {
            (Some(rate), _) => Expression::from(rate - 1e-9),
            (None, Some((_, level))) => Expression::from(level - 1e-9),
            (None, None) => level.into(),
        };
        model = model.with((Expression::from(rate) - least).geq(0.0));
    }
    model = model.with(Expression::from(level).leq(1.0));
    for (link, &capacity) in (0..).zip(capacities) {
        let load: Expression =
            (0..flows.len()).filter(|&f| flows[f].path.contains(&link)).map(|f| rates[f]).sum();
        model = model.with(load.leq(capacity));
    }
    let solution = model.solve().expect("rates of nothing are a solution");
    solution.value(goal)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn max_min_equals_the_linear_programme(capacities in capacities(), flows in flows(12)) {
        const UNIT: f64 = 4e9;
        let mut simulation = Simulation::new(network(&capacities), MaxMin);
        let ids = start_all(&mut simulation, &flows);
        let found = rates(&mut simulation, &ids);
        let scaled: Vec<f64> = capacities.iter().map(|&c| c as f64 / UNIT).collect();
        let caps: Vec<f64> = flows.iter().map(|f| f.cap.map_or(1.0, |c| c as f64 / UNIT)).collect();
        for (f, (found, expected)) in found.iter().zip(max_min(&scaled, &flows, &caps)).enumerate() {
            let found = found / UNIT;
            prop_assert!((found - expected).abs() < 1e-5, "flow {f}: {found}, not {expected}");
        }
    }
}
