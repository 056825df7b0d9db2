//! Packets with a random path each.

use super::{RATE, fat_tree, flow, irn, model, partitioned, per_input, random_flows, run};
use bandwise_netsim::ethernet::{Network, Routing};
use bandwise_rdma::transport::{Recovery, Timeout, TransportSettings};
use bandwise_topology::{Port, builders};
use bandwise_units::Time;
use proptest::prelude::*;

/// Flows from all hosts of a pod to those of another. Returns the duration, retransmissions, and
/// packets by core switch.
fn pod_to_pod(transport: TransportSettings, routing: Routing) -> (Time, u64, Vec<u64>) {
    let mut model = model(transport, true);
    model.routing = routing;
    let mut network = Network::new(&fat_tree(), &model, 1);
    let flows: Vec<_> = (0..9).map(|i| flow(i, Time::ZERO, i, 45 + i, 1_000_000)).collect();
    let last = run(&mut network, &flows).iter().map(|f| f.at).max().unwrap();
    // Packets at each of the nine core switches.
    let fabric = fat_tree();
    let of_core = |(port, _): &(Port, _)| fabric.node(port.node).name.starts_with("core");
    let cores: Vec<u64> = network.ports().filter(of_core).map(|(_, port)| port.sent).collect();
    let cores = cores.chunks(6).map(|ports| ports.iter().sum()).collect();
    (last, network.counters().packets_retransmitted, cores)
}

#[test]
fn spraying_uses_all_paths_and_only_go_back_n_suffers() {
    let with_acks = TransportSettings {
        timeout: Timeout::Fixed(Time::from_ms(1)),
        ..TransportSettings::roce()
    };
    let (by_flow, again, _) = pod_to_pod(irn(), Routing::Ecmp);
    assert_eq!(again, 0);
    let (by_packet, irn_again, cores) = pod_to_pod(irn(), Routing::Spray);
    let (least, most) = (*cores.iter().min().unwrap(), *cores.iter().max().unwrap());
    assert!(most as f64 / (least as f64) < 1.2, "{cores:?}");
    assert!(by_packet < by_flow, "{by_packet} {by_flow}: spraying balances links");
    let (go_back_n, roce_again, _) = pod_to_pod(with_acks, Routing::Spray);
    assert!(go_back_n > by_packet * 2, "{go_back_n} {by_packet}");
    assert!(roce_again > 10 * irn_again.max(1), "{roce_again} {irn_again}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every flow arrives, also with additional losses, and the partitions have no effect.
    #[test]
    fn every_flow_arrives_out_of_order(
        seed in any::<u64>(), buffer in 5_000u64..60_000, apart in 1u64..4,
        recovery in prop::sample::select(vec![
            Recovery::Selective { partial_acks: false }, Recovery::SelectiveWithoutSack,
        ]),
    ) {
        let fabric = builders::leaf_spine(3, 4, 4, RATE, Time::from_ns(500)).unwrap();
        let mut model = model(TransportSettings { recovery, ..irn() }, false);
        model.routing = Routing::Spray;
        model.switch.buffering = per_input(buffer, None);
        let flows = random_flows(seed, 60, 12);
        let mut network = Network::new(&fabric, &model, seed);
        let finished = run(&mut network, &flows);
        prop_assert_eq!(finished.len(), flows.len());
        let apart = Time::from_ns(200 * apart);
        let mut partitioned = partitioned(&fabric, &model, seed, 2, apart);
        prop_assert_eq!(run(&mut partitioned, &flows), finished);
    }
}
