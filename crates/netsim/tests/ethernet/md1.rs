//! Single packets at random times to one host are an M/D/1 queue.

use super::*;

/// Many, so that what one of them sends hardly waits for itself.
const SENDERS: u32 = 20;
const BYTES: u64 = 1000;
/// A packet with its headers and its gap on the link that all share; senders have ten times its rate.
const SERVICE: Time = RATE.time_for(Bytes::new(BYTES + 82));

fn fabric() -> Fabric {
    let mut fabric = FabricBuilder::new();
    let switch = fabric.add_switch("s", SENDERS as u8 + 1).unwrap();
    for number in 1..=SENDERS as u8 + 1 {
        let host = Port { node: fabric.add_host(format!("h{number}"), 1).unwrap(), number: 1 };
        let rate = if number == 1 { RATE } else { BitRate::from_gbps(400) };
        fabric.connect(host, Port { node: switch, number }, rate, DELAY).unwrap();
    }
    fabric.build().unwrap()
}

/// Poisson arrivals to host 0.
fn flows(load: f64, packets: u32) -> Vec<Opened> {
    let mut stream = Stream::new(1, "arrivals", 0);
    let mean = SERVICE.as_ps() as f64 / load;
    let mut at = 0.0;
    let mut arrival = |number| {
        let uniform = (stream.below(1 << 53) + 1) as f64 / (1u64 << 53) as f64;
        at -= uniform.ln() * mean;
        let src = 1 + stream.below(SENDERS.into()) as u32;
        flow(number, Time::from_ps(at as u64), src, 0, BYTES)
    };
    (0..packets).map(&mut arrival).collect()
}

fn check(load: f64, packets: u32) {
    let flows = flows(load, packets);
    let mut model = model(irn(), false);
    model.switch.buffering = per_input(2_000_000, None);
    let mut network = Network::new(&fabric(), &model, 1);
    let finished = run(&mut network, &flows);
    assert_eq!(network.counters().packets_dropped, 0);
    let waited = |f: &Finished| (f.completion_time() - network.alone(1, 0, BYTES)).as_ps() as f64;
    let simulated = finished.iter().map(waited).sum::<f64>() / f64::from(packets);

    // Lindley's recursion for the very same arrivals.
    let (mut wait, mut sum) = (Time::ZERO, 0.0);
    for pair in flows.windows(2) {
        wait = (wait + SERVICE).saturating_sub(pair[1].start - pair[0].start);
        sum += wait.as_ps() as f64;
    }
    let lindley = sum / f64::from(packets);
    // Pollaczek-Khinchine for service without variance.
    let formula = SERVICE.as_ps() as f64 * load / (2.0 * (1.0 - load));
    assert!((simulated / lindley - 1.0).abs() < 0.01, "{simulated} instead of {lindley}");
    assert!((simulated / formula - 1.0).abs() < 0.03, "{simulated} instead of {formula}");
}

#[test]
fn waiting_at_a_quiet_output() {
    check(0.3, 200_000);
}

#[test]
fn waiting_at_a_busy_output() {
    check(0.7, 400_000);
}
