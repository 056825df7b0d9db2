//! Shares of lanes at a saturated output, and of flows on a lane.

use crate::common::{Either, RATE, device, flood, models, simulation, sl};
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::{Models, Simulation};
use bandwise_rdma::qos::{Sl, Sl2Vl, VlArbTable};
use bandwise_rdma::wire::Mtu;
use bandwise_topology::builders::single_switch;
use bandwise_units::{BitRate, Bytes, Time};

const WARMUP: Time = Time::from_us(100);
const DURATION: Time = Time::from_ms(10);

fn table(high: &str, low: &str, high_limit: u8) -> VlArbTable {
    let read = |list: &str| list.split_whitespace().map(|e| e.parse().unwrap()).collect();
    VlArbTable { high: read(high), low: read(low), high_limit }
}

/// Returns the payload rates of flows from hosts 1, 2, … to host 0, each at its service level.
fn rates(models: &Models, levels: &[Sl], bytes: u32, window: u64) -> Vec<f64> {
    let hosts = levels.len() as u16 + 1;
    let fabric = single_switch(hosts, RATE, Time::from_ns(10)).unwrap();
    let mut sim = simulation(&fabric, models);
    for (from, &level) in (1..).zip(levels) {
        flood(&mut sim, (from, 0), level, bytes, window);
    }
    let completed = |sim: &Simulation<Either>| -> Vec<u64> {
        (1..usize::from(hosts)).map(|h| sim.program(h, 0).completed()).collect()
    };
    sim.run(WARMUP);
    let before = completed(&sim);
    sim.run(WARMUP + DURATION);
    let done = completed(&sim).into_iter().zip(before).map(|(after, before)| after - before);
    let payload = done.map(|n| Bytes::new(n * u64::from(bytes)));
    payload.map(|bytes| BitRate::over(bytes, DURATION).as_gbps_f64()).collect()
}

/// Returns the shares of lanes 0, 1, … (service level n on lane n) with packets of five 64-byte
/// blocks.
fn shares(vlarb: VlArbTable, lanes: u8) -> Vec<f64> {
    let mut models = models(device(), lanes);
    models.device.mtu = Mtu::try_from(256).unwrap();
    models.qos.vlarb = vlarb;
    models.qos.sl2vl = Sl2Vl::modulo(lanes);
    let levels: Vec<Sl> = (0..lanes).map(sl).collect();
    let rates = rates(&models, &levels, 8192, 32);
    let total: f64 = rates.iter().sum();
    // 256 of 288 bytes are payload (282 and delimiters, in whole blocks of 8).
    assert!((total / (56.0 * 256.0 / 288.0) - 1.0).abs() < 0.01, "the link is full: {total}");
    rates.iter().map(|rate| rate / total).collect()
}

/// Checks each share to within 2 %.
fn assert_shares(measured: &[f64], expected: &[f64]) {
    println!("shares {measured:.4?}, expected {expected:.4?}");
    for (share, expected) in measured.iter().zip(expected) {
        assert!((share / expected - 1.0).abs() < 0.02, "{measured:?} instead of {expected:?}");
    }
}

#[test]
fn lanes_share_by_weight() {
    assert_shares(&shares(table("", "0:100 1:100", 0), 2), &[0.5, 0.5]);
    assert_shares(&shares(table("", "0:60 1:240", 0), 2), &[0.2, 0.8]);
    assert_shares(&shares(table("", "0:40 1:80 2:120", 0), 3), &[1.0 / 6.0, 2.0 / 6.0, 0.5]);
    // A lane with several entries has their sum.
    assert_shares(&shares(table("", "0:50 1:50 0:100 2:50", 0), 3), &[0.6, 0.2, 0.2]);
    // The same holds within high priority, which without a limit takes the whole link.
    assert_shares(&shares(table("1:50 2:150", "0:1", 254), 3)[1..], &[0.25, 0.75]);
}

#[test]
fn high_priority_leaves_low_one_packet_for_each_limit() {
    // Packets have five blocks; the limit counts 64 blocks, and the packet that reaches it is still
    // sent.
    for (limit, high_packets) in [(0u8, 1.0), (1, 13.0), (4, 52.0)] {
        let low = 1.0 / (high_packets + 1.0);
        assert_shares(&shares(table("1:255", "0:255", limit), 2), &[low, 1.0 - low]);
    }
    let unbounded = shares(table("1:255", "0:255", 255), 2);
    println!("shares without a bound {unbounded:.4?}");
    assert!(unbounded[0] < 0.001, "255 is no limit: {unbounded:?}");
}

#[test]
fn a_single_flow_fills_the_link() {
    for (bytes, wire) in [(4096, 4144), (65_536, 4144 + 15 * 4128)] {
        // 4122 bytes a packet, 4138 the first, with a RETH; 2 delimiters, blocks of 8.
        let payload = f64::from(bytes) / f64::from(wire) * 56.0;
        let rate = rates(&models(device(), 1), &[sl(0)], bytes, 64)[0];
        println!("alone, {bytes} B: {rate:.3} of {payload:.3} Gbps");
        assert!((rate / payload - 1.0).abs() < 0.005, "{rate} of {payload} Gbps");
    }
}

#[test]
fn equal_flows_share_equally() {
    for scheduling in [Scheduling::RoundRobin, Scheduling::Fcfs, Scheduling::Age] {
        let mut models = models(device(), 1);
        models.switch.scheduling = scheduling;
        let rates = rates(&models, &[sl(0); 2], 4096, 32);
        println!("{scheduling:?}: {rates:.3?}");
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.01, "{scheduling:?}: {rates:?}");
    }
}
