//! A trace of the public one's shape under each policy, with average and 95th percentile coflow completion
//! time: `cargo run --release -p bandwise-flowsim --example coflows [TRACE|- [SCHEDULER]]`.

use bandwise_flowsim::coflow::{CoflowTimes, Order, PORT_RATE, run, run_in_order};
use bandwise_flowsim::{NetworkError, policy};
use bandwise_input::Source;
use bandwise_stats::Percentile;
use bandwise_workload::{CoflowMix, read};
use std::ops::ControlFlow;
use std::time::Instant;

fn measure(name: &str, run: impl FnOnce(&mut dyn FnMut(u64) -> ControlFlow<()>) -> Run) {
    let begin = Instant::now();
    let found = run(&mut |_| ControlFlow::Continue(()));
    let found = found.expect("ports have a rate").expect("nobody stops it");
    println!(
        "{name:9}: average {:8.2} s, 95th percentile {:8.2} s; {} flows, {} events, {:.2} s of work",
        found.average().as_s_f64(),
        found.percentile(Percentile::P95).as_s_f64(),
        found.flows,
        found.events,
        begin.elapsed().as_secs_f64(),
    );
}

type Run = Result<Option<CoflowTimes>, NetworkError>;

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
    let is_asked = |name: &str| only.as_ref().is_none_or(|only| only == name);
    let orders = [Order::Fair, Order::SmallestFirst, Order::Sincronia];
    for (name, order) in ["fair", "smallest", "Sincronia"].into_iter().zip(orders) {
        if is_asked(name) {
            measure(name, |watch| run_in_order(&trace, PORT_RATE, order, watch));
        }
    }
    if is_asked("SEBF") {
        measure("SEBF", |watch| run(&trace, PORT_RATE, policy::Sebf::default(), watch));
    }
}
