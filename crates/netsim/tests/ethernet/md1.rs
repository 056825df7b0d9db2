//! Single packets at random times to one host are an M/D/1 queue.

use super::*;

#[path = "../oracles/md1.rs"]
mod oracle;

/// Many sources, so that a packet rarely waits for another of the same source.
const SENDERS: u32 = 20;
const BYTES: u64 = 1000;
/// Size of a packet with headers and gap on the shared link; senders have ten times its rate.
const SERVICE: Time = RATE.time_for(Bytes::new(BYTES + 82));

fn fabric() -> Fabric {
    let mut fabric = FabricBuilder::new();
    let switch = fabric.add_switch("s", SENDERS as u16 + 1).unwrap();
    for number in 1..=SENDERS as u16 + 1 {
        let host = Port { node: fabric.add_host(format!("h{number}"), 1).unwrap(), number: 1 };
        let rate = if number == 1 { RATE } else { BitRate::from_gbps(400) };
        fabric.connect(host, Port { node: switch, number }, rate, DELAY).unwrap();
    }
    fabric.build().unwrap()
}

fn check(load: f64, packets: usize) {
    let mean = Time::from_ps((SERVICE.as_ps() as f64 / load) as u64);
    let arrivals: Vec<Time> = oracle::poisson(0, mean).take(packets).collect();
    let mut senders = Stream::new(1, "senders", 0);
    let mut sender = || 1 + senders.below(SENDERS.into()) as u32;
    let flows: Vec<FlowSpec> =
        (0..).zip(&arrivals).map(|(n, &at)| flow(n, at, sender(), 0, BYTES)).collect();
    let mut model = model(irn(), false);
    model.switch.buffering = per_input(2_000_000, None);
    let mut network = Network::new(&fabric(), &model, 1);
    let finished = run(&mut network, &flows);
    assert_eq!(network.counters().packets_dropped, 0);
    let waited =
        |f: &FinishedFlow| (f.completion_time() - network.alone(1, 0, BYTES)).as_ps() as f64;
    let simulated = finished.iter().map(waited).sum::<f64>() / packets as f64;
    oracle::check(simulated, &arrivals, SERVICE, load);
}

#[test]
fn waits_at_low_load() {
    check(0.3, 200_000);
}

#[test]
fn waits_at_medium_load() {
    check(0.7, 400_000);
}
