use super::{plan, run, share};
use bandwise_profiler::{Campaign, Outcome, Plan, PlanError, Purpose, Run};
use bandwise_saba::Share;
use bandwise_units::Time;
use proptest::prelude::*;
use std::num::NonZeroU32;

/// Makes runs until none is left or the given number is reached. `outcomes` are those of the first
/// runs.
fn go(campaign: &mut Campaign, outcomes: &[Outcome], most: usize) {
    for made in 0..most {
        let Some(next) = campaign.next() else { return };
        let outcome = outcomes.get(made).cloned().unwrap_or(Outcome::Success);
        campaign.made(run(next.share, next.purpose, Time::from_ms(10), outcome));
    }
}

fn outcomes() -> impl Strategy<Value = Vec<Outcome>> {
    let outcome = prop_oneof![
        3 => Just(Outcome::Success),
        1 => (1..256).prop_map(Outcome::Code),
        1 => Just(Outcome::Late),
        1 => Just(Outcome::Signal(9)),
    ];
    prop::collection::vec(outcome, 0..60)
}

proptest! {
    /// No run is dropped: each run of the plan is measured, or given up after all its attempts.
    #[test]
    fn planned_runs_are_measured_or_abandoned(
        repeats in 1u32..5, warmup in 0u32..3, attempts in 1u32..4, seed: u64, outcomes in outcomes(),
    ) {
        let plan = plan(repeats, warmup, attempts, seed);
        let mut campaign = Campaign::new(&plan);
        go(&mut campaign, &outcomes, usize::MAX);
        prop_assert_eq!(campaign.left(), 0);
        let well = |run: &&Run| run.outcome == Outcome::Success;
        for &share in plan.shares() {
            for (purpose, planned) in [
                (Purpose::Sample, repeats),
                (Purpose::Warmup, if share == Share::ALL { warmup } else { 0 }),
            ] {
                let of = |run: &&Run| run.share == share && run.purpose == purpose;
                let measured = campaign.runs().iter().filter(of).filter(well).count();
                let failed = campaign.runs().iter().filter(of).count() - measured;
                let given_up = campaign.given_up().iter()
                    .filter(|next| next.share == share && next.purpose == purpose).count();
                prop_assert_eq!(measured + given_up, planned as usize);
                prop_assert!(failed >= given_up * attempts as usize);
                prop_assert!(failed <= (measured + given_up) * attempts as usize);
            }
        }
        let samples = campaign.runs().iter().filter(well).filter(|run| run.purpose == Purpose::Sample);
        prop_assert_eq!(campaign.samples().len(), samples.count());
    }

    /// A campaign that is killed at any point and resumed from its journal makes the same runs,
    /// except for attempts at equal runs that had failed before.
    #[test]
    fn resumed_campaign_makes_the_same_runs(
        repeats in 1u32..4, seed: u64, outcomes in outcomes(), cut in 0usize..40,
    ) {
        let plan = plan(repeats, 1, 3, seed);
        let mut whole = Campaign::new(&plan);
        go(&mut whole, &outcomes, usize::MAX);
        let mut first = Campaign::new(&plan);
        go(&mut first, &outcomes, cut);
        let mut second = Campaign::new(&plan);
        for run in first.runs() {
            second.made(run.clone());
        }
        prop_assert_eq!(second.next(), first.next());
        prop_assert_eq!(second.left(), first.left());
        go(&mut second, outcomes.get(cut..).unwrap_or_default(), usize::MAX);
        prop_assert_eq!(second.runs(), whole.runs());
        prop_assert_eq!(second.given_up(), whole.given_up());
    }

    /// Each repetition has each share once, and another seed gives another order.
    #[test]
    fn repetitions_are_shuffled(repeats in 1u32..6, seed: u64) {
        let order = plan(repeats, 0, 1, seed).order();
        for block in order.chunks(Share::PROFILED.len()) {
            let mut sorted = block.to_vec();
            sorted.sort();
            prop_assert_eq!(&sorted[..], &Share::PROFILED[..]);
        }
        prop_assert_eq!(&plan(repeats, 0, 1, seed).order(), &order);
        let others = (1..9).map(|more| plan(repeats, 0, 1, seed ^ more).order());
        prop_assert!(others.into_iter().any(|other| other != order));
    }
}

#[test]
fn repetitions_can_be_added_later() {
    let mut first = Campaign::new(&plan(2, 1, 1, 7));
    go(&mut first, &[], usize::MAX);
    let mut second = Campaign::new(&plan(3, 1, 1, 7));
    first.runs().iter().for_each(|run| second.made(run.clone()));
    assert_eq!(second.left(), Share::PROFILED.len());
    assert!(second.next().is_some_and(|next| next.purpose == Purpose::Sample));
}

#[test]
fn time_left_is_measured_or_an_upper_bound() {
    let some = |number| NonZeroU32::new(number).unwrap();
    let shares = [share(25.0), share(50.0), share(100.0)];
    let plan = Plan::new(&shares, some(2), 0, some(1), 1).unwrap();
    let mut campaign = Campaign::new(&plan);
    assert_eq!(campaign.time_left(), None);
    let made = |share, ms| run(share, Purpose::Sample, Time::from_ms(ms), Outcome::Success);
    campaign.made(run(shares[2], Purpose::Sample, Time::from_ms(1), Outcome::Late));
    assert_eq!(campaign.time_left(), None, "a failed run gives no estimate");
    campaign.made(made(shares[1], 100));
    // Left: 2 with a quarter, 1 with half, 1 with all, which takes no longer than half did.
    assert_eq!(campaign.time_left(), Some(Time::from_ms(2 * 200 + 100 + 100)));
    campaign.made(made(shares[0], 130));
    assert_eq!(campaign.time_left(), Some(Time::from_ms(130 + 100 + 100)));
}

#[test]
fn plans_without_enough_shares_are_refused() {
    let some = |number| NonZeroU32::new(number).unwrap();
    let new = |percents: &[f64]| {
        let shares: Vec<Share> = percents.iter().map(|&percent| share(percent)).collect();
        Plan::new(&shares, some(1), 0, some(1), 1)
    };
    assert_eq!(new(&[25.0, 25.0, 100.0]), Err(PlanError::Twice(share(25.0))));
    assert_eq!(new(&[5.0, 25.0, 90.0]), Err(PlanError::NoWhole));
    assert_eq!(new(&[5.0, 100.0]), Err(PlanError::TooFew(2)));
    let plan = new(&[100.0, 5.0, 25.0]).unwrap();
    assert_eq!(plan.shares(), [share(5.0), share(25.0), share(100.0)]);
}
