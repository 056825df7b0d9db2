//! Weights compared with grids and closed forms, and their properties for any models.

use crate::common::{any_samples, share, staged};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Degree, Kind, Model, Monotone, Polynomial};
use bandwise_saba::weights::{
    Catalogue, Effort, Floors, Guarantee, ModelId, Solver, Weights, equal,
};
use proptest::prelude::*;

fn polynomial(coefficients: [f64; 4], least: f64) -> Model {
    Model::Polynomial(Polynomial::new(coefficients, share(least)).unwrap())
}

/// Returns a catalogue with each model as an application.
pub(crate) fn catalogue(models: &[Model]) -> (Catalogue, Vec<ModelId>) {
    let mut catalogue = Catalogue::new();
    let members = models.iter().map(|model| catalogue.add(model, None)).collect();
    (catalogue, members)
}

fn solve_with(models: &[Model], capacity: f64, effort: Effort) -> Weights {
    let (catalogue, members) = catalogue(models);
    Solver::new(&catalogue, share(capacity), Floors::default(), effort).weights(&members)
}

/// Solves with enough effort for small ports.
fn solve(models: &[Model], capacity: f64) -> Weights {
    solve_with(models, capacity, Effort { halvings: 5_000, ..Effort::default() })
}

fn slowdowns(models: &[Model], shares: &[f64]) -> f64 {
    let of = |(model, &x): (&Model, &f64)| model.predict(share(x)).even_extrapolated();
    models.iter().zip(shares).map(of).sum()
}

/// Returns the least share of each application, by the rule in [`Floors`].
fn floors(models: &[Model], capacity: f64) -> Vec<f64> {
    let own: Vec<f64> = models.iter().map(|m| m.least().get().max(0.001)).collect();
    let sum: f64 = own.iter().sum();
    let factor = if sum <= capacity + 1e-9 { 1.0 } else { 0.5 * capacity / sum };
    own.iter().map(|floor| factor * floor).collect()
}

/// Returns the least sum of slowdowns on a grid that divides the rest above the floors into `steps`
/// steps.
fn on_grid(models: &[Model], floors: &[f64], step: f64, steps: u32) -> f64 {
    let value = |i: u32| {
        let x = floors[0] + step * f64::from(i);
        models[0].predict(share(x.min(1.0))).even_extrapolated()
    };
    if models.len() == 1 {
        return value(steps);
    }
    let rest = |i: u32| on_grid(&models[1..], &floors[1..], step, steps - i);
    (0..=steps).map(|i| value(i) + rest(i)).fold(f64::INFINITY, f64::min)
}

/// Checks any weights: their sum is the capacity, none is below its floor, and the objective is the
/// sum of slowdowns.
fn are_sound(weights: &Weights, models: &[Model], capacity: f64) {
    let sum: f64 = weights.shares.iter().sum();
    assert!((sum - capacity).abs() < 1e-9, "{sum}");
    for (x, floor) in weights.shares.iter().zip(floors(models, capacity)) {
        assert!(*x >= floor - 1e-9, "{x} < {floor}");
    }
    let again = slowdowns(models, &weights.shares);
    assert!((again - weights.slowdowns).abs() < 1e-6 * again.abs().max(1.0), "{again} {weights:?}");
}

#[test]
fn single_application_gets_all_capacity() {
    let weights = solve(&[polynomial([3.0, -2.0, 0.0, 0.0], 0.05)], 0.8);
    assert_eq!(weights.shares, [0.8]);
    assert_eq!(weights.guarantee, Guarantee::Exact);
    assert!(solve(&[], 0.8).shares.is_empty());
}

#[test]
fn parabolic_models_match_the_lagrange_solution() {
    // With slowdowns a (1 - x)², the slopes 2 a (x - 1) are equal where a (1 - x) is.
    let models = [1.0, 2.0, 4.0].map(|a| polynomial([a, -2.0 * a, a, 0.0], 0.01));
    let weights = solve(&models, 1.0);
    // The unbounded share of the first would be negative, so it gets its floor. For the others
    // 2 (1 - x) = 4 (1 - y) with x + y = 0.99.
    let expected = [0.01, 0.98 / 3.0, 1.99 / 3.0];
    for (x, expected) in weights.shares.iter().zip(expected) {
        assert!((x - expected).abs() < 1e-12, "{weights:?}");
    }
    assert_eq!(weights.guarantee, Guarantee::Exact);
}

#[test]
fn steepest_linear_model_gets_the_rest() {
    // Degree 1 is a linear programme: floors, and the rest for the largest gain.
    let models = [-1.0, -3.0, -2.0].map(|slope| polynomial([4.0, slope, 0.0, 0.0], 0.1));
    let weights = solve(&models, 1.0);
    assert_eq!(
        weights.shares.iter().map(|x| (x * 1e9).round() / 1e9).collect::<Vec<_>>(),
        [0.1, 0.8, 0.1]
    );
    // Equal applications get equal shares.
    let alike = [-3.0, -1.0, -3.0, -3.0].map(|slope| polynomial([4.0, slope, 0.0, 0.0], 0.1));
    let weights = solve(&alike, 1.0);
    assert!([0, 2, 3].iter().all(|&i| (weights.shares[i] - 0.3).abs() < 1e-12), "{weights:?}");
    assert_eq!(weights.guarantee, Guarantee::Exact);
}

#[test]
fn concave_models_leave_one_application_at_its_floor() {
    // These slowdowns fall ever faster: two halves are the worst division, and a share in the
    // middle is no help.
    let concave = polynomial([3.0, -0.5, -1.5, 0.0], 0.1);
    let weights = solve(&[concave.clone(), concave.clone()], 1.0);
    assert_eq!(weights.guarantee, Guarantee::Exact);
    assert!((weights.shares[0] - 0.1).abs() < 1e-9 && (weights.shares[1] - 0.9).abs() < 1e-9);
    // Thirty equal applications form one class, and differ by number only.
    let weights = solve(&vec![concave; 30], 1.0);
    assert_eq!(weights.guarantee, Guarantee::Exact, "{weights:?}");
}

#[test]
fn shares_below_the_measured_range_follow_root_slowdowns() {
    // Forty applications measured down to 5%. Below that, data of constant size takes at most d b /
    // x.
    let slowdown = |i: usize| [4.0, 1.0, 9.0][i % 3];
    let models: Vec<Model> = (0..40)
        .map(|i| {
            let knots = vec![(share(0.05), slowdown(i)), (share(0.5), 1.0), (Share::ALL, 1.0)];
            Model::Monotone(Monotone::new(knots).unwrap())
        })
        .collect();
    let weights = solve(&models, 1.0);
    assert_eq!(weights.guarantee, Guarantee::Exact);
    // By these roots the parts are 2, 1 and 3. Those with 1 get their floor, which exceeds their
    // part.
    let floor = 0.5 / 40.0;
    let (twos, ones, threes) = (14.0, 13.0, 13.0);
    let part = (1.0 - ones * floor) / (2.0 * twos + 3.0 * threes);
    for (i, x) in weights.shares.iter().enumerate() {
        let expected = [2.0 * part, floor, 3.0 * part][i % 3];
        assert!((x - expected).abs() < 1e-12, "{x} {expected}");
    }
}

#[test]
fn floors_are_lowered_together() {
    let models: Vec<Model> =
        (0..25).map(|i| polynomial([9.0, -1.0 - f64::from(i), 0.0, 0.0], 0.05)).collect();
    let weights = solve(&models, 1.0);
    // Each gets half of an equal share; the steepest also gets the other half.
    assert!(weights.shares[..24].iter().all(|x| (x - 0.02).abs() < 1e-12));
    assert!((weights.shares[24] - 0.52).abs() < 1e-12);
    // Floors that fit equal the least measured shares.
    let weights = solve(&models[..20], 1.0);
    assert!(weights.shares.iter().all(|x| (x - 0.05).abs() < 1e-12), "{weights:?}");
}

#[test]
fn equal_weights_split_capacity_evenly() {
    let models = [-1.0, -3.0].map(|slope| polynomial([4.0, slope, 0.0, 0.0], 0.1));
    let (catalogue, members) = catalogue(&models);
    let weights = equal(&catalogue, share(0.8), &members);
    assert_eq!(weights.shares, [0.4, 0.4]);
    assert!((weights.slowdowns - (8.0 - 0.4 - 1.2)).abs() < 1e-12);
}

/// Generates cubics with values in the range of slowdowns, most of them with a non-convex piece.
fn cubics() -> impl Strategy<Value = Model> {
    let tame = prop::array::uniform3(-10.0f64..10.0).prop_map(|[a, b, c]| [10.0, a, b, c]);
    let fitted = any_samples().prop_filter_map("too few", |samples| {
        Some(Polynomial::fit(&samples, Degree::THREE).ok()?.coefficients())
    });
    let lower = prop::array::uniform2(-10.0f64..10.0).prop_map(|[a, b]| [10.0, a, b, 0.0]);
    (prop_oneof![tame, fitted, lower], 0.02f64..0.15).prop_map(|(c, least)| polynomial(c, least))
}

pub(crate) fn models() -> impl Strategy<Value = Model> {
    let monotone = any_samples().prop_map(|s| Model::Monotone(Monotone::fit(&s)));
    prop_oneof![cubics(), monotone]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// No division on a fine grid is better, and the lower bound is below all of them.
    #[test]
    fn solution_is_no_worse_than_a_grid(
        models in prop::collection::vec(models(), 2..=4), twin: bool, capacity in 0.5f64..=1.0,
    ) {
        let mut models = models;
        if twin {
            let last = models.len() - 1;
            models[last] = models[0].clone();
        }
        let weights = solve(&models, capacity);
        are_sound(&weights, &models, capacity);
        let floors = floors(&models, capacity);
        let left = capacity - floors.iter().sum::<f64>();
        let steps = [400, 200, 60][models.len() - 2];
        let grid = on_grid(&models, &floors, left / f64::from(steps), steps);
        let rounding = 1e-8 * grid.abs().max(1.0);
        prop_assert!(weights.slowdowns <= grid + rounding, "{} > {grid}: {weights:?}", weights.slowdowns);
        prop_assert_eq!(weights.guarantee, Guarantee::Exact);
    }

    /// Optimal weights can't be improved by a transfer between two applications, also with more
    /// applications than floors fit.
    #[test]
    fn transfers_do_not_improve_optimal_weights(models in prop_oneof![
        prop::collection::vec(models(), 2..40),
        prop::collection::vec(cubics(), 2..12),
        prop::collection::vec(models(), 2..6),
    ]) {
        let weights = solve_with(&models, 1.0, Effort::default());
        are_sound(&weights, &models, 1.0);
        prop_assume!(weights.guarantee == Guarantee::Exact);
        let floors = floors(&models, 1.0);
        let value = |i: usize, x: f64| models[i].predict(share(x.min(1.0))).even_extrapolated();
        for (from, floor) in floors.iter().enumerate() {
            let spare = weights.shares[from] - floor;
            if spare < 1e-9 {
                continue;
            }
            for part in [1.0, 0.5, 0.2, 0.05, 0.01] {
                let less = weights.shares[from] - part * spare;
                let lost = value(from, less) - value(from, weights.shares[from]);
                for to in (0..models.len()).filter(|&to| to != from) {
                    let more = weights.shares[to] + part * spare;
                    let gained = value(to, weights.shares[to]) - value(to, more);
                    let rounding = 1e-8 * weights.slowdowns.abs().max(1.0);
                    prop_assert!(gained <= lost + rounding, "{part} of {spare} from {from} to {to}: {weights:?}");
                }
            }
        }
    }

    /// Weights with little effort keep their guarantees against weights with more effort.
    #[test]
    fn guarantees_hold(
        models in prop::collection::vec(models(), 2..12), capacity in 0.5f64..=1.0, halvings in 0u32..4,
    ) {
        let quick = solve_with(&models, capacity, Effort { halvings, ..Effort::default() });
        are_sound(&quick, &models, capacity);
        let best = solve(&models, capacity);
        are_sound(&best, &models, capacity);
        let gap = match quick.guarantee {
            Guarantee::Exact => 0.0,
            Guarantee::Within(gap) => gap,
        };
        let rounding = 1e-8 * best.slowdowns.abs().max(1.0);
        prop_assert!(quick.slowdowns <= best.slowdowns + gap + rounding);
        let (catalogue, members) = catalogue(&models);
        let control = equal(&catalogue, share(capacity), &members);
        if floors(&models, capacity).iter().all(|&floor| floor <= control.shares[0]) {
            prop_assert!(best.slowdowns <= control.slowdowns + rounding, "{control:?}");
        }
    }

    /// The order of applications permutes the shares and changes nothing else.
    #[test]
    fn order_of_applications_does_not_matter(models in prop::collection::vec(models(), 2..8)) {
        let forth = solve(&models, 1.0);
        let back = solve(&models.iter().rev().cloned().collect::<Vec<_>>(), 1.0);
        prop_assert!((forth.slowdowns - back.slowdowns).abs() < 1e-8 * forth.slowdowns.abs().max(1.0));
    }
}

/// A thousand applications, each with its own cubic, are solved within a small gap.
#[test]
fn thousand_applications_are_solved_within_a_gap() {
    let models: Vec<Model> = (0..1000)
        .map(|i| Model::fit(&staged(i, 0.0), Kind::Polynomial(Degree::THREE)).unwrap())
        .collect();
    let weights = solve_with(&models, 1.0, Effort::LEAST);
    are_sound(&weights, &models, 1.0);
    match weights.guarantee {
        Guarantee::Exact => {}
        Guarantee::Within(gap) => assert!(gap < 1e-4 * weights.slowdowns, "{gap}"),
    }
}

/// Shares without floors of models equal those of models with the least share as floor. The sum of
/// slowdowns is no higher.
#[test]
fn floors_of_models_can_be_left_out() {
    // One application barely needs bandwidth if its line continues, the other one needs all of it.
    let needs = Monotone::new([0.4, 0.5, 1.0].map(|b| (share(b), 1.0 / b)).to_vec()).unwrap();
    let models = [polynomial([1.001, -0.001, 0.0, 0.0], 0.4), Model::Monotone(needs)];
    let (catalogue, members) = catalogue(&models);
    let solve =
        |floors| Solver::new(&catalogue, Share::ALL, floors, Effort::default()).weights(&members);
    let with = solve(Floors::default());
    let without = solve(Floors { of_models: false, ..Floors::default() });
    assert!((with.shares[0] - 0.4).abs() < 1e-9, "{with:?}");
    assert!(without.shares[0] < 0.1, "{without:?}");
    assert!(without.slowdowns < with.slowdowns);
}

proptest! {
    #[test]
    fn dropping_model_floors_never_raises_the_sum(
        samples in prop::collection::vec(any_samples(), 1..5),
    ) {
        let models: Vec<Model> =
            samples.iter().map(|samples| Model::fit(samples, Kind::Monotone).unwrap()).collect();
        let (own, members) = catalogue(&models);
        let effort = Effort { halvings: 5_000, ..Effort::default() };
        let with = Solver::new(&own, Share::ALL, Floors::default(), effort).weights(&members);
        let free = Floors { of_models: false, ..Floors::default() };
        let without = Solver::new(&own, Share::ALL, free, effort).weights(&members);
        let gap = match without.guarantee {
            Guarantee::Exact => 0.0,
            Guarantee::Within(gap) => gap,
        };
        prop_assert!(without.slowdowns <= with.slowdowns + gap + 1e-9);
        // A second method: floors that come with the models.
        let mut least = Catalogue::new();
        let members: Vec<_> =
            models.iter().map(|model| least.add(model, Some(share(0.001)))).collect();
        let other = Solver::new(&least, Share::ALL, Floors::default(), effort).weights(&members);
        prop_assert_eq!(other.shares, without.shares);
    }
}
