//! Times of returned credits, and waits of a sender without credits.

use crate::common::{Either, RATE, Script, instant_device, models, request, simulation, sl};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::switch::Queueing;
use bandwise_netsim::infiniband::{Models, Outcome};
use bandwise_rdma::qos::{Sl2Vl, VlArbTable};
use bandwise_rdma::verbs::{Opcode, Transport, WorkRequest};
use bandwise_topology::{Fabric, FabricBuilder, Port};
use bandwise_units::{BitRate, Bytes, Time};

const DELAY: Time = Time::from_ns(10);

/// Hosts at one switch; the last host's link is ten times slower.
fn fabric(hosts: u16) -> Fabric {
    let mut b = FabricBuilder::new();
    let switch = b.add_switch("switch", hosts).unwrap();
    for number in 1..=hosts {
        let host = Port { node: b.add_host(format!("h{number}"), 1).unwrap(), number: 1 };
        let rate = if number == hosts { BitRate::from_bps(5_600_000_000) } else { RATE };
        b.connect(host, Port { node: switch, number }, rate, DELAY).unwrap();
    }
    b.build().unwrap()
}

fn one_lane(buffer_blocks: u64) -> Models {
    let mut models = models(instant_device(), 1);
    models.switch.buffer = Bytes::new(64 * buffer_blocks);
    models.switch.queueing = Queueing::Voq;
    models
}

/// Host 0 posts datagrams to numbered hosts, the first at once and the others 1 us later. Returns
/// arrival times by host.
fn arrivals(models: &Models, hosts: u8, datagrams: &[(usize, u32)]) -> Vec<Vec<Time>> {
    let mut sim = simulation(&fabric(hosts.into()), models);
    let mut posts = Vec::new();
    let hosts = 1..usize::from(hosts);
    for to in hosts.clone() {
        let (here, there) = sim.connect(0, to, Transport::Ud, sl(0));
        sim.start(to, &[there], Either::Script(Script::default()), Notify::Poll, Time::ZERO);
        posts.push(here);
    }
    let send = |(i, &(to, bytes)): (usize, &(usize, u32))| {
        let request = request(posts[to - 1], 0, Opcode::Send, bytes);
        (Time::from_us(1) * i.min(1) as u64, WorkRequest { signaled: false, ..request })
    };
    let script = Script::new(datagrams.iter().enumerate().map(send).collect());
    sim.start(0, &[], Either::Script(script), Notify::Poll, Time::ZERO);
    assert_eq!(sim.run(Time::from_ms(1)), Outcome::Quiet);
    hosts.map(|h| sim.program(h, 0).script().seen.iter().map(|&(at, _)| at).collect()).collect()
}

#[test]
fn a_buffer_of_one_packet_makes_each_packet_wait_for_credits() {
    // A datagram of 4096 bytes: 4130 on the wire, 65 blocks.
    let models = one_lane(65);
    let seen = &arrivals(&models, 3, &[(1, 4096); 11])[0][1..];
    let terms = [
        DELAY,                           // first bit to the switch
        models.switch.latency,           // first bit out of it
        RATE.time_for(Bytes::new(4136)), // last bit out: the buffer is free
        models.switch.credit_delay,
        DELAY, // credits to the host, which starts the next
    ];
    let period: Time = terms.into_iter().sum();
    assert_eq!(seen.len(), 10);
    assert!(seen.windows(2).all(|pair| pair[1] - pair[0] == period), "{seen:?} for {period}");
    // One block more has no effect; with twice the blocks the link is always busy.
    assert_eq!(&arrivals(&one_lane(129), 3, &[(1, 4096); 11])[0][1..], seen);
    let packet = RATE.time_for(Bytes::new(4136));
    let seen = &arrivals(&one_lane(130), 3, &[(1, 4096); 11])[0][1..];
    assert!(seen.windows(2).all(|pair| pair[1] - pair[0] == packet), "{seen:?}");
}

#[test]
fn small_packets_use_buffer_left_by_a_large_one() {
    // The large packet takes 5.9 us to leave for the slow host. Meanwhile the small ones (two
    // blocks each) use the rest of the buffer, three at a time.
    let mut datagrams = vec![(2, 4096)];
    datagrams.extend([(1, 64); 30]);
    let seen = arrivals(&one_lane(65 + 6), 3, &datagrams);
    let (small, large) = (&seen[0], &seen[1]);
    assert_eq!((small.len(), large.len()), (30, 1));
    let slow = BitRate::from_bps(5_600_000_000).time_for(Bytes::new(4136));
    assert!(large[0] > slow && small[29] < slow, "{small:?} {large:?}");
}

#[test]
fn a_lane_without_credits_does_not_hold_up_another() {
    // Service level 1 floods the slow host and fills its lane's buffer; level 0 is unaffected.
    let mut models = models(instant_device(), 2);
    models.qos.sl2vl = Sl2Vl::modulo(2);
    models.qos.vlarb = VlArbTable::even([0u8, 1].map(|vl| vl.try_into().unwrap()), 64);
    let mut sim = simulation(&fabric(3), &models);
    crate::common::flood(&mut sim, (0, 2), sl(1), 4096, 64);
    sim.run(Time::from_us(50));
    let (qp, _) = sim.connect(0, 1, Transport::Rc, sl(0));
    let post = |id| (Time::from_us(60 + 5 * id), request(qp, id, Opcode::Send, 64));
    let script = Script::new((0..10).map(post).collect());
    let number = sim.start(0, &[qp], Either::Script(script), Notify::Poll, Time::from_us(60));
    sim.run(Time::from_us(200));
    let seen = &sim.program(0, number).script().seen;
    assert_eq!(seen.len(), 10);
    // A small packet may wait for one large packet on the wire.
    let most = (DELAY * 2 + models.switch.latency) * 2 + RATE.time_for(Bytes::new(4144));
    assert!(seen.iter().all(|(_, c)| c.truth.unwrap() <= most), "{seen:?}");
}
