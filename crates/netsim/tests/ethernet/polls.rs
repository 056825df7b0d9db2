//! Flows that poll, in place of taking turns.

use super::{fat_tree, flow, irn, model, parted, random_flows, run};
use bandwise_netsim::ethernet::{Finished, Network, NetworkModel};
use bandwise_rdma::transport::Settings;
use bandwise_units::Time;
use proptest::prelude::*;

fn polling(transport: Settings, pfc: bool, ns: u64) -> NetworkModel {
    let mut model = model(transport, pfc);
    model.host.poll = Some(Time::from_ns(ns));
    model
}

/// Flows of one host to two others, the second some nanoseconds later.
fn two(model: &NetworkModel, later: u64) -> Vec<Finished> {
    let mut network = Network::new(&fat_tree(), model, 1);
    let flows = [flow(0, Time::ZERO, 0, 1, 400_000), flow(1, Time::from_ns(later), 0, 2, 400_000)];
    let mut finished = run(&mut network, &flows);
    finished.sort_by_key(|flow| flow.number);
    finished
}

/// A packet takes 216.4 ns. Of flows that look every 100 ns, one looks 16.4 ns before the link is free.
#[test]
fn a_flow_that_always_looks_second_waits_for_the_other() {
    // Both have the same share, in turn.
    let in_turn = two(&model(Settings::roce_with_pfc(), true), 310);
    assert!(in_turn[1].at - in_turn[0].at < Time::from_us(1), "{in_turn:?}");
    // The second looks 10 ns after the first, which is before the link is free; the first one then is
    // earlier again.
    let behind = two(&polling(Settings::roce_with_pfc(), true, 100), 310);
    assert!(behind[0].at < Time::from_us(130), "{behind:?}");
    assert!(behind[1].at > behind[0].at + Time::from_us(110), "{behind:?}");
    // 50 ns after it is in time.
    let alternate = two(&polling(Settings::roce_with_pfc(), true, 100), 350);
    assert!(alternate[1].at - alternate[0].at < Time::from_us(1), "{alternate:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every flow arrives, and how nodes are parted changes nothing.
    #[test]
    fn every_flow_arrives(seed in any::<u64>(), ns in 1u64..300, lossless in any::<bool>()) {
        let transport = if lossless { Settings::roce_with_pfc() } else { irn() };
        let model = polling(transport, lossless, ns);
        let flows = random_flows(seed, 60, 54);
        let finished = run(&mut Network::new(&fat_tree(), &model, seed), &flows);
        prop_assert_eq!(finished.len(), flows.len());
        let mut parted = parted(&fat_tree(), &model, seed, 2, Time::from_us(1));
        prop_assert_eq!(run(&mut parted, &flows), finished);
    }
}
