//! Jobs at packet level.

use crate::{PATTERNS, go_on, scenario, try_read};
use bandwise_netsim::engine::{Executor, Sequential};
use bandwise_scenario::jobs::{
    JobsScenario, Overrides, PACKET_POLICIES, PacketError, PacketResults, PacketSettings,
    SharingPolicy,
};
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::Job;
use proptest::prelude::*;
use proptest::sample::select;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::ControlFlow;

fn scaled(scale: u32) -> PacketSettings {
    PacketSettings { scale: NonZeroU32::new(scale).unwrap() }
}

fn run(scenario: &JobsScenario, policy: SharingPolicy, scale: u32) -> PacketResults {
    scenario.under_packets(policy, scaled(scale)).unwrap().run(&Sequential, &mut go_on)
}

/// An executor with several workers that runs one part after the other.
struct Several(usize);

impl Executor for Several {
    fn workers(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.0).unwrap()
    }

    fn rounds<T: Send, R: Copy + Send>(
        &self,
        parts: &mut [T],
        plan: impl FnMut(&mut [&mut T]) -> Option<R> + Send,
        work: impl Fn(&mut T, R) + Sync,
    ) {
        Sequential.rounds(parts, plan, work);
    }
}

/// Patterns in which several send to one at the same time, so that a switch marks packets.
const INCASTS: [&str; 3] =
    ["\"tree-all-reduce\"", "{ partition-aggregate = 2 }", "{ parameter-server = 1 }"];

/// Returns the relative excess of a lone job's time over that at flow level, headers included. `overlap` is the
/// part of its data that is sent while it computes.
fn alone(pattern: &str, overlap: f64, policy: SharingPolicy) -> f64 {
    let scenario = scenario(&format!(
        "[[job]]\nname = \"j\"\ninstances = 7\nrounds = 2\n\
         stage = [{{ compute = \"2 ms\", pattern = {pattern}, bytes = \"20 MB\", overlap = {overlap} }}]\n"
    ));
    let flows = scenario.on_the_wire(policy).alone(&mut go_on)[0].unwrap().as_s_f64();
    let packets = run(&scenario, policy, 1);
    let beyond = packets.results.took[0].unwrap().as_s_f64() / flows - 1.0;
    println!("{pattern} {overlap} {}: {:.2}%", policy.as_str(), beyond * 100.0);
    beyond
}

#[test]
fn a_job_alone_takes_as_long_as_at_flow_level() {
    for (pattern, overlap) in PATTERNS.into_iter().flat_map(|p| [0.0, 0.5, 1.0].map(|o| (p, o))) {
        // One part's data goes up to a busy parent while the other's goes down behind it.
        if pattern == "\"tree-all-reduce\"" && overlap == 0.5 {
            continue;
        }
        for policy in PACKET_POLICIES.into_iter().filter(|&p| p != SharingPolicy::Homa) {
            if policy == SharingPolicy::FairFlows && INCASTS.contains(&pattern) {
                continue;
            }
            let beyond = alone(pattern, overlap, policy);
            assert!(beyond.abs() < 0.02, "{pattern} {overlap} {}: {beyond}", policy.as_str());
        }
    }
}

/// The grants, 86 bytes on the wire for each packet of 4178, take 2.1% of the links of hosts that send and
/// receive. If both parts of a stage are sent at the same time, the shorter messages go first, which may speed
/// up or slow down a job.
#[test]
fn a_job_alone_with_homa_pays_for_its_grants() {
    for (pattern, overlap) in PATTERNS.into_iter().flat_map(|p| [0.0, 0.5, 1.0].map(|o| (p, o))) {
        let beyond = alone(pattern, overlap, SharingPolicy::Homa);
        let has_order = overlap == 0.5
            && ["\"tree-all-reduce\"", "{ parameter-server = 1 }"].contains(&pattern);
        let expected = if has_order { -0.2..0.15 } else { -0.001..0.022 };
        assert!(expected.contains(&beyond), "{pattern} {overlap}: {beyond}");
    }
}

/// Messages to a host are granted shortest first, across jobs. The job with a tenth of the data takes no longer
/// than alone, and the other no longer than both.
#[test]
fn homa_serves_the_shorter_of_two_jobs_first() {
    let scenario = scenario(
        "[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"56 Gbps\", delay = \"10 ns\" }\n\
         [[job]]\nname = \"long\"\nhosts = [\"h0\", \"h2\"]\n\
         stage = [{ pattern = \"chain\", bytes = \"70 MB\" }]\n\
         [[job]]\nname = \"short\"\nhosts = [\"h1\", \"h2\"]\nstart = \"2 ms\"\n\
         stage = [{ pattern = \"chain\", bytes = \"7 MB\" }]\n",
    );
    let alone = scenario.on_the_wire(SharingPolicy::Homa).alone(&mut go_on);
    let [long, short] = [0, 1].map(|job: usize| alone[job].unwrap().as_s_f64());
    let results = run(&scenario, SharingPolicy::Homa, 1);
    let took = [0, 1].map(|job: usize| results.results.took[job].unwrap().as_s_f64());
    assert!((took[1] / short - 1.0).abs() < 0.01, "{} for {short}", took[1]);
    assert!((took[0] / (long + short) - 1.0).abs() < 0.01, "{} for {long} and {short}", took[0]);
}

/// The flows up and down a tree block each other. No other flows of a lone job do.
#[test]
fn tree_flows_of_one_job_block_each_other() {
    let beyond = alone("\"tree-all-reduce\"", 0.5, SharingPolicy::Blocking);
    assert!((0.02..0.08).contains(&beyond), "{beyond}");
}

/// Sources react to congestion by more than necessary, since injection delays are whole packet times.
/// A job alone pays for that.
#[test]
fn congestion_control_costs_throughput_with_an_incast() {
    for pattern in INCASTS {
        let [with, without] = [SharingPolicy::FairFlows, SharingPolicy::Blocking]
            .map(|policy| alone(pattern, 0.0, policy));
        assert!((0.02..0.2).contains(&(with - without)), "{pattern}: {with}, {without}");
    }
}

/// A thousandth of what they are: with LR, which exchanges data most often, latencies are 0.3%.
#[test]
fn workloads_alone_take_as_long_as_at_flow_level() {
    for name in bandwise_workload::job::WORKLOADS {
        let scenario = scenario(&format!("[[job]]\nworkload = \"{name}\"\n"));
        let flows =
            scenario.on_the_wire(SharingPolicy::FairFlows).alone(&mut go_on)[0].unwrap().as_s_f64();
        let packets = run(&scenario, SharingPolicy::FairFlows, 1000);
        let off = packets.results.took[0].unwrap().as_s_f64() / flows - 1.0;
        println!("{name}: {:.2}%", off * 100.0);
        assert!(off.abs() < 0.02, "{name}: {off}");
    }
}

/// Two jobs that only send, over one link: `a` has done when `b` has sent what its lane's weight leaves it.
#[test]
fn two_jobs_share_a_link_by_the_weights_of_their_lanes() {
    for weight in [1.0, 0.5, 0.25] {
        let scenario = scenario(&format!(
            "[fabric]\nbuild = {{ single-switch = 3 }}\nlink = {{ rate = \"56 Gbps\", delay = \"10 ns\" }}\n\
             [[job]]\nname = \"a\"\nhosts = [\"h0\", \"h2\"]\nweight = 1.0\n\
             stage = [{{ pattern = \"chain\", bytes = \"7 MB\" }}]\n\
             [[job]]\nname = \"b\"\nhosts = [\"h1\", \"h2\"]\nweight = {weight}\n\
             stage = [{{ pattern = \"chain\", bytes = \"7 MB\" }}]\n"
        ));
        let alone =
            scenario.on_the_wire(SharingPolicy::FairFlows).alone(&mut go_on)[0].unwrap().as_s_f64();
        let results = run(&scenario, SharingPolicy::GivenWeights, 1).results;
        let [a, b] = [0, 1].map(|job| results.took[job].unwrap().as_s_f64() / alone);
        let share = 1.0 / (1.0 + weight);
        println!("weight {weight}: {a} beside {}, {b}", 1.0 / share);
        assert!((a * share - 1.0).abs() < 0.01, "{a}, not {}", 1.0 / share);
        // The link is never idle.
        assert!((a.max(b) - 2.0).abs() < 0.01, "{b}");
    }
}

/// Four workers send to one host, one of them over the cable over which the victim sends to another host.
/// At flow level the victim has three quarters of that cable.
fn victim() -> JobsScenario {
    scenario(
        "[fabric]\nbuild = { leaf-spine = { leaves = 2, spines = 1, hosts = 5 } }\n\
         link = { rate = \"56 Gbps\", delay = \"10 ns\" }\n\
         [[job]]\nname = \"incast\"\nhosts = [\"h5\", \"h0\", \"h6\", \"h7\", \"h8\"]\n\
         stage = [{ pattern = { partition-aggregate = 1 }, bytes = \"70 MB\" }]\n\
         [[job]]\nname = \"victim\"\nhosts = [\"h1\", \"h9\"]\nstart = \"1 ms\"\n\
         stage = [{ pattern = \"chain\", bytes = \"70 MB\" }]\n",
    )
}

#[test]
fn head_of_line_blocking_slows_the_victim() {
    let scenario = victim();
    let alone =
        scenario.on_the_wire(SharingPolicy::FairFlows).alone(&mut go_on)[1].unwrap().as_s_f64();
    let slowdown = |policy| run(&scenario, policy, 1).results.took[1].unwrap().as_s_f64() / alone;
    let [blocked, controlled, apart] =
        [SharingPolicy::Blocking, SharingPolicy::FairFlows, SharingPolicy::FairJobs].map(slowdown);
    println!(
        "blocked {blocked}, with congestion control {controlled}, on a lane of its own {apart}"
    );
    let at_flow_level = scenario
        .on_the_wire(SharingPolicy::FairFlows)
        .under(SharingPolicy::FairFlows)
        .unwrap()
        .run(&mut go_on)
        .took[1];
    let rates = at_flow_level.unwrap().as_s_f64() / alone;
    assert!((rates - 4.0 / 3.0).abs() < 0.01, "{rates}");
    // The victim gets as little of the cable as the flow that waits for the busy host.
    assert!(blocked > 2.0, "{blocked}");
    // The source of the waiting packets is slowed down. So is the victim: the cable is full too, and more
    // of its packets are marked, as it sends more.
    assert!(controlled > rates && controlled < 0.9 * blocked, "{controlled}");
    // Half of the cable belongs to the victim. Oldest first gives the incast's far sender more of the busy
    // host than max-min does, so the victim gets less than at flow level.
    assert!(apart > rates && apart < 2.02, "{apart}");
}

fn transfers(job: &Job) -> Vec<u64> {
    let mut sizes = Vec::new();
    for stage in &job.stages {
        for (phase, bytes) in (0..stage.pattern.phases())
            .flat_map(|phase| [(phase, stage.overlapped), (phase, stage.exposed)])
        {
            stage.pattern.transfers(phase, job.instances, bytes, |t| sizes.push(t.bytes.get()));
        }
    }
    sizes.repeat(job.rounds as usize)
}

/// A job of some hosts of 6.
fn job() -> impl Strategy<Value = String> {
    let hosts = Just((0..6).collect::<Vec<u32>>()).prop_shuffle();
    let stage = (0u32..30, select(PATTERNS.to_vec()), 1u32..300_000, 0u32..3);
    let stages = prop::collection::vec(stage, 1..3);
    (hosts, 2usize..=6, stages, 1u32..3, 0u32..50, 1u32..10).prop_map(
        |(hosts, instances, stages, rounds, start, weight)| {
            let hosts: Vec<String> = hosts[..instances].iter().map(|h| format!("\"h{h}\"")).collect();
            let stages: Vec<String> = stages
                .into_iter()
                .map(|(compute, pattern, bytes, overlap)| {
                    // So many neighbours, aggregators, servers as there may be among two.
                    let pattern = pattern.replace(['2', '3'], "1");
                    let overlap = f64::from(overlap) / 2.0;
                    format!(
                        "{{ compute = \"{compute} us\", pattern = {pattern}, bytes = \"{bytes} B\", overlap = {overlap} }}"
                    )
                })
                .collect();
            format!(
                "hosts = [{}]\nrounds = {rounds}\nstart = \"{start} us\"\nweight = {weight}\nstage = [{}]\n",
                hosts.join(", "),
                stages.join(", ")
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// For any jobs all data arrives in full packets, with one acknowledgement a transfer. No job is faster than
    /// its links allow, and the number of shards does not change results.
    #[test]
    fn all_data_of_jobs_arrives(
        jobs in prop::collection::vec(job(), 1..4),
        fabric in select(vec!["{ single-switch = 6 }", "{ leaf-spine = { leaves = 2, spines = 2, hosts = 3 } }"]),
        queues in 1u8..=4,
        hands in 2usize..4,
    ) {
        let jobs: Vec<String> = jobs
            .iter()
            .enumerate()
            .map(|(i, job)| format!("[[job]]\nname = \"j{i}\"\n{job}"))
            .collect();
        let scenario = scenario(&format!(
            "[fabric]\nbuild = {fabric}\nlink = {{ rate = \"56 Gbps\", delay = \"10 ns\" }}\n\
             [queues]\nqueues = {queues}\n{}",
            jobs.join("")
        ));
        let sizes: Vec<u64> = scenario.jobs().iter().flat_map(|job| transfers(&job.job)).collect();
        let packets: u64 = sizes.iter().map(|bytes| bytes.div_ceil(4096) + 1).sum();
        for policy in PACKET_POLICIES {
            let results = run(&scenario, policy, 1);
            prop_assert!(results.results.is_whole());
            prop_assert_eq!(&results.deadlock, &None);
            prop_assert_eq!(results.results.flows, sizes.len() as u64);
            // The last acknowledgements may still be on their way, but all are sent before.
            let delivered = results.counters.packets_delivered;
            match policy {
                // Marks go back in acknowledgements of their own.
                SharingPolicy::FairFlows => prop_assert!(delivered >= packets),
                // Grants besides; a message has arrived before its sender knows.
                SharingPolicy::Homa => prop_assert!(delivered + sizes.len() as u64 >= packets),
                _ => prop_assert_eq!(delivered, packets),
            }
            prop_assert_eq!(results.counters.packets_dropped, 0);
            let rate = bandwise_workload::job::REFERENCE_RATE;
            for (job, took) in scenario.jobs().iter().zip(&results.results.took) {
                let least = busiest(&job.job, rate);
                prop_assert!(took.unwrap() >= least, "{} {took:?} {least}", policy.as_str());
            }
            let parted = scenario.under_packets(policy, scaled(1)).unwrap();
            let parted = parted.run(&Several(hands), &mut go_on);
            prop_assert_eq!(&parted.results, &results.results);
            prop_assert_eq!(parted.simulated, results.simulated);
        }
    }
}

/// Returns a lower bound of a job's time: computing, and the payload on the busiest link of an instance.
fn busiest(job: &Job, rate: bandwise_units::BitRate) -> Time {
    let mut time = Time::ZERO;
    for stage in &job.stages {
        let mut busy = vec![(0, 0); job.instances as usize];
        for (phase, bytes) in (0..stage.pattern.phases())
            .flat_map(|phase| [(phase, stage.overlapped), (phase, stage.exposed)])
        {
            stage.pattern.transfers(phase, job.instances, bytes, |t| {
                busy[t.from as usize].0 += t.bytes.get();
                busy[t.to as usize].1 += t.bytes.get();
            });
        }
        let most = busy.into_iter().map(|(out, into)| out.max(into)).max().unwrap_or(0);
        time += stage.compute.max(rate.time_for(Bytes::new(most)));
    }
    time * u64::from(job.rounds)
}

#[test]
fn a_stopped_run_keeps_jobs_that_are_over() {
    let scenario = scenario(
        "[[job]]\nname = \"short\"\nstage = [{ compute = \"1 ms\" }]\n\
         [[job]]\nname = \"long\"\nstage = [{ pattern = \"shuffle\", bytes = \"70 MB\" }]\n",
    );
    let mut asked = 0;
    let run = scenario.under_packets(SharingPolicy::FairFlows, scaled(1)).unwrap();
    let results = run.run(&Sequential, &mut |at| {
        asked += 1;
        match at.simulated <= Time::from_ms(1) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    assert_eq!(results.results.took, [Some(Time::from_ms(1)), None]);
    assert!(asked > 1 && results.simulated < Time::from_us(1_100), "{}", results.simulated);
    assert_eq!(results.deadlock, None);
}

/// Times are those of the scenario, for any scale.
#[test]
fn times_do_not_depend_on_the_scale() {
    let scenario = scenario(
        "[[job]]\nname = \"j\"\nstart = \"3 s\"\n\
         stage = [{ compute = \"2 s\", pattern = \"chain\", bytes = \"7 GB\" }]\n",
    );
    for scale in [500, 1_000] {
        let results = run(&scenario, SharingPolicy::FairFlows, scale);
        let took = results.results.took[0].unwrap().as_s_f64();
        // 1 s of payload is 1.0078 s on the wire.
        assert!((took - 3.0078).abs() < 0.01, "{took}");
        let simulated = results.simulated.as_s_f64() * f64::from(scale);
        assert!((simulated - 6.0078).abs() < 0.01, "{simulated}");
    }
}

#[test]
fn settings_without_a_packet_model_are_refused() {
    let refused = |text: &str, policy| {
        let scenario = try_read(text, Overrides::default()).unwrap().scenario;
        let error = scenario.under_packets(policy, scaled(1)).unwrap_err();
        (error.to_string(), error)
    };
    let one = "[[job]]\nworkload = \"TS\"\n";
    let (text, _) = refused(one, SharingPolicy::Sebf);
    insta::assert_snapshot!(text, @"sebf does not exist at packet level: hosts and switches of InfiniBand can't do it");
    let (text, error) =
        refused("[[job]]\nworkload = \"TS\"\ncount = 16\n", SharingPolicy::FairJobs);
    insta::assert_snapshot!(text, @"16 jobs: fair-jobs has a lane for each, and a link has 15 for data");
    assert_eq!(error, PacketError::Jobs { policy: SharingPolicy::FairJobs, jobs: 16 });
    let (text, _) = refused(&format!("[queues]\nqueues = 16\n{one}"), SharingPolicy::Saba);
    insta::assert_snapshot!(text, @"16 queues a port: a link has 15 lanes for data");
    for policy in [SharingPolicy::FairFlows, SharingPolicy::Homa] {
        let (text, _) = refused(&format!("[queues]\npart = 0.5\n{one}"), policy);
        assert_eq!(text, "part = 0.5: lanes share all of a link");
    }
    // Nine switches in a row, a host at each end.
    let mut row = "[fabric]\nlink = { rate = \"10 Gbps\" }\n".to_owned();
    for n in 0..9 {
        row += &format!("[[fabric.switch]]\nname = \"s{n}\"\nports = 3\n");
    }
    for n in 1..9 {
        row += &format!("[[fabric.cable]]\nfrom = \"s{}:2\"\nto = \"s{n}:1\"\n", n - 1);
    }
    row += "[[fabric.host]]\nname = \"a\"\nport = \"s0:3\"\n";
    row += "[[fabric.host]]\nname = \"b\"\nport = \"s8:3\"\n";
    let job = "[[job]]\nname = \"j\"\nstage = [{ pattern = \"chain\", bytes = \"1 MB\" }]\n";
    let (text, _) = refused(&format!("{row}{job}"), SharingPolicy::Homa);
    insta::assert_snapshot!(text, @"a path over 9 switches: packets of homa have room for 8");
}
