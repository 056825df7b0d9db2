//! Flows that poll instead of sending round-robin.

use super::{fat_tree, flow, irn, model, partitioned, random_flows, run};
use bandwise_netsim::ethernet::{FinishedFlow, Network, NetworkModel};
use bandwise_rdma::transport::TransportSettings;
use bandwise_units::Time;
use proptest::prelude::*;

fn polling(transport: TransportSettings, pfc: bool, ns: u64) -> NetworkModel {
    let mut model = model(transport, pfc);
    model.host.poll = Some(Time::from_ns(ns));
    model
}

/// Flows of one host to two others, the second later by `later` ns.
fn two(model: &NetworkModel, later: u64) -> Vec<FinishedFlow> {
    let mut network = Network::new(&fat_tree(), model, 1);
    let flows = [flow(0, Time::ZERO, 0, 1, 400_000), flow(1, Time::from_ns(later), 0, 2, 400_000)];
    let mut finished = run(&mut network, &flows);
    finished.sort_by_key(|flow| flow.number);
    finished
}

/// A packet takes 216.4 ns. A flow that polls every 100 ns polls 16.4 ns before the link is free.
#[test]
fn a_flow_that_always_polls_second_waits_for_the_other() {
    // With round-robin both have the same share.
    let in_turn = two(&model(TransportSettings::roce_with_pfc(), true), 310);
    assert!(in_turn[1].at - in_turn[0].at < Time::from_us(1), "{in_turn:?}");
    // The second polls 10 ns after the first, before the link is free; then the first polls first
    // again.
    let behind = two(&polling(TransportSettings::roce_with_pfc(), true, 100), 310);
    assert!(behind[0].at < Time::from_us(130), "{behind:?}");
    assert!(behind[1].at > behind[0].at + Time::from_us(110), "{behind:?}");
    // A poll 50 ns later is in time.
    let alternate = two(&polling(TransportSettings::roce_with_pfc(), true, 100), 350);
    assert!(alternate[1].at - alternate[0].at < Time::from_us(1), "{alternate:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every flow arrives, and the partitions have no effect.
    #[test]
    fn every_flow_arrives(seed in any::<u64>(), ns in 1u64..300, lossless in any::<bool>()) {
        let transport = if lossless { TransportSettings::roce_with_pfc() } else { irn() };
        let model = polling(transport, lossless, ns);
        let flows = random_flows(seed, 60, 54);
        let finished = run(&mut Network::new(&fat_tree(), &model, seed), &flows);
        prop_assert_eq!(finished.len(), flows.len());
        let mut partitioned = partitioned(&fat_tree(), &model, seed, 2, Time::from_us(1));
        prop_assert_eq!(run(&mut partitioned, &flows), finished);
    }
}
