//! [`JobsBuilder`](bandwise_scenario::jobs::JobsBuilder): built scenarios run, and invalid ones give a reason.

use crate::{compare, go_on, scenario};
use bandwise_netsim::engine::Sequential;
use bandwise_saba::sensitivity::{Degree, Kind};
use bandwise_scenario::jobs::{
    JobsBuilder, JobsExperiment, JobsScenario, PacketSettings, Queues, SharedJob, SharingPolicy,
};
use bandwise_topology::builders;
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::job::{Job, Pattern, Stage};
use proptest::prelude::*;
use std::num::NonZeroU32;

const LINK: BitRate = BitRate::from_gbps(10);

fn builder() -> JobsBuilder {
    JobsScenario::builder(builders::single_switch(4, LINK, Time::from_ns(10)).unwrap())
}

fn stage(compute: Time, pattern: Pattern, bytes: u64) -> Stage {
    Stage { compute, pattern, overlapped: Bytes::ZERO, exposed: Bytes::new(bytes) }
}

fn job(name: &str, hosts: &[u32]) -> SharedJob {
    let stages = vec![stage(Time::from_us(3), Pattern::Shuffle, 30_000)];
    let instances = hosts.len() as u32;
    SharedJob::from_stages(name, Job { instances, stages, rounds: 2 }, hosts.to_vec(), LINK)
        .unwrap()
}

fn why(builder: JobsBuilder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
fn jobs_scenario_round_trips_through_its_builder() {
    let scenario = scenario("[[job]]\nworkload = \"LR\"\ncount = 3\n");
    let again = scenario.clone().into_builder().build().unwrap();
    assert_eq!(again.jobs(), scenario.jobs());
    let policies = [SharingPolicy::Saba, SharingPolicy::Blocking];
    assert_eq!(compare(&again, &policies), compare(&scenario, &policies));
}

#[test]
fn impossible_values_are_refused() {
    let one = || job("a", &[0, 1]);
    let changed = |change: &dyn Fn(&mut SharedJob)| {
        let mut job = one();
        change(&mut job);
        why(builder().job(job))
    };
    let queues = |queues| why(builder().job(one()).queues(queues));
    let (usual, fits) = (Queues::default(), Time::from_ms(10));
    let mut other_model = job("b", &[2, 3]);
    other_model.application = one().application;
    other_model.profile = job("c", &[1, 2, 3]).profile;
    let errors = [
        why(builder()),
        why(builder().job(one()).job(one())),
        why(builder().job(one()).job(other_model)),
        why(builder().job(job("a", &[0, 4]))),
        why(builder().job(job("a", &[2, 2]))),
        why(builder().job(job("a", &[0, 1, 2, 3, 4]))),
        changed(&|job| job.name.clear()),
        changed(&|job| job.job.stages.clear()),
        changed(&|job| job.hosts = vec![0]),
        changed(&|job| job.start = Time::MAX),
        changed(&|job| job.weight = f64::NAN),
        changed(&|job| job.data = 0.0),
        changed(&|job| job.job.rounds = 0),
        changed(&|job| job.job.rounds = 2_000_000),
        changed(&|job| job.job.stages[0].compute = Time::MAX),
        changed(&|job| job.job.stages[0].exposed = Bytes::new(u64::MAX)),
        changed(&|job| {
            job.job.rounds = 1_000_000;
            job.job.stages[0].compute = Time::from_ms(10_000);
        }),
        queues(Queues { queues: 0, ..usual }),
        queues(Queues { levels: 17, ..usual }),
        queues(Queues { part: 0.0, ..usual }),
        queues(Queues { part: f64::NAN, ..usual }),
        queues(Queues { part: 1e-9, ..usual }),
        why(builder().job(one()).grain(Time::from_ms(60_001))),
    ];
    insta::assert_snapshot!(errors.join("\n"));
    let alone = |instances, bytes| {
        let stages = vec![stage(Time::ZERO, Pattern::Shuffle, bytes)];
        let hosts = (0..instances).collect();
        SharedJob::from_stages("a", Job { instances, stages, rounds: 1 }, hosts, LINK)
    };
    // A single instance does not communicate.
    insta::assert_snapshot!(alone(1, 9).unwrap_err(), @"a job that takes no time (allowed: stages that compute or send)");
    assert!(alone(2, 9).is_ok());
    assert!(builder().job(one()).grain(fits).build().is_ok());
}

#[test]
fn policies_that_do_not_fit_are_refused_before_the_run() {
    let many = (0..257).map(|i| job(&format!("j{i}"), &[0, 1])).fold(builder(), JobsBuilder::job);
    let scenario = many.build().unwrap();
    let policies = vec![SharingPolicy::Saba, SharingPolicy::Reserved];
    let error = JobsExperiment::new(scenario, policies).unwrap_err();
    insta::assert_snapshot!(error, @"reserved needs a queue for each job, and 257 jobs are too many");
    insta::assert_snapshot!(error.allowed(), @"up to 255 jobs with this policy, or other policies");
}

fn pattern() -> impl Strategy<Value = Pattern> {
    (0u8..8, 0u32..6).prop_map(|(which, count)| match which {
        0 => Pattern::Shuffle,
        1 => Pattern::PartitionAggregate { aggregators: count },
        2 => Pattern::ParameterServer { servers: count },
        3 => Pattern::RingAllReduce,
        4 => Pattern::TreeAllReduce,
        5 => Pattern::BulkSynchronous { neighbours: count },
        6 => Pattern::Broadcast,
        _ => Pattern::Chain,
    })
}

fn any_job() -> impl Strategy<Value = (Job, Vec<u32>, Time, f64)> {
    let stage = (0u64..30, pattern(), 0u64..60_000, 0u64..60_000).prop_map(
        |(compute, pattern, overlapped, exposed)| Stage {
            compute: Time::from_us(compute),
            pattern,
            overlapped: Bytes::new(overlapped),
            exposed: Bytes::new(exposed),
        },
    );
    let hosts = Just(vec![0u32, 1, 2, 3]).prop_shuffle();
    let weight = prop_oneof![19 => 0.001..1_000.0, 1 => -1.0..0.001];
    (prop::collection::vec(stage, 0..4), 0u32..4, 1u32..=5, hosts, 0u64..50, weight).prop_map(
        |(stages, rounds, instances, mut hosts, start, weight)| {
            hosts.truncate(instances as usize);
            (Job { instances, stages, rounds }, hosts, Time::from_us(start), weight)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_global_rejects: 10_000, ..ProptestConfig::default() })]

    /// Every policy that accepts a built scenario runs it. Too many refusals fail the test.
    #[test]
    fn accepted_jobs_scenarios_run(
        jobs in prop::collection::vec(any_job(), 1..4),
        (queues, levels, part) in (1u8..=16, 1u8..=16, prop_oneof![Just(1.0), 0.01..=1.0]),
        (degree, grain) in (0u8..=3, 0u64..20),
    ) {
        let kind = Degree::try_from(degree).map_or(Kind::Monotone, Kind::Polynomial);
        let mut builder = builder()
            .queues(Queues { queues, levels, part })
            .model(kind)
            .grain(Time::from_us(grain));
        for (i, (job, hosts, start, weight)) in jobs.into_iter().enumerate() {
            let shared = SharedJob::from_stages(&format!("j{i}"), job, hosts, LINK);
            prop_assume!(shared.is_ok());
            builder = builder.job(SharedJob { start, weight, ..shared.unwrap() });
        }
        let scenario = builder.build();
        prop_assume!(scenario.is_ok());
        let scenario = scenario.unwrap();
        prop_assert_eq!(scenario.outlook().jobs.len(), scenario.jobs().len());
        for policy in SharingPolicy::ALL {
            prop_assert!(scenario.under(policy).unwrap().run(&mut go_on).is_whole());
            let settings = PacketSettings { scale: NonZeroU32::MIN };
            if let Ok(run) = scenario.under_packets(policy, settings) {
                prop_assert!(run.run(&Sequential, &mut go_on).results.is_whole());
            }
        }
    }
}
