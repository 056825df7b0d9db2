//! Incast: whole requests and random senders.

use bandwise_units::{Bytes, Time};
use bandwise_workload::{Flow, Incast, WorkloadError};
use proptest::prelude::*;
use std::collections::BTreeMap;

const REQUEST: Bytes = Bytes::new(150_000_000);

/// IRN 4.4.3 with 40 senders: 3.75 MB from each.
#[test]
fn incast_matches_irn_4_4_3() {
    let flows: Vec<Flow> = Incast::new(54, 7, 40, REQUEST).unwrap().flows(1, 0).collect();
    assert_eq!(flows.len(), 40);
    assert!(flows.is_sorted_by(|a, b| a.src < b.src));
    for flow in flows {
        let Flow { start, src, dst, bytes } = flow;
        assert_eq!((start, dst, bytes), (Time::ZERO, 7, 3_750_000));
        assert!(src < 54 && src != 7);
    }
}

/// Two senders of four form six equally likely sets: 1000 each, with a standard deviation of 30.
#[test]
fn every_set_of_senders_is_as_likely() {
    let incast = Incast::new(5, 2, 2, REQUEST).unwrap();
    let incast = incast.repeated(6_000, Time::ZERO, Time::from_ms(40)).unwrap();
    let flows: Vec<Flow> = incast.flows(1, 0).collect();
    let mut count = BTreeMap::new();
    for request in flows.chunks(2) {
        *count.entry((request[0].src, request[1].src)).or_insert(0) += 1;
    }
    assert_eq!(count.len(), 6);
    assert!(count.values().all(|n| (850..1_150).contains(n)), "{count:?}");
}

#[test]
fn impossible_incasts_are_refused() {
    let text = |error: WorkloadError| format!("{error} (allowed: {})", error.allowed());
    let refused = |hosts, receiver, senders, bytes| {
        text(Incast::new(hosts, receiver, senders, Bytes::new(bytes)).unwrap_err())
    };
    insta::assert_snapshot!(refused(1, 0, 1, 1), @"too few hosts for a flow: 1 (allowed: 2 hosts or more)");
    insta::assert_snapshot!(refused(54, 54, 1, 1), @"there is no host 54 (allowed: hosts 0 to 53)");
    insta::assert_snapshot!(refused(54, 0, 0, 1), @"0 senders to one of 54 hosts (allowed: 1 to 53 senders, all but the receiver)");
    insta::assert_snapshot!(refused(54, 0, 54, 100), @"54 senders to one of 54 hosts (allowed: 1 to 53 senders, all but the receiver)");
    insta::assert_snapshot!(refused(54, 0, 30, 29), @"a request of 29 bytes over 30 flows (allowed: 1 to 1099511627776 bytes a flow, 30 to 32985348833280 in all)");
    insta::assert_snapshot!(refused(54, 0, 1, u64::MAX), @"a request of 18446744073709551615 bytes over 1 flow (allowed: 1 to 1099511627776 bytes a flow, 1 to 1099511627776 in all)");
    let incast = Incast::new(54, 0, 30, REQUEST).unwrap();
    insta::assert_snapshot!(text(incast.clone().with_connections(0).unwrap_err()), @"0 connections from each sender (allowed: 1 connection or more)");
    insta::assert_snapshot!(text(incast.clone().with_connections(u32::MAX).unwrap_err()), @"a request of 150000000 bytes over 128849018850 flows (allowed: 1 to 1099511627776 bytes a flow, 128849018850 to 18446744073709551615 in all)");
    let repeated = |requests, every| incast.clone().repeated(requests, Time::ZERO, every);
    insta::assert_snapshot!(text(repeated(0, Time::ZERO).unwrap_err()), @"0 requests, 0 ps apart (allowed: one request or more, the last of which starts within 106 days)");
    insta::assert_snapshot!(text(repeated(u64::MAX, Time::from_ms(1)).unwrap_err()), @"18446744073709551615 requests, 1 ms apart (allowed: one request or more, the last of which starts within 106 days)");
}

proptest! {
    #[test]
    fn requests_have_all_flows_and_bytes(
        hosts in 2u32..100, receiver in 0u32..100, senders in 1u32..100, connections in 1u32..5,
        extra in 0u64..1_000_000, requests in 1u64..5, first in 0u64..1000, every in 0u64..1000,
        seed: u64,
    ) {
        let (receiver, senders) = (receiver % hosts, 1 + senders % (hosts - 1));
        let request = u64::from(senders * connections) + extra;
        let [first, every] = [first, every].map(Time::from_ns);
        let incast = Incast::new(hosts, receiver, senders, Bytes::new(request)).unwrap();
        let incast = incast.with_connections(connections).unwrap();
        let incast = incast.repeated(requests, first, every).unwrap();
        let flows: Vec<Flow> = incast.flows(seed, 0).collect();
        prop_assert_eq!(flows.len() as u64, requests * incast.flows_per_request());
        let by_request = flows.chunks(incast.flows_per_request() as usize);
        for (n, flows) in by_request.enumerate() {
            prop_assert_eq!(flows.iter().map(|flow| flow.bytes).sum::<u64>(), request);
            let sizes = flows.iter().map(|flow| flow.bytes);
            prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
            for flow in flows {
                prop_assert_eq!((flow.start, flow.dst), (first + every * n as u64, receiver));
                prop_assert!(flow.src < hosts && flow.src != receiver && flow.bytes > 0);
            }
            let mut from: Vec<u32> = flows.iter().map(|flow| flow.src).collect();
            from.dedup();
            prop_assert!(from.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(from.len(), senders as usize);
        }
    }
}
