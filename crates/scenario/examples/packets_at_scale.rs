//! Measures the speed of the packet level at the size of Saba's simulation (4.6.1): 1,944 servers, 20 synthetic
//! workloads of 97 instances, a server each.
//!
//! ```sh
//! cargo run --release -p bandwise-scenario --example packets_at_scale -- [SCALE] [POLICY] [MICROSECONDS]
//! ```
//!
//! Simulates so many microseconds, or to the end.

use bandwise_input::Source;
use bandwise_netsim::engine::Sequential;
use bandwise_scenario::jobs::{JobsScenario, Overrides, PacketSettings, SharingPolicy};
use bandwise_units::Time;
use std::fmt::Write;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1);
    let number = |arg: String| arg.parse::<u32>().expect("a number");
    let scale = NonZeroU32::new(args.next().map_or(10_000, number)).expect("a scale above 0");
    let policy = args.next().unwrap_or_else(|| "blocking".into());
    let policy: SharingPolicy = policy.parse().expect("a policy");
    let end = Time::from_us(args.next().map_or(u32::MAX, number).into());
    let mut text = String::from(
        "kind = \"jobs\"\n[fabric]\nbuild = { directors = { count = 3, ports = 36 } }\n\
         link = { rate = \"56 Gbps\", delay = \"10 ns\" }\n[placement]\njobs-per-host = 1\n",
    );
    for workload in 1..=20 {
        let _ = writeln!(text, "[[job]]\nworkload = \"W{workload}\"\ninstances = 97");
    }
    let source = Source::new("1,944 servers", &text);
    let scenario = JobsScenario::from_toml(&source, Overrides::default(), |_| {
        Err("no file is named".to_owned())
    });
    let scenario = scenario.expect("a scenario that can be run").scenario;
    let began = Instant::now();
    let mut first = None;
    let settings = PacketSettings { scale };
    let run = scenario.under_packets(policy, settings).expect("a policy of packets");
    let results = run.run(&Sequential, &mut |at| {
        first.get_or_insert_with(Instant::now);
        match at.simulated < end {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    });
    let set_up = first.map_or(0.0, |first| (first - began).as_secs_f64());
    let took = began.elapsed().as_secs_f64() - set_up;
    let hops = results.counters.packet_hops as f64 / 1e6;
    println!(
        "{}: {} simulated, {hops:.1} million packet-hops in {took:.1} s, {:.2} million/s; {set_up:.1} s \
         before, {} of {} jobs over",
        policy.as_str(),
        results.simulated,
        hops / took,
        results.results.took.iter().flatten().count(),
        scenario.jobs().len()
    );
}
