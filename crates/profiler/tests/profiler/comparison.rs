use bandwise_profiler::{
    Comparison, Outcome, Setting, Sharing, Spread, Step, Timed, gain, slowdowns,
};
use bandwise_units::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn well(ms: u64) -> Timed {
    Timed { time: Time::from_ms(ms), outcome: Outcome::Success }
}

fn failed() -> Timed {
    Timed { time: Time::from_ms(1), outcome: Outcome::Code(3) }
}

/// Returns the number of programs of a step.
fn size(step: Step, programs: usize) -> usize {
    match step.setting {
        Setting::Alone(_) => 1,
        Setting::Together(_) => programs,
    }
}

/// Runs all steps with the results that `of` returns, and returns the steps.
fn made(comparison: &mut Comparison, mut of: impl FnMut(Step) -> Vec<Timed>) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(step) = comparison.next() {
        steps.push(step);
        comparison.made(of(step));
    }
    steps
}

proptest! {
    #[test]
    fn round_contains_each_setting_once(programs in 1..6usize, rounds in 1..8u32, seed: u64) {
        let mut comparison = Comparison::new(programs, rounds, 2, seed);
        let steps = made(&mut comparison, |step| vec![well(5); size(step, programs)]);
        let mut settings: Vec<Setting> = (0..programs).map(Setting::Alone).collect();
        settings.extend(Sharing::ALL.map(Setting::Together));
        prop_assert_eq!(steps.len(), settings.len() * rounds as usize);
        for (number, round) in (1..).zip(steps.chunks(settings.len())) {
            prop_assert!(round.iter().all(|step| (step.round, step.failed) == (number, 0)));
            let mut of: Vec<Setting> = round.iter().map(|step| step.setting).collect();
            of.sort();
            prop_assert_eq!(&of, &settings);
        }
        prop_assert_eq!(comparison.rounds().len(), rounds as usize);
    }

    #[test]
    fn failed_steps_are_repeated_and_rounds_are_complete(
        programs in 1..4usize,
        attempts in 1..4u32,
        fates in prop::collection::vec(0..5u32, 24),
    ) {
        let (mut comparison, mut tried) = (Comparison::new(programs, 3, attempts, 1), BTreeMap::new());
        // The number of failures of each step before it succeeds.
        let mut fate = fates.iter().cycle();
        made(&mut comparison, |step| {
            let left = tried.entry((step.round, step.setting)).or_insert_with(|| *fate.next().unwrap());
            match std::mem::replace(left, left.saturating_sub(1)) {
                0 => vec![well(5); size(step, programs)],
                _ => {
                    let mut timed = vec![well(9); size(step, programs)];
                    *timed.last_mut().unwrap() = failed();
                    timed
                }
            }
        });
        let lost: Vec<u32> = comparison.given_up().iter().map(|step| step.round).collect();
        prop_assert!(comparison.given_up().iter().all(|step| step.failed == attempts));
        let whole: Vec<u32> = comparison.rounds().iter().map(|round| round.number).collect();
        let expected: Vec<u32> = (1..=3).filter(|round| !lost.contains(round)).collect();
        prop_assert_eq!(whole, expected);
        // Failed steps are in no round.
        let alone = |seconds: &f64| *seconds == 0.005;
        prop_assert!(comparison.rounds().iter().all(|round| round.alone.iter().all(alone)));
    }

    /// The mean slowdown equals the root of the product.
    #[test]
    fn the_mean_is_geometric(times in prop::collection::vec((1..500u64, 1..500u64, 1..500u64), 1..5)) {
        let mut comparison = Comparison::new(times.len(), 1, 1, 7);
        made(&mut comparison, |step| match step.setting {
            Setting::Alone(program) => vec![well(times[program].0)],
            Setting::Together(Sharing::Saba) => times.iter().map(|of| well(of.1)).collect(),
            Setting::Together(_) => times.iter().map(|of| well(of.2)).collect(),
        });
        let root = |of: &dyn Fn(&(u64, u64, u64)) -> f64| {
            times.iter().map(of).product::<f64>().powf(1.0 / times.len() as f64)
        };
        let rounds = comparison.rounds();
        let saba = root(&|of| of.1 as f64 / of.0 as f64);
        prop_assert!((rounds[0].mean_slowdown(Sharing::Saba) / saba - 1.0).abs() < 1e-9);
        let ratio = root(&|of| of.2 as f64 / of.1 as f64);
        for over in [Sharing::Uncontrolled, Sharing::Equal] {
            prop_assert!((gain(&rounds, over).unwrap().mean / ratio - 1.0).abs() < 1e-9);
        }
        let (all, each) = slowdowns(&rounds, Sharing::Saba).unwrap();
        prop_assert!((all.mean / saba - 1.0).abs() < 1e-9 && all.within.is_none());
        for (spread, of) in each.iter().zip(&times) {
            prop_assert!((spread.mean / (of.1 as f64 / of.0 as f64) - 1.0).abs() < 1e-9);
        }
    }

    /// The reciprocal of a ratio has the reciprocal interval.
    #[test]
    fn reciprocals_have_the_reciprocal_interval(
        values in prop::collection::vec(0.1..10.0f64, 2..9),
    ) {
        let over: Vec<f64> = values.iter().map(|value| 1.0 / value).collect();
        let (of, over) = (Spread::of(&values).unwrap(), Spread::of(&over).unwrap());
        let ((low, high), (below, above)) = (of.within.unwrap(), over.within.unwrap());
        prop_assert!(low <= of.mean && of.mean <= high);
        for (a, b) in [(of.mean, over.mean), (low, above), (high, below)] {
            prop_assert!((a * b - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn step_order_is_random() {
    let order =
        |seed| made(&mut Comparison::new(3, 4, 1, seed), |step| vec![well(1); size(step, 3)]);
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let settings = |steps: &[Step]| steps.iter().map(|step| step.setting).collect::<Vec<_>>();
    let steps = order(1);
    assert!(steps.chunks(6).any(|round| settings(round) != settings(&steps[..6])));
}

/// Tables of Student's distribution have 12.706, 4.303, 2.571 and 2.045 with 1, 2, 5 and 29 degrees
/// of freedom.
#[test]
fn intervals_follow_students_t() {
    for (count, factor) in [(2, 12.706), (3, 4.303), (6, 2.571), (30, 2.045)] {
        // Logarithms around 0.3 with deviations that add up to zero, and the error of their mean.
        let logs: Vec<f64> =
            (0..count).map(|n| f64::from(n) - f64::from(count - 1) / 2.0).collect();
        let squares: f64 = logs.iter().map(|log| log * log).sum();
        let error = (squares / f64::from(count - 1) / f64::from(count)).sqrt();
        let values: Vec<f64> = logs.iter().map(|log| (0.3 + log).exp()).collect();
        let spread = Spread::of(&values).unwrap();
        let (low, high) = spread.within.unwrap();
        assert!((spread.mean.ln() - 0.3).abs() < 1e-9);
        for reach in [0.3 - low.ln(), high.ln() - 0.3] {
            assert!((reach / error - factor).abs() < 1e-3, "{count}: {}", reach / error);
        }
    }
    assert_eq!(Spread::of(&[]), None);
    assert_eq!(Spread::of(&[2.0]).unwrap().within, None);
}
