//! Equal senders that fill a shared buffer without flow control.

use super::{flow, irn, partitioned, run};
use bandwise_netsim::ethernet::{Buffering, FlowSpec, Network, NetworkModel, SharedBuffer};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::{Fabric, builders};
use bandwise_units::{BitRate, Bytes, Time};

const SEEDS: u64 = 8;

/// A buffer of which a single queue has half, 94 packets.
fn model(transport: TransportSettings) -> NetworkModel {
    let mut model = super::model(transport, false);
    let (buffer, reserve) = (Bytes::new(200_000), Bytes::ZERO);
    let shared = SharedBuffer { buffer, alpha: 1.0, reserve, pfc: None };
    model.switch.buffering = Buffering::Shared(shared);
    model
}

fn fabric(senders: u32) -> Fabric {
    let hosts = senders as u16 + 1;
    builders::single_switch(hosts, BitRate::from_gbps(100), Time::from_ns(100)).unwrap()
}

/// Flows of `bytes` to the last host, each `offset` later than the one before.
fn flows(senders: u32, offset: Time, bytes: u64) -> Vec<FlowSpec> {
    (0..senders).map(|n| flow(n, offset * u64::from(n), n, senders, bytes)).collect()
}

/// Returns the least and the greatest of the senders' mean completion times over seeds in us, and of
/// their mean numbers of dropped packets.
fn extremes(transport: TransportSettings, flows: &[FlowSpec]) -> [(f64, f64); 2] {
    let mut sums = [vec![0.0; flows.len()], vec![0.0; flows.len()]];
    for seed in 1..=SEEDS {
        let mut network = Network::new(&fabric(flows.len() as u32), &model(transport), seed);
        let finished = run(&mut network, flows);
        let times = finished.iter().map(|f| f.completion_time().as_ns_f64() / 1e3);
        let drops = network.ports().map(|(_, port)| port.dropped as f64);
        sums[0].iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
        sums[1].iter_mut().zip(drops).for_each(|(sum, dropped)| *sum += dropped);
    }
    sums.map(|sums| {
        let means = || sums.iter().map(|sum| sum / SEEDS as f64);
        (means().fold(f64::MAX, f64::min), means().fold(0.0, f64::max))
    })
}

/// With drops split by order of arrival, of two senders one has a slowdown of 1 and loses nothing,
/// and the other one has 2 and all losses.
#[test]
fn equal_senders_end_together_and_lose_equally() {
    let irn = TransportSettings { window: None, ..irn() };
    let transports = [("IRN", irn, 4_000_000), ("RoCE", TransportSettings::roce(), 3_000_000)];
    for (name, transport, bytes) in transports {
        for senders in [2, 8] {
            for offset in [0, 13, 40, 5_000].map(Time::from_ns) {
                let [times, drops] = extremes(transport, &flows(senders, offset, bytes));
                let case = format!("{name}, {senders} senders, {offset}: {times:.0?} {drops:.0?}");
                assert!(times.1 <= 1.05 * times.0, "{case}");
                assert!(drops.1 <= 1.1 * drops.0, "{case}");
                // A packet of 1,082 B takes 1,082 x 8 / 100 Gbps = 86.56 ns.
                let packets = f64::from(senders) * bytes as f64 / 1e3;
                assert!(times.0 >= 0.95 * packets * 0.08656, "{case}");
            }
        }
    }
}

/// A contest is one of its switch alone.
#[test]
fn contests_depend_on_the_seed_and_not_on_partitions() {
    let flows = flows(8, Time::from_ns(13), 500_000);
    let irn = TransportSettings { window: None, ..irn() };
    let run_with = |seed, shards| {
        let least = Time::from_ns(50);
        let mut network = partitioned(&fabric(8), &model(irn), seed, shards, least);
        let finished = run(&mut network, &flows);
        (finished, network.ports().collect::<Vec<_>>())
    };
    assert_eq!(run_with(1, 1), run_with(1, 4));
    assert_ne!(run_with(1, 1), run_with(2, 1));
}
