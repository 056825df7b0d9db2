//! Permutations: each host sends once and receives once.

use bandwise_units::{Bytes, Time};
use bandwise_workload::{Flow, Permutation, SizeDistribution};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn flows(hosts: u32, seed: u64) -> Vec<Flow> {
    let sizes = SizeDistribution::fixed(Bytes::new(1_000_000)).unwrap();
    Permutation::new(hosts, sizes, Time::from_us(5)).unwrap().flows(seed, 0).collect()
}

/// Four hosts have nine equally likely permutations: 1000 each, with a standard deviation of 30.
#[test]
fn every_permutation_is_as_likely() {
    let mut count = BTreeMap::new();
    for seed in 0..9_000 {
        let to: Vec<u32> = flows(4, seed).iter().map(|flow| flow.dst).collect();
        *count.entry(to).or_insert(0) += 1;
    }
    assert_eq!(count.len(), 9);
    assert!(count.values().all(|n| (850..1_150).contains(n)), "{count:?}");
}

#[test]
fn two_hosts_exchange_flows() {
    let sizes = SizeDistribution::irn_uniform();
    assert!(Permutation::new(1, sizes, Time::ZERO).is_err());
}

proptest! {
    #[test]
    fn every_host_sends_and_receives_once(hosts in 2u32..300, seed: u64) {
        let flows = flows(hosts, seed);
        prop_assert!(flows.iter().map(|flow| flow.src).eq(0..hosts));
        let mut to: Vec<u32> = flows.iter().map(|flow| flow.dst).collect();
        to.sort_unstable();
        prop_assert!(to.into_iter().eq(0..hosts));
        for flow in flows {
            prop_assert!(flow.src != flow.dst);
            prop_assert_eq!((flow.start, flow.bytes), (Time::from_us(5), 1_000_000));
        }
    }
}
