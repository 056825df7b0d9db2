//! A trace of the public one's shape under each policy, with average and 95th percentile coflow completion
//! time: `cargo run --release -p bandwise-flowsim --example coflows [TRACE]`.

use bandwise_flowsim::coflow::{PORT_RATE, run};
use bandwise_flowsim::{Policy, policy};
use bandwise_input::Source;
use bandwise_units::Time;
use bandwise_workload::{CoflowMix, CoflowTrace, read};
use std::time::Instant;

fn measure<P: Policy>(name: &str, trace: &CoflowTrace, policy: P) {
    let begin = Instant::now();
    let found = run(trace, PORT_RATE, policy, Time::ZERO).expect("ports have a rate");
    println!(
        "{name:12} average {:8.2} s, 95th percentile {:8.2} s; {} flows, {} events, {:.2} s of work",
        found.average().as_s_f64(),
        found.percentile(95).as_s_f64(),
        found.flows,
        found.events,
        begin.elapsed().as_secs_f64(),
    );
}

fn main() {
    let trace = match std::env::args().nth(1) {
        Some(file) => {
            let text = std::fs::read_to_string(&file).expect("a file");
            read::coflows(&Source::new(&file, &text)).unwrap_or_else(|error| panic!("{error}"))
        }
        None => CoflowMix::like_public().trace(1),
    };
    println!("{} coflows, {} ports, {} flows", trace.coflows.len(), trace.ports, trace.flows());
    measure("max-min", &trace, policy::MaxMin);
    measure("SEBF", &trace, policy::Sebf::default());
    measure("Sincronia", &trace, policy::Sincronia::default());
    measure("smallest", &trace, policy::SmallestGroup::default());
}
