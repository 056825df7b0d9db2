//! Comparison with the published solver, under the feature `baseline`.

use crate::weights::{catalogue, models};
use bandwise_saba::Share;
use bandwise_saba::weights::slsqp::slsqp;
use bandwise_saba::weights::{Effort, Floors, Guarantee, Solver};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// SLSQP descends from equal weights, with the same floors. Its result is never better than
    /// ours.
    #[test]
    fn solution_is_never_worse_than_slsqp(models in prop::collection::vec(models(), 2..40)) {
        let (catalogue, members) = catalogue(&models);
        let effort = Effort { halvings: 2_000, ..Effort::default() };
        let mut solver = Solver::new(&catalogue, Share::ALL, Floors::default(), effort);
        let weights = solver.weights(&members);
        // NLopt stops if rounding leaves no further step.
        let Some(reference) = slsqp(&solver, &members) else { return Ok(()) };
        // The sum of its shares may be off by 1e-9, at slopes of up to thousands.
        let rounding = 1e-6 * reference.slowdowns.abs().max(1.0);
        let gap = match weights.guarantee {
            Guarantee::Exact => 0.0,
            Guarantee::Within(gap) => gap,
        };
        prop_assert!(
            weights.slowdowns <= reference.slowdowns + gap + rounding,
            "{} > {}", weights.slowdowns, reference.slowdowns
        );
    }
}
