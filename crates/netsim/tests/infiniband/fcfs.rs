//! Wait of a small packet behind bulk traffic (RPerf paper, section VIII-B, equation 2).

use crate::common::{Either, RATE, Script, device, flood, models, request, simulation, sl};
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_topology::builders::single_switch;
use bandwise_units::{Bytes, Time};

const DELAY: Time = Time::from_ns(10);
/// A buffer of 32 KiB, 512 blocks of 64 bytes, holds seven packets of 65.
const BUFFER_PACKETS: u64 = 7;
/// A WRITE of 4096 bytes on the wire.
const PACKET: Time = RATE.time_for(Bytes::new(4144));

/// Returns the shortest and longest wait of small SENDs in the switch, with `senders` that fill
/// their buffers.
fn waits(scheduling: Scheduling, senders: usize, window: u64) -> (Time, Time) {
    let mut models = models(device(), 1);
    models.switch.scheduling = scheduling;
    // An arriving packet leaves at once: the destination never delays it.
    models.device.rx_buffer = Bytes::from_kib(256);
    let fabric = single_switch(7, RATE, DELAY).unwrap();
    let mut sim = simulation(&fabric, &models);
    for host in 1..=senders {
        flood(&mut sim, (host, 0), sl(0), 4096, window);
    }
    let (qp, _) = sim.connect(6, 0, Transport::Rc, sl(0));
    // Intervals longer than any wait, at varying phases of the bulk packets.
    let post = |id| {
        let at = Time::from_us(100) + Time::from_ps(40_123_457) * id;
        (at, request(qp, id, Opcode::Send, 64))
    };
    let script = Script::new((0..200).map(post).collect());
    sim.start(6, &[qp], Either::Script(script), Notify::Poll, Time::ZERO);
    sim.run(Time::from_ms(9));
    let seen = &sim.program(6, 0).script().seen;
    assert_eq!(seen.len(), 200);
    let base = (DELAY * 2 + models.switch.latency) * 2;
    let waits = seen.iter().map(|(_, c)| c.truth.unwrap() - base);
    (waits.clone().min().unwrap(), waits.max().unwrap())
}

#[test]
fn fcfs_waits_for_all_buffers() {
    for senders in 1..=5 {
        let n = senders as u64;
        let (least, most) = waits(Scheduling::Fcfs, senders, 64);
        println!("FCFS, {n} full buffers: {least} to {most}");
        assert!(most <= RATE.time_for(Bytes::from_kib(32)) * n, "{n}: {most}");
        assert!(least >= PACKET * (BUFFER_PACKETS * (n - 1)), "{n}: {least}");
    }
}

#[test]
fn window_of_one_buffer_waits_for_the_other_senders() {
    // Of eight outstanding messages per sender, about one sender's share is in flight elsewhere.
    for senders in 1..=5 {
        let n = senders as u64;
        let (least, most) = waits(Scheduling::Fcfs, senders, 8);
        println!("FCFS, {n} windows: {least} to {most}");
        assert!(most <= RATE.time_for(Bytes::from_kib(32)) * n, "{n}: {most}");
        assert!(least >= PACKET * (BUFFER_PACKETS * (n - 1)), "{n}: {least}");
    }
}

#[test]
fn round_robin_waits_for_one_packet_of_each() {
    for senders in 1..=5 {
        let n = senders as u64;
        let (least, most) = waits(Scheduling::RoundRobin, senders, 64);
        println!("RR, {n} full buffers: {least} to {most}");
        assert!(most <= PACKET * (n + 1), "{n}: {most}");
    }
}
