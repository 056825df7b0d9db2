//! Jobs whose transfers are messages of Homa over Ethernet.
//!
//! Homa's switches send by priority and may drop packets, and its hosts need no connections, as
//! with Ethernet switches. Hosts, cables and rates are those of the scenario; packets have the
//! payload of those of InfiniBand. "Homa" is B. Montazeri et al., *Homa: A Receiver-Driven
//! Low-Latency Transport Protocol Using Network Priorities* (SIGCOMM 2018); the number after it is
//! the section.

use super::error::PacketError;
use super::payload::mtu;
use super::results::{PacketResults, REACTION, WATCH_EVERY};
use crate::Watch;
use crate::jobs::run::execution::{Carrier, Jobs};
use crate::jobs::{JobsResults, JobsScenario, SharingPolicy};
use bandwise_netsim::engine::{Executor, MIN_PARTITION_LATENCY};
use bandwise_netsim::ethernet::packet::{GAP, PortBits};
use bandwise_netsim::ethernet::{
    Buffering, Classes, FlowSpec, HostModel, Network, NetworkModel, Routing, SharedBuffer,
    SwitchModel, bdp_packets,
};
use bandwise_netsim::infiniband::Counters;
use bandwise_rdma::congestion::{self, NotificationSettings};
use bandwise_rdma::homa::{HomaSettings, LEVELS, Priorities, RESEND_AFTER};
use bandwise_rdma::transport;
use bandwise_topology::Fabric;
use bandwise_topology::routes::{EqualPaths, farthest_hosts};
use bandwise_units::{Bytes, Time};
use bandwise_workload::job::{Part, Transfer};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Buffer of a switch, large enough never to be full, because a loss would cost a timeout, which
/// does not scale with volumes. A port may use nearly all of it.
const BUFFER: SharedBuffer = SharedBuffer {
    buffer: Bytes::new(1_000_000_000),
    alpha: 64.0,
    reserve: Bytes::ZERO,
    pfc: None,
};

/// Checks that packets have paths, and that jobs share whole links.
pub(super) fn check(scenario: &JobsScenario) -> Result<(), PacketError> {
    let JobsScenario { fabric, queues, .. } = scenario;
    if queues.part < 1.0 {
        return Err(PacketError::Part(queues.part));
    }
    let switches = farthest_hosts(fabric).map_or(0, |ends| {
        let [a, b] = ends.map(|host| fabric.rank(host));
        EqualPaths::new(fabric).path(a, b, 0).count()
    });
    let most = PortBits::of(fabric).max_switches();
    match switches <= most {
        true => Ok(()),
        false => Err(PacketError::Path { switches, most }),
    }
}

/// Returns the bytes on a link for a full packet.
pub(super) fn full_packet() -> Bytes {
    Bytes::new((host().full_frame() + GAP).into())
}

fn host() -> HostModel {
    HostModel {
        transport: transport::TransportSettings::irn(),
        congestion: congestion::CongestionSettings::default(),
        notification: NotificationSettings::default(),
        mtu: mtu(),
        extra_header: 0,
        poll: None,
        ack_class: None,
        cnp_class: None,
        homa: None,
    }
}

/// Returns the model of the network. One priority is for unscheduled data, as at flow level (Saba
/// 4.6.4 has 8 in all), because the sizes of the jobs' messages are unknown in advance. Packets are
/// spread over all paths.
fn model(fabric: &Fabric) -> NetworkModel {
    let usual = host();
    let rtt = NonZeroU32::new(bdp_packets(fabric, &usual)).unwrap_or(NonZeroU32::MIN);
    let priorities = Priorities::new(LEVELS - 1, Vec::new()).expect("8 in all");
    let homa = HomaSettings { priorities, rtt, resend_after: RESEND_AFTER };
    NetworkModel {
        switch: SwitchModel { buffering: Buffering::Shared(BUFFER), ecn: None },
        thresholds: Vec::new(),
        pause_response: Time::ZERO,
        host: HostModel { homa: Some(homa), ..usual },
        classes: Classes { count: LEVELS, ..Classes::ONE },
        routing: Routing::Spray,
    }
}

/// Runs jobs until all have ended, or the watch breaks.
pub(super) fn run(
    scenario: &JobsScenario,
    policy: SharingPolicy,
    executor: &impl Executor,
    watch: Watch<'_>,
) -> PacketResults {
    let JobsScenario { fabric, jobs: shared, seed, .. } = scenario;
    let network = Network::partitioned(
        fabric,
        &model(fabric),
        *seed,
        executor.workers(),
        MIN_PARTITION_LATENCY,
    );
    let mut post = Post { scenario, network, outstanding: BTreeMap::new(), sent: 0 };
    let mut jobs = Jobs::new(shared);
    let (mut instants, mut arrived, mut over) = (0, Vec::new(), false);
    while !over {
        let now = post.network.now();
        post.network.take_finished(|finished| arrived.push((finished.at, finished.number)));
        arrived.sort_unstable();
        for (_, number) in arrived.drain(..) {
            let (job, part) = post.outstanding.remove(&number).expect("it was sent");
            jobs.delivered(job, part, now, &mut post);
        }
        jobs.advance(now, &mut post);
        instants += 1;
        // With outstanding messages, the next poll is soon; otherwise, nothing happens before the
        // next due event.
        let due = jobs.next_due();
        let next = REACTION * (now.as_ps() / REACTION.as_ps() + 1);
        let next = match post.outstanding.is_empty() {
            true => due,
            false => Some(due.map_or(next, |due| due.min(next))),
        };
        if instants % WATCH_EVERY == 0 || next.is_none() {
            over |= watch(jobs.progress(now)).is_break();
        }
        match next {
            Some(next) if !over => _ = post.network.run_by(executor, next),
            _ => over = true,
        }
    }
    let Post { network, sent, outstanding, .. } = post;
    let ended = shared.iter().zip(jobs.into_ended());
    let counters = network.counters();
    PacketResults {
        results: JobsResults {
            policy,
            took: ended.map(|(job, ended)| job.took(ended)).collect(),
            flows: u64::from(sent) - outstanding.len() as u64,
            instants,
            timeline: None,
        },
        simulated: network.now(),
        counters: Counters {
            packets_delivered: counters.packets_delivered,
            packet_hops: counters.packet_hops,
            packets_dropped: counters.packets_dropped,
            events: counters.events,
        },
        deadlock: None,
    }
}

/// The carrier of messages.
struct Post<'a> {
    scenario: &'a JobsScenario,
    network: Network,
    /// Job and part of each message in flight, by number.
    outstanding: BTreeMap<u32, (u32, Part)>,
    /// Number of sent messages.
    sent: u32,
}

impl Carrier for Post<'_> {
    fn starts(&mut self, _job: usize) {}

    fn send(&mut self, job: usize, part: Part, Transfer { from, to, bytes }: Transfer) {
        let host = |instance: u32| self.scenario.jobs[job].hosts[instance as usize];
        let (number, start): (u32, Time) = (self.sent, self.network.now());
        let (src, dst, bytes) = (host(from), host(to), bytes.get());
        self.sent = self.sent.checked_add(1).expect("a run has fewer than 2^32 messages");
        self.outstanding.insert(number, (job as u32, part));
        let message = FlowSpec { number, start, src, dst, bytes, class: 0 };
        self.network.open(&message).expect("the longest path is short enough");
    }

    fn ended(&mut self, _job: usize) {}
}
