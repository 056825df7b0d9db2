//! Jobs: patterns, stages, and the models of Saba's workloads compared with the published slowdown
//! of each.

use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::job::{
    Action, Job, JobRun, Part, Pattern, REFERENCE_RATE, Scale, ScaleError, Stage, Transfer,
    WORKLOADS, Workload, synthetic,
};
use proptest::prelude::*;

fn sent(pattern: Pattern, phase: u32, instances: u32, bytes: u64) -> Vec<(u32, u32, u64)> {
    let mut sent = Vec::new();
    pattern.transfers(phase, instances, Bytes::new(bytes), |Transfer { from, to, bytes }| {
        sent.push((from, to, bytes.get()));
    });
    sent
}

#[test]
fn patterns_have_their_senders_and_receivers() {
    let shuffle = [(0, 1, 5), (0, 2, 5), (1, 2, 5), (1, 0, 5), (2, 0, 5), (2, 1, 5)];
    assert_eq!(sent(Pattern::Shuffle, 0, 3, 10), shuffle);
    let star = Pattern::ParameterServer { servers: 2 };
    assert_eq!(sent(star, 0, 4, 9), [(2, 0, 5), (2, 1, 4), (3, 0, 5), (3, 1, 4)]);
    assert_eq!(sent(star, 1, 4, 9), [(0, 2, 5), (1, 2, 4), (0, 3, 5), (1, 3, 4)]);
    let gather = Pattern::PartitionAggregate { aggregators: 2 };
    assert_eq!(sent(gather, 0, 5, 7), [(2, 0, 7), (3, 1, 7), (4, 0, 7)]);
    assert_eq!(sent(gather, 1, 5, 7), [(1, 0, 7)]);
    assert_eq!(sent(Pattern::RingAllReduce, 0, 3, 9), [(0, 1, 12), (1, 2, 12), (2, 0, 12)]);
    assert_eq!(sent(Pattern::TreeAllReduce, 0, 4, 3), [(1, 0, 3), (2, 0, 3), (3, 1, 3)]);
    assert_eq!(sent(Pattern::TreeAllReduce, 1, 4, 3), [(0, 1, 3), (0, 2, 3), (1, 3, 3)]);
    assert_eq!(sent(Pattern::BulkSynchronous { neighbours: 1 }, 0, 2, 4), [(0, 1, 4), (1, 0, 4)]);
    assert_eq!(sent(Pattern::Broadcast, 0, 3, 2), [(0, 1, 2), (0, 2, 2)]);
    assert_eq!(sent(Pattern::Chain, 0, 3, 2), [(0, 1, 2), (1, 2, 2)]);
    assert_eq!(sent(Pattern::Shuffle, 0, 1, 10), []);
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        Just(Pattern::Shuffle),
        (1u32..6).prop_map(|aggregators| Pattern::PartitionAggregate { aggregators }),
        (1u32..6).prop_map(|servers| Pattern::ParameterServer { servers }),
        Just(Pattern::RingAllReduce),
        Just(Pattern::TreeAllReduce),
        (1u32..6).prop_map(|neighbours| Pattern::BulkSynchronous { neighbours }),
        Just(Pattern::Broadcast),
        Just(Pattern::Chain),
    ]
}

fn job() -> impl Strategy<Value = Job> {
    let stage = (0u64..1_000, pattern(), 0u64..5_000, 0u64..5_000).prop_map(
        |(compute, pattern, overlapped, exposed)| Stage {
            compute: Time::from_ns(compute),
            pattern,
            overlapped: Bytes::new(overlapped),
            exposed: Bytes::new(exposed),
        },
    );
    (1u32..9, prop::collection::vec(stage, 0..5), 0u32..4)
        .prop_map(|(instances, stages, rounds)| Job { instances, stages, rounds })
}

proptest! {
    /// In any order of ends, a job sends all its bytes, computes all its time, never sends exposed
    /// bytes before it has computed, and ends once, when nothing is left.
    #[test]
    fn a_job_runs_all_its_stages(job in job(), picks in prop::collection::vec(any::<u16>(), 4_000)) {
        let mut run = JobRun::new(&job);
        let mut actions = Vec::new();
        let mut open: Vec<Option<Part>> = Vec::new();
        let (mut bytes, mut computed, mut ends) = (0, Time::ZERO, 0);
        let mut picks = picks.into_iter();
        run.start(&mut actions);
        loop {
            for action in actions.drain(..) {
                match action {
                    Action::Compute(time) => { computed += time; open.push(None); }
                    Action::Send(part, transfer) => {
                        prop_assert!(transfer.from != transfer.to);
                        prop_assert!(transfer.from.max(transfer.to) < job.instances);
                        prop_assert!(part == Part::Overlapped || !run.is_computing());
                        bytes += transfer.bytes.get();
                        open.push(Some(part));
                    }
                    Action::End => ends += 1,
                }
            }
            if open.is_empty() { break; }
            let pick = picks.next().map_or(0, usize::from) % open.len();
            match open.swap_remove(pick) {
                None => run.computed(&mut actions),
                Some(part) => run.delivered(part, &mut actions),
            }
        }
        prop_assert!(run.is_over());
        prop_assert_eq!(ends, 1);
        prop_assert_eq!(bytes, job.bytes().get());
        let all: u64 = job.stages.iter().map(|s| s.compute.as_ps()).sum();
        prop_assert_eq!(computed.as_ps(), all * u64::from(job.rounds));
        let (done, of) = run.progress();
        prop_assert_eq!(done, of);
    }

    /// In a shuffle, a ring and a star every instance has at least its part, so no byte is lost.
    #[test]
    fn divided_transfers_keep_all_bytes(n in 2u32..20, bytes in 0u64..1_000_000) {
        let total = |pattern: Pattern| pattern.total(n, Bytes::new(bytes)).get();
        prop_assert_eq!(total(Pattern::Shuffle), u64::from(n) * bytes);
        prop_assert_eq!(total(Pattern::Chain), u64::from(n - 1) * bytes);
        prop_assert_eq!(total(Pattern::TreeAllReduce), 2 * u64::from(n - 1) * bytes);
        let star = Pattern::ParameterServer { servers: n / 2 };
        prop_assert_eq!(total(star), 2 * u64::from(n - n / 2) * bytes);
    }
}

/// Returns the slowdown of a workload at a fraction of the bandwidth.
fn slowdown(name: &str, percent: u64, scale: Scale) -> f64 {
    let job = Workload::by_name(name).unwrap().job(scale).unwrap();
    let at =
        |percent| job.alone(BitRate::from_bps(REFERENCE_RATE.as_bps() / 100 * percent)).as_s_f64();
    at(percent) / at(100)
}

#[track_caller]
fn within(ours: f64, published: f64, tolerance: f64) {
    assert!((ours - published).abs() <= tolerance, "{ours} beside {published}");
}

/// Values of Saba 3.2, 3.4, 4.2.2 and the introduction of chapter 4.
#[test]
fn workload_slowdowns_match_saba() {
    let at = |name, percent| slowdown(name, percent, Scale::default());
    within(at("LR", 25), 3.4, 0.01);
    within(at("LR", 75), 1.28, 0.02);
    within(at("PR", 25), 1.4, 0.01);
    within(at("SQL", 25), 1.2, 0.01);
    within(at("SQL", 10), 2.2, 0.01);
    within(at("TS", 75), 1.0, 0.015);
    within(at("TS", 25) / at("TS", 75), 165.0 / 138.0, 0.01);
    let all: Vec<f64> = WORKLOADS.iter().map(|name| at(name, 25)).collect();
    within(all.iter().sum::<f64>() / 10.0, 2.1, 0.05);
    assert!(all.iter().all(|&slowdown| slowdown <= at("LR", 25)));
    // Not met: LR's 4.5 at 10%. A job of stages with 3.4 at 25% has more.
    within(at("LR", 10), 8.2, 0.01);
    let seconds = |name, percent| {
        let job = Workload::by_name(name).unwrap().job(Scale::default()).unwrap();
        job.alone(BitRate::from_bps(REFERENCE_RATE.as_bps() / 100 * percent)).as_s_f64()
    };
    within(seconds("LR", 75), 172.0, 2.0);
    within(seconds("LR", 25), 447.0, 20.0);
    within(seconds("TS", 75), 138.0, 2.0);
    within(seconds("TS", 25), 165.0, 3.0);
}

/// More instances for the same data compute less each, but receive equally large models, so
/// broadcasts are more sensitive. With less data, start-up has more influence.
#[test]
fn scale_changes_sensitivity() {
    let more = Scale { instances: 32, data: 1.0 };
    assert!(slowdown("LR", 25, more) > slowdown("LR", 25, Scale::default()));
    let less = Scale { instances: 8, data: 0.1 };
    assert!(slowdown("NI", 25, less) < slowdown("NI", 25, Scale::default()));
    let lr = Workload::by_name("lr").unwrap();
    let job = |instances, data| lr.job(Scale { instances, data });
    assert_eq!(job(0, 1.0), Err(ScaleError::Instances(0)));
    assert_eq!(job(8, 0.0), Err(ScaleError::Data(0.0)));
    assert!(job(8, f64::NAN).is_err());
    assert_eq!(job(1, 1.0).unwrap().bytes(), Bytes::new(0));
    assert_eq!(Workload::by_name("XX"), None);
}

/// Generated workloads are equal for equal seeds, range from sensitive to insensitive, and are
/// valid.
#[test]
fn synthetic_workloads_are_reproducible_and_vary() {
    for seed in 0..50 {
        let workloads = synthetic(seed, 20);
        assert_eq!(workloads, synthetic(seed, 20));
        assert!(workloads.windows(2).all(|pair| pair[0].exposed > pair[1].exposed));
        for workload in &workloads {
            assert!(workload.exposed + workload.behind <= 1.0, "{workload:?}");
            assert!(workload.hidden <= workload.behind, "{workload:?}");
            let job = workload.job(Scale { instances: 18, data: 1.0 }).unwrap();
            assert!(job.alone(REFERENCE_RATE) > Time::from_ms(20_000));
        }
    }
    assert_ne!(synthetic(1, 20), synthetic(2, 20));
}

proptest! {
    /// Measured times of a job of stages are met exactly, for any end of its overlap and any rate.
    #[test]
    fn fitted_job_takes_the_measured_times(
        exposed in 0.0..0.9f64, hidden in 0.0..1.0f64, behind in 1usize..6, gbps in 1u64..800,
    ) {
        let link = BitRate::from_gbps(gbps);
        let parts = [1.0, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05];
        let hidden = hidden * (1.0 - exposed) * parts[behind];
        let behind = hidden / parts[behind];
        let time = |part: f64| {
            let x = 1.0 / part;
            100.0 * (1.0 - exposed - behind + exposed * x + f64::max(behind, hidden * x))
        };
        let times = parts.map(|part| (part, time(part)));
        let fit = Workload::from_times("measured", &times, link).unwrap();
        prop_assert!(fit.off_by < 1e-6, "{fit:?}");
        prop_assert!((fit.workload.seconds / 100.0 - 1.0).abs() < 1e-6, "{fit:?}");
        let job = fit.workload.job(Scale::default()).unwrap();
        for (part, seconds) in times {
            let rate = BitRate::from_bps((link.as_bps() as f64 * part) as u64);
            prop_assert!((job.alone(rate).as_s_f64() / seconds - 1.0).abs() < 1e-4);
        }
    }
}

/// LR's published slowdowns are concave in 1 / bandwidth, so the nearest job differs, and the fit
/// reports the error.
#[test]
fn unattainable_times_report_the_error() {
    let times = [(1.0, 136.0), (0.75, 172.0), (0.25, 447.0), (0.1, 612.0)];
    let fit = Workload::from_times("LR", &times, REFERENCE_RATE).unwrap();
    assert!(fit.off_by > 0.1, "{fit:?}");
    assert_eq!(Workload::from_times("LR", &times[1..], REFERENCE_RATE), None);
    assert_eq!(Workload::from_times("LR", &[(1.0, 0.0)], REFERENCE_RATE), None);
}
