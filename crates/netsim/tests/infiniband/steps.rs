//! Control of programs and ports between steps.

use crate::common::random::cases;
use crate::common::{RATE, Script, device, models, request, simulation, sl};
use bandwise_netsim::engine::Sequential;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::switch::Queueing;
use bandwise_netsim::infiniband::{PortTables, PortTablesError, Simulation};
use bandwise_rdma::qos::{Sl2Vl, VlArbEntry, VlArbTable};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, Transport, WorkRequest,
};
use bandwise_topology::{Port, builders};
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;

/// A program that posts requests received from outside.
#[derive(Debug, Default)]
struct Clerk {
    orders: Vec<WorkRequest>,
    seen: Vec<(Time, Completion)>,
}

impl Program for Clerk {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        self.seen.extend(seen.iter().map(|&completion| (now, completion)));
        self.orders.drain(..).for_each(|order| posts.post(order));
        Next::Completion
    }
}

/// A request given at some time completes as if the program had known it before.
#[test]
fn an_external_request_is_executed_at_once() {
    let fabric = builders::single_switch(3, RATE, Time::from_ns(10)).unwrap();
    let models = models(device(), 1);
    let at = [2, 2, 40, 41].map(Time::from_us);
    let order = |qp, id: usize| request(qp, id as u64, Opcode::Write, 50_000);

    let mut known: Simulation<Script> = simulation(&fabric, &models);
    let (qp, _) = known.connect(0, 1, Transport::Rc, sl(0));
    let posts = at.into_iter().enumerate().map(|(id, at)| (at, order(qp, id))).collect();
    known.start(0, &[qp], Script::new(posts), Notify::Poll, Time::ZERO);
    known.run(Time::from_ms(1));

    let mut unaware: Simulation<Clerk> = simulation(&fabric, &models);
    let (qp, _) = unaware.connect(0, 1, Transport::Rc, sl(0));
    let number = unaware.start(0, &[qp], Clerk::default(), Notify::Poll, Time::ZERO);
    let mut ordered = 0;
    unaware.run_in_steps(&Sequential, |checkpoint| {
        let before = ordered;
        while at.get(ordered).is_some_and(|&at| at <= checkpoint.now()) {
            checkpoint.program_mut(0, number).orders.push(order(qp, ordered));
            ordered += 1;
        }
        if ordered > before {
            checkpoint.wake(0, number);
        }
        let all_over = ordered == at.len() && checkpoint.is_quiet();
        (!all_over).then(|| at.get(ordered).copied().unwrap_or(checkpoint.now() + Time::from_us(1)))
    });
    assert_eq!(unaware.program(0, number).seen, known.program(0, 0).seen);
    assert_eq!(unaware.program(0, number).seen.len(), at.len());
}

fn even(lanes: u8, first: u8) -> VlArbTable {
    let weight = |vl| if vl == 0 { first } else { 64 };
    let entry = |vl: u8| VlArbEntry { vl: vl.try_into().unwrap(), weight: weight(vl) };
    VlArbTable { low: (0..lanes).map(entry).collect(), ..VlArbTable::even([], 0) }
}

#[test]
fn tables_that_would_drop_or_block_packets_are_refused() {
    let fabric = builders::single_switch(2, RATE, Time::from_ns(10)).unwrap();
    let mut sim: Simulation<Clerk> = simulation(&fabric, &models(device(), 2));
    let port = fabric.host_port(fabric.hosts()[0]);
    let mut set = |sl2vl, vlarb| {
        let (mut answer, tables) = (None, PortTables { sl2vl, vlarb });
        sim.run_in_steps(&Sequential, |checkpoint| {
            answer = Some(checkpoint.set_tables(port, &tables));
            None
        });
        answer.unwrap()
    };
    assert_eq!(set(Sl2Vl::modulo(2), even(2, 1)), Ok(()));
    assert_eq!(set(Sl2Vl::modulo(3), even(2, 1)), Err(PortTablesError::Level(sl(2))));
    assert_eq!(set(Sl2Vl::new([15; 16]).unwrap(), even(2, 1)), Err(PortTablesError::Level(sl(0))));
    assert_eq!(set(Sl2Vl::modulo(2), even(2, 0)), Err(PortTablesError::Unserved(1)));
    let long = VlArbTable { low: even(2, 1).low.repeat(33), ..even(2, 1) };
    let too_long = set(Sl2Vl::modulo(2), long);
    assert!(matches!(too_long, Err(PortTablesError::VlArb(_))), "{too_long:?}");
}

/// Two floods on two lanes over one link: equal weights first, then three to one, then one lane.
#[test]
fn shares_follow_new_tables() {
    let fabric = builders::single_switch(3, RATE, Time::from_ns(10)).unwrap();
    let mut models = models(device(), 2);
    // The inputs of one lane have equal shares too.
    models.switch.scheduling = Scheduling::RoundRobin;
    let mut sim = simulation(&fabric, &models);
    crate::common::flood(&mut sim, (0, 2), sl(0), 1 << 16, 4);
    crate::common::flood(&mut sim, (1, 2), sl(1), 1 << 16, 4);
    let port = Port { node: fabric.switches()[0], number: 3 };
    let mut shares = |tables: Option<PortTables>| {
        if let Some(tables) = tables {
            sim.run_in_steps(&Sequential, |checkpoint| {
                checkpoint.set_tables(port, &tables).unwrap();
                None
            });
        }
        // Packets in flight before the change are not counted.
        let settled = sim.now() + Time::from_us(100);
        sim.run(settled);
        let before = [0, 1].map(|host| sim.program(host, 0).completed());
        sim.run(settled + Time::from_ms(5));
        let [a, b] = [0, 1].map(|host| sim.program(host, 0).completed() - before[host]);
        let whole = (a + b) as f64 * 65536.0 * 8.0 / 5e-3 / 56e9;
        assert!(whole > 0.97, "the link is full: {whole}");
        a as f64 / b as f64
    };
    let near = |share: f64, expected: f64| (share / expected - 1.0).abs() < 0.03;
    let first = shares(None);
    assert!(near(first, 1.0), "{first}");
    // A packet has 65 blocks, so 195 are three.
    let second = shares(Some(PortTables { sl2vl: Sl2Vl::modulo(2), vlarb: even(2, 195) }));
    assert!(near(second, 3.0), "{second}");
    let third = shares(Some(PortTables { sl2vl: Sl2Vl::default(), vlarb: even(2, 195) }));
    assert!(near(third, 1.0), "{third}");
}

/// Returns completions by program, without times, ordered by queue pair. Receives of a connection
/// keep their order; datagrams have none.
fn done(seen: &[(Time, Completion)], transport: Transport) -> Vec<(Qp, u64, CompletionKind, u32)> {
    let mut done: Vec<_> = seen.iter().map(|(_, c)| (c.qp, c.id, c.kind, c.bytes)).collect();
    done.sort_by_key(|&(qp, id, kind, bytes)| {
        let order = if transport == Transport::Ud { bytes } else { 0 };
        (qp, kind == CompletionKind::Received, id, order)
    });
    done
}

proptest! {
    #![proptest_config(crate::common::random::config(150))]

    /// For any changes of tables, all posted requests complete with all their bytes, on connections
    /// in order.
    #[test]
    fn changed_tables_lose_no_packet(
        case in cases(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0u64..30_000, prop::collection::vec(0u8..3, 16), 1u8..),
            1..20,
        ),
    ) {
        let mut unchanged = case.build_partitioned(Time::MAX);
        unchanged.run(Time::from_ms(1_000));
        let mut sim = case.build_partitioned(Time::from_ps(1));
        let lanes = 16 - case.models.qos.vls().leading_zeros() as u8;
        let ports: Vec<Port> = (0..case.fabric.nodes().len() as u32)
            .flat_map(|node| case.fabric.ports(bandwise_topology::NodeId(node)))
            .filter(|&port| case.fabric.peer(port).is_some())
            .collect();
        let mut changes: Vec<_> = changes
            .into_iter()
            .map(|(port, at, mut vls, first)| {
                vls.iter_mut().for_each(|vl| *vl %= lanes);
                let sl2vl = Sl2Vl::try_from(vls).unwrap();
                let tables = PortTables { sl2vl, vlarb: even(lanes, first) };
                (Time::from_ns(at), ports[port.index(ports.len())], tables)
            })
            .collect();
        changes.sort_by_key(|change| change.0);
        let mut next = 0;
        sim.run_in_steps(&Sequential, |checkpoint| {
            while let Some((_, port, tables)) = changes.get(next).filter(|c| c.0 <= checkpoint.now()) {
                checkpoint.set_tables(*port, tables).unwrap();
                next += 1;
            }
            let end = Time::from_ms(1_000);
            (checkpoint.now() < end).then(|| changes.get(next).map_or(end, |change| change.0))
        });
        for (c, connection) in case.connections.iter().enumerate() {
            for end in [0, 1] {
                let (host, number) = case.place(c, end);
                let [a, b] = [&sim, &unchanged]
                    .map(|sim| done(&sim.program(host, number).seen, connection.transport));
                prop_assert_eq!(a, b);
            }
        }
        for host in 0..case.fabric.hosts().len() {
            prop_assert_eq!(sim.payload_delivered(host), unchanged.payload_delivered(host));
        }
        prop_assert_eq!(sim.packets_buffered(), 0);
    }
}

/// A port continues when its heads change lanes, regardless of the cause of its wait.
#[test]
fn head_packet_continues_after_a_lane_change() {
    let fabric = builders::single_switch(3, RATE, Time::from_ns(10)).unwrap();
    for queueing in [Queueing::Fifo, Queueing::Voq] {
        let mut models = models(device(), 2);
        models.switch.queueing = queueing;
        models.switch.buffer = Bytes::from_kib(16);
        let mut sim = simulation(&fabric, &models);
        for from in [0, 1] {
            crate::common::flood(&mut sim, (from, 2), sl(0), 1 << 16, 4);
        }
        let port = Port { node: fabric.switches()[0], number: 3 };
        for i in 0..200 {
            // Both levels alternate between lane 1 and lane 0, in the middle of packets.
            let vl = (i % 2) as u8;
            let sl2vl = Sl2Vl::all_to(vl.try_into().unwrap());
            sim.run_in_steps(&Sequential, |checkpoint| {
                checkpoint.set_tables(port, &PortTables { sl2vl, vlarb: even(2, 64) }).unwrap();
                None
            });
            sim.run(sim.now() + Time::from_ns(3_333));
        }
        let bytes = sim.payload_delivered(2) as f64;
        let full = 200.0 * 3_333.0 * 7.0;
        assert!(bytes > 0.95 * full, "{queueing:?}: {bytes} of {full}");
    }
}
