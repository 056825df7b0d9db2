//! Meaning of `[[job]]`.

use crate::{parsed, scenario};
use bandwise_scenario::Parsed;
use bandwise_scenario::jobs::{MeasuredAt, RateSource};
use bandwise_units::{BitRate, Time};
use bandwise_workload::job::{Pattern, Scale, Workload, synthetic};
use std::collections::BTreeSet;

#[test]
fn built_in_workload_is_read_by_name() {
    let Parsed { scenario, warnings } = parsed("[[job]]\nworkload = \"lr\"\n");
    let [job] = scenario.jobs() else { panic!("one job") };
    assert_eq!((job.name.as_str(), job.workload.as_str()), ("LR", "LR"));
    assert_eq!(job.job, Workload::by_name("LR").unwrap().job(Scale::default()).unwrap());
    assert_eq!(job.start, Time::ZERO);
    let different: BTreeSet<_> = job.hosts.iter().collect();
    assert_eq!((job.hosts.len(), different.len()), (8, 8));
    assert_eq!(scenario.fabric().hosts().len(), 32);
    // The profile is the thesis's, independent of the job's instances.
    let point = job.profile.samples.points()[2];
    assert_eq!(point.share.get(), 0.25);
    assert!((point.slowdown - 3.4).abs() < 0.01);
    assert!(warnings.is_empty());
}

#[test]
fn equal_jobs_are_numbered() {
    let text = "[[job]]\nworkload = \"LR\"\ncount = 3\ndata = 10.0\n[[job]]\nworkload = \"TS\"\n";
    let scenario = scenario(text);
    let names: Vec<_> = scenario.jobs().iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["LR-1", "LR-2", "LR-3", "TS"]);
    assert_ne!(scenario.jobs()[0].hosts, scenario.jobs()[1].hosts);
    // The model is that of the data it was profiled with.
    assert_eq!(scenario.jobs()[0].profile, scenario_of_lr().profile);
}

#[test]
fn synthetic_workloads_depend_on_the_seed() {
    let one = |text: &str| scenario(text).jobs()[0].clone();
    let job = one("[[job]]\nworkload = \"W3\"\n");
    let made = synthetic(1, 20).remove(2).job(Scale::default()).unwrap();
    assert_eq!((job.workload.as_str(), job.job), ("W3", made));
    let of_few = one("[synthetic]\ncount = 3\n[run]\nseed = 2\n[[job]]\nworkload = \"W3\"\n");
    assert_eq!(of_few.job, synthetic(2, 3).remove(2).job(Scale::default()).unwrap());
}

fn scenario_of_lr() -> bandwise_scenario::jobs::SharedJob {
    scenario("[[job]]\nworkload = \"LR\"\n").jobs()[0].clone()
}

#[test]
fn job_stages_are_read() {
    let scenario = scenario(
        "[[job]]\nname = \"train\"\ninstances = 4\nrounds = 5\nhosts = [\"h3\", \"h1\", \"h2\", \"h0\"]\n\
         stage = [{ compute = \"2 ms\", pattern = { parameter-server = 1 }, bytes = \"1 MB\", overlap = 0.25 },\n\
         { compute = \"1 ms\" }]\n",
    );
    let job = &scenario.jobs()[0];
    assert_eq!(job.hosts, [3, 1, 2, 0]);
    assert_eq!((job.job.rounds, job.job.stages.len()), (5, 2));
    let stage = job.job.stages[0];
    assert_eq!(stage.pattern, Pattern::ParameterServer { servers: 1 });
    assert_eq!((stage.overlapped.get(), stage.exposed.get()), (250_000, 750_000));
    assert_eq!(job.job.stages[1].compute, Time::from_ms(1));
}

#[test]
fn measured_times_give_a_profile() {
    let Parsed { scenario, warnings } = parsed(
        "[[job]]\nname = \"etl\"\ninstances = 4\n\
         times = { \"100%\" = \"100 s\", \"50%\" = \"100 s\", \"25%\" = \"150 s\" }\n",
    );
    let job = &scenario.jobs()[0];
    let points =
        job.profile.samples.points().iter().map(|point| (point.share.get(), point.slowdown));
    assert_eq!(points.collect::<Vec<_>>(), [(0.25, 1.5), (0.5, 1.0), (1.0, 1.0)]);
    assert_eq!(job.job.instances, 4);
    // The links of the default fabric.
    let rate = BitRate::from_gbps(56);
    assert!((job.job.alone(rate).as_s_f64() - 100.0).abs() < 0.01);
    assert_eq!(job.measured_at, Some(MeasuredAt { rate, by: RateSource::HostLink }));
    assert!(warnings.is_empty());
}

/// Times without a rate are of the fabric's own links: with half of 25 Gbps the job takes 60 s.
#[test]
fn times_are_of_the_hosts_links() {
    let scenario = scenario(&linear_on_25_gbps(""));
    let job = &scenario.jobs()[0];
    let (rate, half) = (BitRate::from_gbps(25), BitRate::from_bps(12_500_000_000));
    assert_eq!(job.measured_at, Some(MeasuredAt { rate, by: RateSource::HostLink }));
    assert!((job.job.alone(rate).as_s_f64() - 40.0).abs() < 0.01);
    assert!((job.job.alone(half).as_s_f64() - 60.0).abs() < 0.01);
}

/// A job that computes for 20 s and sends for 20 s with links of 100 Gbps sends for 80 s with links
/// of 25 Gbps. Its model is that of 25 Gbps too: 100 s with all, 20 + 160 = 180 s with half.
#[test]
fn times_of_another_rate_are_converted() {
    let scenario = scenario(&linear_on_25_gbps("measured-at = \"100 Gbps\"\n"));
    let job = &scenario.jobs()[0];
    let (given, link) = (BitRate::from_gbps(100), BitRate::from_gbps(25));
    assert_eq!(job.measured_at, Some(MeasuredAt { rate: given, by: RateSource::Key }));
    assert!((job.job.alone(given).as_s_f64() - 40.0).abs() < 0.01);
    assert!((job.job.alone(link).as_s_f64() - 100.0).abs() < 0.01);
    let half = job.profile.samples.points().iter().find(|point| point.share.get() == 0.5).unwrap();
    assert!((half.slowdown - 1.8).abs() < 1e-3, "{half:?}");
    assert_eq!(job.profile.setting.nodes.unwrap().get(), 4);
}

/// 20 s + 20 s / share, on four hosts of 25 Gbps.
fn linear_on_25_gbps(keys: &str) -> String {
    format!(
        "[fabric]\nbuild = {{ single-switch = 4 }}\nlink = {{ rate = \"25 Gbps\" }}\n\
         [[job]]\nname = \"etl\"\ninstances = 4\n{keys}\
         times = {{ \"100%\" = \"40 s\", \"50%\" = \"60 s\", \"25%\" = \"100 s\" }}\n"
    )
}

/// Concave times are approximated as closely as possible, with a warning.
#[test]
fn unattainable_times_give_a_warning() {
    let Parsed { warnings, .. } = parsed(
        "[[job]]\nname = \"lr\"\n\
         times = { \"100%\" = \"136 s\", \"75%\" = \"172 s\", \"25%\" = \"447 s\", \"10%\" = \"612 s\" }\n",
    );
    let [warning] = &warnings[..] else { panic!("one warning") };
    assert_eq!(warning.line(), 4);
    assert!(warning.message().contains("off by up to"), "{}", warning.message());
}

#[test]
fn placements_differ_by_seed_and_respect_the_limit() {
    let text = |seed| {
        format!(
            "[[job]]\nworkload = \"WC\"\ncount = 16\ninstances = 16\n[placement]\njobs-per-host = 8\n\
             [run]\nseed = {seed}\n"
        )
    };
    let places = |seed| scenario(&text(seed)).jobs().iter().map(|job| job.hosts.clone()).collect();
    let first: Vec<Vec<u32>> = places(1);
    assert_eq!(first, places(1));
    assert_ne!(first, places(2));
    let mut jobs_at = [0; 32];
    first.iter().flatten().for_each(|&host| jobs_at[host as usize] += 1);
    assert_eq!(jobs_at, [8; 32]);
}
