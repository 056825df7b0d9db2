//! A trace of the public one's shape under each policy, with average and 95th percentile coflow completion
//! time: `cargo run --release -p bandwise-flowsim --example coflows [TRACE|- [TOLERANCE
//! [POLICY]]]`.

use bandwise_flowsim::coflow::{PORT_RATE, Working, run};
use bandwise_flowsim::{Policy, policy};
use bandwise_input::Source;
use bandwise_workload::{CoflowMix, CoflowTrace, read};
use std::ops::ControlFlow;
use std::time::Instant;

fn measure<P: Policy>(name: &str, trace: &CoflowTrace, policy: P, working: Working) {
    let begin = Instant::now();
    let mut go_on = |_| ControlFlow::Continue(());
    let found = run(trace, PORT_RATE, policy, working, &mut go_on);
    let found = found.expect("ports have a rate").expect("nobody stops it");
    println!(
        "{name:9} {working:?}: average {:8.2} s, 95th percentile {:8.2} s; {} flows, {} events, {:.2} s of work",
        found.average().as_s_f64(),
        found.percentile(95).as_s_f64(),
        found.flows,
        found.events,
        begin.elapsed().as_secs_f64(),
    );
}

fn main() {
    let trace = match std::env::args().nth(1) {
        Some(file) if file != "-" => {
            let text = std::fs::read_to_string(&file).expect("a file");
            read::coflows(&Source::new(&file, &text)).unwrap_or_else(|error| panic!("{error}"))
        }
        _ => CoflowMix::like_public().trace(1),
    };
    println!("{} coflows, {} ports, {} flows", trace.coflows.len(), trace.ports, trace.flows());
    let only = std::env::args().nth(2);
    for tolerance in [10_000, 1_000, 100, 0] {
        if only.as_ref().is_some_and(|only| *only != tolerance.to_string()) {
            continue;
        }
        let is_asked = |name: &str| std::env::args().nth(3).is_none_or(|only| only == name);
        if is_asked("max-min") {
            measure("max-min", &trace, policy::MaxMin, Working::Changes(tolerance));
        }
    }
    let is_asked = |name: &str| std::env::args().nth(3).is_none_or(|only| only == name);
    if is_asked("SEBF") {
        measure("SEBF", &trace, policy::Sebf::default(), Working::Changes(0));
    }
    if is_asked("Sincronia") {
        measure("Sincronia", &trace, policy::Sincronia::default(), Working::Ranks);
    }
    if is_asked("smallest") {
        measure("smallest", &trace, policy::SmallestGroup::default(), Working::Ranks);
    }
}
