//! Random networks and flows, for all tests.

use bandwise_flowsim::{FlowId, FlowSpec, LinkConfig, Network, Policy, Queue, Simulation};
use bandwise_units::{BitRate, Bytes};
use proptest::prelude::*;
use proptest::sample::subsequence;

/// A random flow.
#[derive(Debug, Clone)]
pub(crate) struct Drawn {
    pub path: Vec<u32>,
    pub bytes: u64,
    pub class: u8,
    pub group: u32,
    pub cap: Option<u64>,
}

impl Drawn {
    pub(crate) fn spec(&self) -> FlowSpec<'_> {
        FlowSpec {
            path: &self.path,
            bytes: Bytes::new(self.bytes),
            class: self.class,
            group: self.group,
            cap: self.cap.map(BitRate::from_bps),
        }
    }
}

pub(crate) const LINKS: u32 = 6;

/// Generates capacities of [`LINKS`] links, in bits per second.
pub(crate) fn capacities() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![Just(1_000_000_000), 100_000_000u64..4_000_000_000], 6)
}

/// Generates flows over one to four of the links, of few classes and groups, some with a cap.
pub(crate) fn flows(most: usize) -> impl Strategy<Value = Vec<Drawn>> {
    let path = subsequence((0..LINKS).collect::<Vec<_>>(), 1..=4).prop_shuffle();
    let cap = prop::option::weighted(0.2, 1_000_000u64..1_000_000_000);
    let flow = (path, 1u64..10_000_000, 0u8..4, 0u32..5, cap)
        .prop_map(|(path, bytes, class, group, cap)| Drawn { path, bytes, class, group, cap });
    prop::collection::vec(flow, 1..=most)
}

/// Generates, for each link, queues with weights and the queue of each of four classes.
pub(crate) fn configs() -> impl Strategy<Value = Vec<(Vec<u32>, Vec<u8>)>> {
    let config = (1usize..4).prop_flat_map(|queues| {
        let weights = prop::collection::vec(1u32..20, queues);
        (weights, prop::collection::vec(0u8..queues as u8, 4))
    });
    prop::collection::vec(config, LINKS as usize)
}

pub(crate) fn config((weights, classes): &(Vec<u32>, Vec<u8>)) -> LinkConfig {
    let queues = weights.iter().map(|&weight| Queue::weighted(weight)).collect();
    LinkConfig::new(queues, classes.clone()).unwrap()
}

pub(crate) fn network(capacities: &[u64]) -> Network {
    Network::new(capacities.iter().map(|&bps| BitRate::from_bps(bps))).unwrap()
}

pub(crate) fn start_all<P: Policy>(simulation: &mut Simulation<P>, flows: &[Drawn]) -> Vec<FlowId> {
    flows.iter().map(|flow| simulation.start(flow.spec())).collect()
}

/// Returns the present rates of flows, in bits per second.
pub(crate) fn rates<P: Policy>(simulation: &mut Simulation<P>, ids: &[FlowId]) -> Vec<f64> {
    ids.iter().map(|&id| simulation.rate(id).as_bps() as f64).collect()
}
