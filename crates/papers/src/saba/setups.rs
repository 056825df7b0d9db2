//! Scenarios, as documents that `bandwise saba plan` accepts.

use bandwise_input::{InputError, Source};
use bandwise_random::Stream;
use bandwise_scenario::jobs::{JobsScenario, Overrides};
use bandwise_workload::job::WORKLOADS;
use std::fmt::Write;

/// Number of jobs of a cluster setup.
const JOBS: u64 = 16;

/// Returns a cluster setup on 32 servers. "16 jobs are randomly selected by drawing, with
/// replacement, from the set of workloads … The dataset size of each job is randomly selected from
/// 0.1x, 1x, and 10x … The number of instances of a job is also randomly selected from 0.5x to 4x
/// of the number of nodes used by the profiler (8 nodes)" (Saba 4.6.2). Here the number of
/// instances is uniformly distributed over the whole numbers from 4 to 32.
pub(super) fn setup(seed: u64) -> Result<JobsScenario, InputError> {
    let mut stream = Stream::new(seed, "cluster setup", 0);
    let mut pick = |n: u64| stream.below(n) as usize;
    let mut text = switch(32);
    for job in 1..=JOBS {
        let workload = WORKLOADS[pick(10)];
        let data = [0.1, 1.0, 10.0][pick(3)];
        let instances = 4 + pick(29);
        let _ = writeln!(
            text,
            "[[job]]\nname = \"{workload}-{job}\"\nworkload = \"{workload}\"\ndata = {data:?}\n\
             instances = {instances}"
        );
    }
    read(&text, Overrides { seed: Some(seed), ..Overrides::default() })
}

/// Returns the ten workloads, with an instance of each on every node (Saba 4.6.3).
pub(super) fn all_on(nodes: u32, data: f64, degree: u8, queues: u8) -> JobsScenario {
    let mut text = switch(nodes);
    let _ = writeln!(text, "[model]\nkind = \"polynomial\"\ndegree = {degree}");
    for workload in WORKLOADS {
        let _ = writeln!(
            text,
            "[[job]]\nworkload = \"{workload}\"\ndata = {data:?}\ninstances = {nodes}"
        );
    }
    let overrides = Overrides { queues: Some(queues), ..Overrides::default() };
    read(&text, overrides).expect("workloads of the table, on as many nodes as there are")
}

/// Returns synthetic workloads on 1,944 servers, one per server: "54 spine, 102 leaf, and 108
/// top-of-rack switches" with 18 servers each (Saba 4.6.1). The fabric consists of three directors
/// of 36 leaf and 18 spine switches, because not all cables have a port with 102 leaf switches.
/// Each workload has 97 instances. Rates are calculated every 5 ms if no flow starts; against 1 ms,
/// this changes times of `fair-flows` by a tenth of a percent or less, and by two tenths at most.
pub(super) fn large(workloads: u32, queues: u8) -> JobsScenario {
    let mut text = "kind = \"jobs\"\n[fabric]\nbuild = { directors = { count = 3, ports = 36 } }\n\
                    link = { rate = \"56 Gbps\", delay = \"10 ns\" }\n\
                    [placement]\njobs-per-host = 1\n[run]\ngrain = \"5 ms\"\n"
        .to_owned();
    let _ = writeln!(text, "[synthetic]\ncount = {workloads}");
    for workload in 1..=workloads {
        let _ = writeln!(text, "[[job]]\nworkload = \"W{workload}\"\ninstances = 97");
    }
    let overrides = Overrides { queues: Some(queues), ..Overrides::default() };
    read(&text, overrides).expect("as many instances as there are servers")
}

/// Returns LR and TS, an instance of each on 8 nodes, with these weights (Saba 3.3).
pub(super) fn two([lr, ts]: [u32; 2]) -> JobsScenario {
    let mut text = switch(8);
    for (workload, weight) in [("LR", lr), ("TS", ts)] {
        let _ = writeln!(text, "[[job]]\nworkload = \"{workload}\"\nweight = {weight}");
    }
    read(&text, Overrides::default()).expect("two workloads of the table")
}

/// Returns the fabric of Saba 3.1 and 4.6.1: nodes with 56 Gbps each at one switch.
fn switch(nodes: u32) -> String {
    format!(
        "kind = \"jobs\"\n[fabric]\nbuild = {{ single-switch = {nodes} }}\n\
         link = {{ rate = \"56 Gbps\", delay = \"10 ns\" }}\n"
    )
}

fn read(text: &str, overrides: Overrides) -> Result<JobsScenario, InputError> {
    JobsScenario::from_toml(&Source::new("setup", text), overrides, |_| {
        Err("no file is named".to_owned())
    })
    .map(|parsed| parsed.scenario)
}
