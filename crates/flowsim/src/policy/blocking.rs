//! [`Blocking`].

use super::{Newcomer, Placement, Policy, Rates, Scene};
use crate::scene::FlowView;
use bandwise_units::BitRate;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One FIFO queue at each host, in a lossless network without congestion control.
///
/// A host takes a packet of each of its flows in round-robin order. If the first packet waits for
/// its output, all packets behind it wait too, even for idle outputs: head-of-line blocking. With
/// full queues all flows of a host then have one rate, that of the slowest. It is the largest rate
/// at which no link exceeds its capacity and no host has less than another one could spare for it.
///
/// Congestion control aims at [`MaxMin`](super::MaxMin); a network with it lies between the two.
/// Queues within the fabric are not modelled. Those of a single switch are the hosts'; in a larger
/// network blocking costs more than here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Blocking;

impl Policy for Blocking {
    const GIVES_RATES: bool = true;

    fn place(&mut self, _flow: &Newcomer<'_>) -> Placement {
        Placement::COMMON
    }

    fn rates(&mut self, scene: &Scene<'_>, rates: &mut Rates<'_>) {
        // Flows by their host, which is their first link.
        let mut flows: Vec<(u32, FlowView<'_>)> =
            scene.flows().filter_map(|flow| Some((flow.path().next()?, flow))).collect();
        flows.sort_by_key(|flow| flow.0);
        let hosts: Vec<&[(u32, FlowView<'_>)]> = flows.chunk_by(|a, b| a.0 == b.0).collect();
        // The rest of each link, and the number of its flows without a rate, by host.
        let links = scene.links() as usize;
        let mut left: Vec<u64> =
            (0..scene.links()).map(|link| scene.capacity(link).as_bps()).collect();
        let mut flows_of: Vec<u64> = vec![0; links];
        let mut hosts_of: Vec<Vec<u32>> = vec![Vec::new(); links];
        for (host, flows) in (0u32..).zip(&hosts) {
            for link in flows.iter().flat_map(|(_, flow)| flow.path()) {
                flows_of[link as usize] += 1;
                if hosts_of[link as usize].last() != Some(&host) {
                    hosts_of[link as usize].push(host);
                }
            }
        }
        // The rate per flow of a link only rises if others take less than it.
        let level = |link: usize, left: &[u64], flows_of: &[u64]| left[link] / flows_of[link];
        let used = (0..links).filter(|&link| flows_of[link] > 0);
        let mut queue: BinaryHeap<Reverse<(u64, usize)>> =
            used.map(|link| Reverse((level(link, &left, &flows_of), link))).collect();
        let mut has_rate = vec![false; hosts.len()];
        while let Some(Reverse((rate, link))) = queue.pop() {
            if flows_of[link] == 0 {
                continue;
            }
            let now = level(link, &left, &flows_of);
            if now > rate {
                queue.push(Reverse((now, link)));
                continue;
            }
            for &host in &hosts_of[link] {
                if std::mem::replace(&mut has_rate[host as usize], true) {
                    continue;
                }
                for (_, flow) in hosts[host as usize] {
                    rates.give(flow, BitRate::from_bps(rate));
                    for link in flow.path() {
                        left[link as usize] -= rate;
                        flows_of[link as usize] -= 1;
                    }
                }
            }
        }
    }
}
