//! Jobs on a fabric: what they take alone and together.

use crate::{PATTERNS, compare, go_on, scenario};
use bandwise_scenario::jobs::{Comparison, JobsExperiment, JobsScenario, SharingPolicy};
use bandwise_scenario::{Experiment, Progress, Stop};
use bandwise_units::Time;
use bandwise_workload::job::{REFERENCE_RATE, WORKLOADS};
use std::ops::ControlFlow;

fn experiment(scenario: &JobsScenario, policies: &[SharingPolicy]) -> JobsExperiment {
    JobsExperiment::new(scenario.clone(), policies.to_vec()).unwrap()
}

/// For every pattern, with some data overlapped, the flow simulation equals the closed form of the
/// busiest link.
#[test]
fn job_alone_takes_the_time_of_its_busiest_link() {
    for pattern in PATTERNS {
        let text = format!(
            "[[job]]\nname = \"j\"\ninstances = 7\nrounds = 3\n\
             stage = [{{ compute = \"20 ms\", pattern = {pattern}, bytes = \"400 MB\" }}]\n"
        );
        let scenario = scenario(&text);
        let job = &scenario.jobs()[0];
        let (closed, found) =
            (job.job.alone(REFERENCE_RATE), scenario.alone(&mut go_on)[0].unwrap());
        // Shares of some links are not whole bytes, and rates not whole bits.
        let off = found.as_ps().abs_diff(closed.as_ps());
        assert!(off < 1_000_000, "{pattern}: {found} beside {closed}");
    }
}

/// The time of a job alone, computed from one of its rounds, equals the time of its whole run alone, to the
/// picosecond.
#[test]
fn one_round_predicts_the_whole_run() {
    for pattern in PATTERNS {
        let text = format!(
            "[run]\ngrain = \"3 ms\"\n[[job]]\nname = \"j\"\ninstances = 7\nrounds = 5\nstart = \"7 us\"\n\
             stage = [{{ compute = \"1 ms\", pattern = {pattern}, bytes = \"333 MB\", overlap = 0.3 }},\n\
             {{ compute = \"3 ms\" }}]\n"
        );
        let scenario = scenario(&text);
        let whole = scenario.under(SharingPolicy::FairFlows).unwrap().run(&mut go_on).took;
        assert_eq!(scenario.alone(&mut go_on), whole, "{pattern}");
    }
}

#[test]
fn workloads_alone_take_their_models_times() {
    for name in WORKLOADS {
        let scenario = scenario(&format!("[[job]]\nworkload = \"{name}\"\n"));
        let (closed, found) =
            (scenario.jobs()[0].job.alone(REFERENCE_RATE), scenario.alone(&mut go_on)[0].unwrap());
        let off = found.as_s_f64() / closed.as_s_f64() - 1.0;
        assert!(off.abs() < 1e-6, "{name}: {found} beside {closed}");
    }
}

/// Policies that let one go first.
const IN_ORDER: [SharingPolicy; 4] = [
    SharingPolicy::SmallestFirst,
    SharingPolicy::Srpt,
    SharingPolicy::Sebf,
    SharingPolicy::Sincronia,
];

/// Two jobs that only send, over the same links: each has half, where none goes first.
#[test]
fn equal_jobs_share_equally() {
    let hosts = "hosts = [\"h0\", \"h1\", \"h2\", \"h3\"]";
    let stage = "stage = [{ pattern = \"shuffle\", bytes = \"7 GB\" }]";
    let job = |name| format!("[[job]]\nname = \"{name}\"\n{hosts}\n{stage}\n");
    let scenario = scenario(&(job("a") + &job("b")));
    let comparison = compare(&scenario, &SharingPolicy::ALL);
    for results in &comparison.results {
        // Homa's receivers rank messages, whosever they are.
        if IN_ORDER.contains(&results.policy) || results.policy == SharingPolicy::Homa {
            continue;
        }
        for slowdown in comparison.slowdowns(results) {
            let slowdown = slowdown.unwrap();
            assert!((slowdown - 2.0).abs() < 0.003, "{}: {slowdown}", results.policy.as_str());
        }
    }
}

/// With a small and a large job over the same links, policies in order of size do not slow the small one, and the
/// large one waits.
#[test]
fn smaller_job_is_served_first() {
    let hosts = "hosts = [\"h0\", \"h1\", \"h2\", \"h3\"]";
    let job = |name, gb| {
        format!(
            "[[job]]\nname = \"{name}\"\n{hosts}\n\
             stage = [{{ pattern = \"shuffle\", bytes = \"{gb} GB\" }}]\n"
        )
    };
    let scenario = scenario(&(job("large", 14) + &job("small", 7)));
    let comparison = compare(&scenario, &IN_ORDER);
    for results in &comparison.results {
        let slowdowns: Vec<_> = comparison.slowdowns(results).into_iter().flatten().collect();
        let name = results.policy.as_str();
        assert!((slowdowns[0] - 1.5).abs() < 1e-3, "{name}: {slowdowns:?}");
        assert!((slowdowns[1] - 1.0).abs() < 1e-3, "{name}: {slowdowns:?}");
    }
}

/// A shuffle among 4 has three flows out of each host, a chain one: max-min among flows gives it a
/// quarter of the link that they share, a queue a job half.
#[test]
fn a_queue_a_job_protects_the_one_with_fewer_flows() {
    let hosts = "hosts = [\"h0\", \"h1\", \"h2\", \"h3\"]";
    let scenario = scenario(&format!(
        "[[job]]\nname = \"many\"\n{hosts}\nstage = [{{ pattern = \"shuffle\", bytes = \"70 GB\" }}]\n\
         [[job]]\nname = \"few\"\n{hosts}\nstage = [{{ pattern = \"chain\", bytes = \"7 GB\" }}]\n"
    ));
    let policies = [SharingPolicy::FairFlows, SharingPolicy::FairJobs];
    let comparison = compare(&scenario, &policies);
    let few = |i: usize| comparison.slowdowns(&comparison.results[i])[1].unwrap();
    assert!((few(0) - 4.0).abs() < 0.01, "{}", few(0));
    assert!((few(1) - 2.0).abs() < 0.01, "{}", few(1));
}

/// A job that starts later does not slow one that has ended. Both take as long as alone, except with Homa,
/// which also ranks the messages within a job.
#[test]
fn finished_job_does_not_slow_others() {
    let ts = "[[job]]\nname = \"a\"\nworkload = \"TS\"\n";
    let one = scenario(ts);
    let two = scenario(&format!("{ts}{}start = \"1000 s\"\n", ts.replace("\"a\"", "\"b\"")));
    let comparison = compare(&two, &SharingPolicy::ALL);
    // Except for bandwidth reserved for absent jobs.
    let disturbs = |policy: SharingPolicy| policy == SharingPolicy::Reserved;
    for results in comparison.results.iter().filter(|results| !disturbs(results.policy)) {
        let name = results.policy.as_str();
        let alone = one.under(results.policy).unwrap().run(&mut go_on).took[0].unwrap();
        assert_eq!(results.took[0], Some(alone), "{name}");
        for slowdown in comparison.slowdowns(results) {
            let slowdown = slowdown.unwrap();
            let most = if results.policy == SharingPolicy::Homa { 1.02 } else { 1.0 + 1e-6 };
            assert!((1.0 - 1e-6..most).contains(&slowdown), "{name}: {slowdown}");
        }
    }
}

#[test]
fn comparison_is_deterministic() {
    let jobs =
        "[[job]]\nworkload = \"LR\"\n[[job]]\nworkload = \"NI\"\n[[job]]\nworkload = \"SQL\"\n";
    let run = || compare(&scenario(jobs), &SharingPolicy::ALL);
    assert_eq!(run(), run());
}

/// A stopped run keeps its results.
#[test]
fn a_stopped_run_keeps_jobs_that_are_over() {
    let jobs =
        "[[job]]\nname = \"short\"\nstage = [{ compute = \"1 s\" }]\n[[job]]\nworkload = \"LR\"\n";
    let scenario = scenario(jobs);
    let results =
        scenario.under(SharingPolicy::FairFlows).unwrap().run(&mut |at| match at.simulated
            <= Time::from_ms(1_000)
        {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        });
    assert!(!results.is_whole());
    assert_eq!(results.took[0].unwrap().as_s_f64(), 1.0);
    assert_eq!(results.took[1], None);
}

/// A watch also stops the runs of jobs alone, and the comparison is reported as interrupted.
#[test]
fn watch_stops_the_runs_of_jobs_alone() {
    let scenario = scenario("[[job]]\nworkload = \"TS\"\ncount = 3\n");
    let mut seen = Vec::new();
    let mut watch = |at: Progress| {
        seen.push(at);
        // The first of three jobs, of a step among 17.
        let first = 1.0 / 3.0 / 17.0;
        if at.part > first - 1e-9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let experiment = experiment(&scenario, &SharingPolicy::ALL);
    let comparison = experiment.compare(&mut watch);
    assert_eq!(JobsExperiment::stop(&comparison), Stop::Interrupted);
    assert!(!comparison.is_whole() && comparison.results.is_empty());
    assert!(comparison.alone[0].is_some() && comparison.alone[1..] == [None, None]);
    assert!(seen.iter().all(|at| experiment.policy_at(at.part).is_none()), "{seen:?}");
    assert!(seen.is_sorted_by(|a, b| a.part <= b.part), "{seen:?}");
}

/// The watch gets the policy of each step, in the requested order.
#[test]
fn progress_reports_the_current_policy() {
    let scenario = scenario("[[job]]\nworkload = \"LR\"\ncount = 2\n");
    let mut seen = Vec::new();
    let policies = [SharingPolicy::FairFlows, SharingPolicy::Saba, SharingPolicy::Srpt];
    let experiment = experiment(&scenario, &policies);
    experiment.compare(&mut |at| {
        seen.push(experiment.policy_at(at.part));
        ControlFlow::Continue(())
    });
    seen.dedup();
    let expected: Vec<_> = std::iter::once(None).chain(policies.map(Some)).collect();
    assert_eq!(seen, expected);
}

/// With half of each link, jobs that only send take twice as long under any policy: none has more to share.
#[test]
fn limited_part_of_links_scales_slowdowns() {
    let comparison = |part: f64| {
        let jobs = "[[job]]\nname = \"a\"\ninstances = 4\n\
                    stage = [{ pattern = \"shuffle\", bytes = \"7 GB\" }]\n\
                    [[job]]\nname = \"b\"\ninstances = 4\nstart = \"100 s\"\n\
                    stage = [{ compute = \"1 s\" }]\n";
        let scenario = scenario(&format!("[queues]\npart = {part:?}\n{jobs}"));
        compare(&scenario, &SharingPolicy::ALL)
    };
    let slowdowns = |comparison: &Comparison, i: usize| -> Vec<f64> {
        comparison.slowdowns(&comparison.results[i]).into_iter().flatten().collect()
    };
    let (half, whole) = (comparison(0.5), comparison(1.0));
    for (i, policy) in SharingPolicy::ALL.iter().enumerate() {
        let (half, whole) = (slowdowns(&half, i), slowdowns(&whole, i));
        assert!((half[0] / whole[0] - 2.0).abs() < 1e-6, "{policy:?}: {half:?} {whole:?}");
        // In a greedy order of equal messages, as Homa's, each waits for two others at its sender and two at its
        // receiver at most: five rounds where three would do.
        let (least, most) = match policy {
            SharingPolicy::Homa => (1.0, 5.0 / 3.0),
            // The other job's half is idle.
            SharingPolicy::Reserved => (2.0, 2.0),
            _ => (1.0, 1.0),
        };
        assert!((least - 1e-6..=most + 1e-6).contains(&whole[0]), "{policy:?}: {whole:?}");
        assert_eq!(half[1], 1.0, "{policy:?}");
    }
}

/// Two equal jobs only send, with weights of 3 and 1. With reservations each has its part of the link, and takes 4/3
/// and 4 times as long as alone. With guarantees the second has the whole link once the first has ended.
#[test]
fn parts_of_links_are_reserved_or_guaranteed() {
    let job = |name: &str, weight: f64| {
        format!(
            "[[job]]\nname = \"{name}\"\ninstances = 4\nweight = {weight:?}\n\
             hosts = [\"h0\", \"h1\", \"h2\", \"h3\"]\n\
             stage = [{{ pattern = \"shuffle\", bytes = \"7 GB\" }}]\n"
        )
    };
    let scenario = scenario(&(job("heavy", 3.0) + &job("light", 1.0)));
    let policies = [SharingPolicy::Reserved, SharingPolicy::Guaranteed];
    let comparison = compare(&scenario, &policies);
    for (results, expected) in comparison.results.iter().zip([[4.0 / 3.0, 4.0], [4.0 / 3.0, 2.0]]) {
        for (found, expected) in comparison.slowdowns(results).into_iter().zip(expected) {
            let found = found.expect("the job ended");
            assert!((found - expected).abs() < 1e-3, "{:?}: {found} {expected}", results.policy);
        }
    }
}

/// A queue for each of 257 jobs is one more than links have; one for each of 256 they have.
#[test]
fn more_jobs_than_queues_are_refused_before_they_are_run() {
    let jobs = |count: u32| {
        let text = "[[job]]\nname = \"j\"\ninstances = 2\nstage = [{ pattern = \"chain\", bytes = \"1 MB\" }]";
        scenario(&format!("{text}\ncount = {count}\n[placement]\njobs-per-host = 1000\n"))
    };
    let own = [
        SharingPolicy::SabaUnlimited,
        SharingPolicy::GivenWeights,
        SharingPolicy::Reserved,
        SharingPolicy::Guaranteed,
    ];
    let many = jobs(257);
    for policy in SharingPolicy::ALL {
        assert_eq!(many.under(policy).is_err(), own.contains(&policy), "{policy:?}");
    }
    let error = many.under(SharingPolicy::SabaUnlimited).unwrap_err();
    assert_eq!(
        error.to_string(),
        "saba-unlimited needs a queue for each job, and 257 jobs are too many"
    );
    // The last job has as much as the first.
    let most = jobs(256);
    let results = most.under(SharingPolicy::SabaUnlimited).unwrap().run(&mut go_on);
    assert!(results.is_whole());
    let saba = many.under(SharingPolicy::Saba).unwrap().run(&mut go_on);
    assert!(saba.is_whole());
}

fn workloads(names: &[&str]) -> String {
    let job = |(i, name)| format!("[[job]]\nname = \"j{i}\"\nworkload = \"{name}\"\n");
    names.iter().enumerate().map(job).collect()
}

/// Distributed instances equal one controller except for their table. With a table of exactly the running jobs,
/// all times are equal.
#[test]
fn distributed_saba_differs_only_by_its_table() {
    let took = |jobs: &str| {
        let scenario = scenario(jobs);
        let policies = [SharingPolicy::Saba, SharingPolicy::SabaDistributed];
        policies.map(|policy| scenario.under(policy).unwrap().run(&mut go_on).took)
    };
    // Each workload of the table once, in three levels and two queues.
    let few = "[queues]\nqueues = 2\nlevels = 3\n";
    let [one, several] = took(&format!("{few}{}", workloads(&WORKLOADS)));
    assert_eq!(one, several);
    // Three that are alike have a level each where only they are grouped, and one beside all others.
    let alike = ["LR", "LR", "RF", "GBT"];
    let [one, several] = took(&format!("{few}{}", workloads(&alike)));
    assert_ne!(one, several);
}
