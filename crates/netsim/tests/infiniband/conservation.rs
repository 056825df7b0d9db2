//! For any fabric, models and traffic: every posted request is executed once and in order, and no
//! packet remains.

use crate::common::Script;
use crate::common::random::{Case, Connection, Post, cases};
use bandwise_netsim::infiniband::{Outcome, Simulation};
use bandwise_rdma::verbs::{CompletionKind, Opcode, Transport};
use bandwise_rdma::wire::{PacketKind, segment_count};
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;

/// Longer than any case takes.
const END: Time = Time::from_ms(1_000);

fn goes_to_remote_program(post: &Post) -> bool {
    matches!(post.opcode, Opcode::Send | Opcode::WriteImm)
}

/// Checks one end of a connection: its own requests complete in order, each signaled one once; its
/// peer's messages arrive in order and complete.
fn check_end(
    case: &Case,
    sim: &Simulation<Script>,
    c: usize,
    end: usize,
) -> Result<(), TestCaseError> {
    let connection = &case.connections[c];
    let (host, number) = case.place(c, end);
    let seen = &sim.program(host, number).seen;
    let of = |sent: bool| {
        seen.iter().filter(move |(_, c)| matches!(c.kind, CompletionKind::Sent(_)) == sent)
    };
    let posts = connection.posts[end].iter().zip(0u64..);
    let expected = posts.filter(|(p, _)| p.signaled).map(|(p, id)| {
        let kind = CompletionKind::Sent(p.opcode);
        (id, kind, p.bytes)
    });
    let completed: Vec<_> = of(true).map(|(_, c)| (c.id, c.kind, c.bytes)).collect();
    prop_assert_eq!(completed, expected.collect::<Vec<_>>());
    let expected = connection.posts[1 - end].iter().filter(|p| goes_to_remote_program(p));
    let received: Vec<_> = of(false).map(|(_, c)| c.bytes).collect();
    prop_assert_eq!(received, expected.map(|p| p.bytes).collect::<Vec<_>>());
    if connection.transport == Transport::Rc && connection.hosts[0] != connection.hosts[1] {
        for (at, completion) in of(true) {
            let post = &connection.posts[end][completion.id as usize];
            let least = least_time(case, connection, post);
            prop_assert!(*at >= post.at + least, "{completion:?} after less than {least}");
        }
    }
    Ok(())
}

/// Smallest completion time: acknowledged data has crossed every link of the path.
fn least_time(case: &Case, connection: &Connection, post: &Post) -> Time {
    let [a, b] = connection.hosts.map(|h| case.fabric.hosts()[h]);
    let path = bandwise_topology::Routes::shortest(&case.fabric).path(&case.fabric, a, b);
    let links = path.iter().map(|&port| case.fabric.peer(port).unwrap().1);
    let slowest = links.clone().map(|l| l.rate).min().unwrap();
    let bytes = if post.opcode == Opcode::Atomic { 0 } else { post.bytes };
    slowest.time_for(Bytes::new(bytes.into())) + links.map(|l| l.delay).sum::<Time>() * 2
}

/// Number of packets of a request and its response.
fn packets(case: &Case, transport: Transport, post: &Post) -> u64 {
    let count = |bytes| u64::from(segment_count(bytes, case.models.device.mtu));
    let request = PacketKind::request(transport, post.opcode).unwrap();
    let answer = match post.opcode {
        Opcode::Read => count(post.bytes),
        _ => u64::from(transport == Transport::Rc),
    };
    count(request.payload(post.bytes)) + answer
}

/// Payload that arrives over links by host, packets delivered, and links crossed.
fn expected_traffic(case: &Case) -> (Vec<u64>, u64, u64) {
    let routes = bandwise_topology::Routes::shortest(&case.fabric);
    let hosts = case.fabric.hosts();
    let (mut payload, mut delivered, mut hops) = (vec![0; hosts.len()], 0, 0);
    for connection in case.connections.iter().filter(|c| c.hosts[0] != c.hosts[1]) {
        let [a, b] = connection.hosts;
        let links = routes.path(&case.fabric, hosts[a], hosts[b]).len() as u64;
        for (from, to, posts) in [(a, b, &connection.posts[0]), (b, a, &connection.posts[1])] {
            for post in posts {
                match post.opcode {
                    Opcode::Read => payload[from] += u64::from(post.bytes),
                    Opcode::Atomic => {}
                    _ => payload[to] += u64::from(post.bytes),
                }
                delivered += packets(case, connection.transport, post);
                hops += packets(case, connection.transport, post) * links;
            }
        }
    }
    (payload, delivered, hops)
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let mut sim = case.build();
    let outcome = sim.run(END);
    prop_assert_eq!(sim.deadlock(), None);
    prop_assert_eq!((outcome, sim.packets_buffered()), (Outcome::Quiet, 0));
    for c in 0..case.connections.len() {
        check_end(case, &sim, c, 0)?;
        check_end(case, &sim, c, 1)?;
    }
    let (payload, delivered, hops) = expected_traffic(case);
    let arrived: Vec<u64> = (0..payload.len()).map(|h| sim.payload_delivered(h)).collect();
    prop_assert_eq!(arrived, payload);
    let counted = sim.counters();
    let counts = (counted.packets_delivered, counted.packet_hops, counted.packets_dropped);
    if case.models.switch.marking.is_some() && case.models.device.congestion_control.is_some() {
        // Marks on packets in the middle of a message are returned by separate acknowledgements.
        prop_assert!(counts.0 >= delivered && counts.1 >= hops && counts.2 == 0, "{counts:?}");
    } else {
        prop_assert_eq!(counts, (delivered, hops, 0));
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::common::random::config(2_000))]

    #[test]
    fn every_request_is_executed_once_and_in_order(case in cases()) {
        check(&case)?;
    }
}
