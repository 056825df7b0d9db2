//! Saba's configuration and the predictions of models.

use crate::{compare, scenario};
use bandwise_scenario::jobs::SharingPolicy;
use proptest::prelude::*;

/// Two jobs that only send, of one model: one level, one queue, and half of each link.
#[test]
fn equal_jobs_share_a_queue() {
    let scenario = scenario(
        "[[job]]\nname = \"a\"\ninstances = 4\ncount = 2\n\
         stage = [{ pattern = \"shuffle\", bytes = \"7 GB\" }]\n[placement]\njobs-per-host = 32\n\
         [fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"56 Gbps\" }\n",
    );
    let outlook = scenario.outlook();
    // A port out of each host, and one to each.
    assert_eq!(outlook.ports.len(), 8);
    for (_, config) in &outlook.ports {
        assert_eq!((config.table.len(), config.weights.as_slice()), (1, &[255][..]));
    }
    for job in &outlook.jobs {
        assert_eq!((job.equal.share.get(), job.saba.share.get()), (0.5, 0.5));
        assert!((job.saba.slowdown.measured().unwrap() - 2.0).abs() < 1e-9);
    }
}

/// A job that mostly computes yields bandwidth to a job that only sends, at a small predicted slowdown.
#[test]
fn sensitive_job_gets_the_larger_share() {
    let scenario = scenario(
        "[[job]]\nname = \"sends\"\ninstances = 4\nstage = [{ pattern = \"shuffle\", bytes = \"7 GB\" }]\n\
         [[job]]\nname = \"computes\"\ninstances = 4\n\
         stage = [{ compute = \"1 s\", pattern = \"shuffle\", bytes = \"70 MB\" }]\n\
         [fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"56 Gbps\" }\n",
    );
    let outlook = scenario.outlook();
    let [sends, computes] = &outlook.jobs[..] else { panic!("two jobs") };
    assert!(sends.level > computes.level, "levels rise with sensitivity");
    assert!(sends.saba.share > sends.equal.share && computes.saba.share < computes.equal.share);
    let of = |slowdown: bandwise_saba::sensitivity::Prediction| slowdown.even_extrapolated();
    assert!(of(sends.saba.slowdown) < of(sends.equal.slowdown));
    assert!(of(computes.saba.slowdown) < 1.2, "{computes:?}");
    assert!(outlook.ports.iter().all(|(_, config)| config.weights.len() == 2));
}

/// Half of each link is half of each share.
#[test]
fn a_part_of_each_link_is_shared() {
    let text = |part| {
        format!("[queues]\npart = {part}\n[[job]]\nworkload = \"LR\"\n[[job]]\nworkload = \"TS\"\n")
    };
    let (whole, half) = (scenario(&text("1.0")).outlook(), scenario(&text("0.5")).outlook());
    for (whole, half) in whole.jobs.iter().zip(&half.jobs) {
        assert_eq!(half.equal.share.get(), whole.equal.share.get() / 2.0);
        assert!(half.saba.share.get() <= 0.5);
    }
}

/// A job of one instance sends no data.
#[test]
fn job_without_traffic_is_not_slowed_down() {
    let scenario =
        scenario("[[job]]\nname = \"one\"\ninstances = 1\nstage = [{ compute = \"1 s\" }]\n");
    let outlook = scenario.outlook();
    assert!(outlook.ports.is_empty());
    assert_eq!(outlook.jobs[0].saba.share.get(), 1.0);
    assert_eq!(outlook.jobs[0].saba.slowdown.measured(), Some(1.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// At each port the predicted shares of its jobs sum to at most 1, every level has a queue, and the number of
    /// queues is within its limit.
    #[test]
    fn predicted_shares_fit_each_port(
        seed in 0u64..1000, jobs in 1usize..12, queues in 1u8..9,
    ) {
        let names = bandwise_workload::job::WORKLOADS;
        let mut text = format!("[queues]\nqueues = {queues}\n[run]\nseed = {seed}\n");
        for job in 0..jobs {
            let (workload, instances) = (names[(seed as usize + job * 7) % 10], 2 + (job * 5) % 20);
            text += &format!(
                "[[job]]\nname = \"j{job}\"\nworkload = \"{workload}\"\ninstances = {instances}\n"
            );
        }
        let scenario = scenario(&text);
        let outlook = scenario.outlook();
        for (port, config) in &outlook.ports {
            prop_assert!(config.weights.len() <= usize::from(queues));
            // On one switch a job is at a port if it is at that port's host.
            let host = if scenario.fabric().is_switch(port.node) {
                scenario.fabric().peer(*port).unwrap().0.node
            } else {
                port.node
            };
            let rank = scenario.fabric().rank(host) as u32;
            let here = || scenario.jobs().iter().zip(&outlook.jobs).filter(|(job, _)| job.hosts.contains(&rank));
            let sum: f64 = here().map(|(_, job)| job.saba.share.get()).sum();
            prop_assert!(sum <= 1.0 + 1e-9, "{sum}");
            let equal: f64 = here().map(|(_, job)| job.equal.share.get()).sum();
            prop_assert!(equal <= 1.0 + 1e-9, "{equal}");
            prop_assert!(here().all(|(_, job)| config.table.of(job.level).is_some()));
        }
    }
}

/// The promise is a bound: a job that shares its links with equal jobs only takes no longer than its model predicts
/// for its share.
#[test]
fn jobs_take_no_longer_than_predicted() {
    let scenario = scenario(
        "[[job]]\nworkload = \"LR\"\ncount = 4\ninstances = 8\n\
         [fabric]\nbuild = { single-switch = 8 }\nlink = { rate = \"56 Gbps\" }\n",
    );
    let outlook = scenario.outlook();
    let comparison = compare(&scenario, &[SharingPolicy::Saba]);
    let slowdowns = comparison.slowdowns(&comparison.results[0]);
    for (job, slowdown) in outlook.jobs.iter().zip(slowdowns) {
        let predicted = job.saba.slowdown.measured().expect("a quarter was measured");
        assert!(slowdown.unwrap() <= predicted * 1.001, "{slowdown:?} {predicted}");
    }
}
