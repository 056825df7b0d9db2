//! The frames of runs: what stands in them, and how many there are of each kind.

use super::read;
use bandwise_netsim::engine::Sequential;
use bandwise_netsim::ethernet::{CaptureFilter, CaptureRecord, CapturedFrame, Direction};
use bandwise_rdma::wire::{Bth, Ecn, Frame, Operation, Reth, RocePacket, Syndrome};
use bandwise_scenario::ethernet::{
    Arrival, ArrivalError, EthernetResults, EthernetScenario, FlowWatch, Wire,
};
use bandwise_units::Time;
use bandwise_workload::Flow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const RACK: &str = "[fabric]\nbuild = { single-switch = 3 }\n\
                    link = { rate = \"40 Gbps\", delay = \"100 ns\" }\n";

/// Keeps what the ports of hosts send, with its bytes.
struct Recorder<'a> {
    wire: Wire<'a>,
    chosen: CaptureFilter,
    seen: Vec<(CaptureRecord, Vec<u8>)>,
    most: usize,
}

impl FlowWatch for Recorder<'_> {
    fn captures(&self) -> Option<CaptureFilter> {
        Some(self.chosen.clone())
    }
    fn captured(&mut self, record: &CaptureRecord) -> ControlFlow<()> {
        let mut bytes = Vec::new();
        self.wire.frame(record, &mut bytes);
        self.seen.push((*record, bytes));
        if self.seen.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

fn run(
    scenario: &EthernetScenario,
    flows: &[(u32, u32, u64)],
    most: usize,
) -> (Vec<(CaptureRecord, Vec<u8>)>, EthernetResults) {
    let fabric = scenario.fabric();
    let ports = fabric.hosts().iter().map(|&host| fabric.host_port(host)).collect();
    let chosen = CaptureFilter { ports, ..CaptureFilter::default() };
    let mut recorder =
        Recorder { wire: Wire::new(scenario).unwrap(), chosen, seen: Vec::new(), most };
    let flows = flows.iter().map(|&(src, dst, bytes)| {
        Ok::<_, ArrivalError>(Arrival::from(Flow { start: Time::ZERO, src, dst, bytes }))
    });
    let results = scenario.run_with(&Sequential, flows, &mut recorder).unwrap();
    (recorder.seen, results)
}

/// RoCEv2 packets that hosts sent, with how long the simulator had them.
fn sent(seen: &[(CaptureRecord, Vec<u8>)]) -> Vec<(RocePacket<'_>, u16)> {
    let is_out = |(record, _): &&(CaptureRecord, Vec<u8>)| record.direction == Direction::Out;
    let packets = seen.iter().filter(is_out).filter_map(|(record, bytes)| {
        let CapturedFrame::Packet(packet) = record.frame else { return None };
        match Frame::decode(bytes).unwrap_or_else(|e| panic!("{e}: {bytes:02x?}")) {
            Frame::Roce(roce) => Some((roce, packet.bytes)),
            other => panic!("{other:?}"),
        }
    });
    packets.collect()
}

#[test]
fn write_packets_and_acknowledgements_are_encoded() {
    let scenario = read(RACK);
    let (seen, _) = run(&scenario, &[(0, 2, 2_500)], usize::MAX);
    let packets: Vec<RocePacket> = sent(&seen).into_iter().map(|(packet, _)| packet).collect();
    let reth = Reth { address: 0, key: 0, length: 2_500 };
    let (data, acks): (Vec<RocePacket>, Vec<RocePacket>) =
        packets.into_iter().partition(|p| !matches!(p.bth.operation, Operation::Acknowledge(_)));
    let operations: Vec<Operation> = data.iter().map(|p| p.bth.operation).collect();
    let (first, middle, last) =
        (Operation::WriteFirst(reth), Operation::WriteMiddle, Operation::WriteLast);
    assert_eq!(operations, [first, middle, last]);
    let lengths: Vec<usize> = data.iter().map(|p| p.payload.len()).collect();
    assert_eq!(lengths, [1_000, 1_000, 500]);
    for (seq, packet) in (0..).zip(&data) {
        assert_eq!((packet.bth.psn, packet.bth.queue_pair, packet.bth.ack_request), (seq, 2, true));
        assert_eq!((packet.ip.src, packet.ip.dst), ([10, 0, 0, 1], [10, 0, 0, 3]));
        assert_eq!((packet.ip.ecn, packet.src_port), (Ecn::NotCapable, 49_152));
    }
    let numbers = acks.iter().map(|packet| {
        let Operation::Acknowledge(aeth) = packet.bth.operation else { unreachable!() };
        assert_eq!(packet.ip.dst, [10, 0, 0, 1]);
        (packet.bth.psn, aeth.syndrome, aeth.msn)
    });
    let numbers: Vec<_> = numbers.collect();
    let ack = Syndrome::Ack;
    assert_eq!(numbers, [(0, ack, 0), (1, ack, 0), (2, ack, 1)]);
}

#[test]
fn encoded_lengths_equal_simulated_ones_except_reth_and_padding() {
    for extra in [0u32, 7, 16, 20] {
        let scenario = read(&format!("{RACK}[transport]\nextra-header = {extra}\n"));
        let (seen, _) = run(&scenario, &[(0, 2, 3_001), (1, 2, 1)], usize::MAX);
        let out = seen.iter().filter(|(record, _)| record.direction == Direction::Out);
        for (record, bytes) in out {
            let CapturedFrame::Packet(packet) = record.frame else { unreachable!() };
            let reth = if packet.seq == 0 { 16 } else { 0 };
            // The capture has no frame check sequence.
            let (simulated, there) = (u32::from(packet.bytes), bytes.len() as u32 + 4);
            let longer = there - simulated;
            let expected = 16u32.saturating_sub(extra).min(reth);
            assert!((expected..expected + 4).contains(&longer), "{extra} {packet:?}: {longer}");
        }
        // IRN 5.3.1: a RETH in each packet, where there is room for it.
        let last = &sent(&seen).into_iter().find(|p| p.0.bth.operation == Operation::WriteLast);
        let (last, _) = last.unwrap();
        let mut reth = Vec::new();
        Reth { address: 3_000, key: 0, length: 3_001 }.encode(&mut reth);
        assert_eq!(last.payload.len(), 1 + extra as usize);
        assert_eq!(last.payload.starts_with(&reth), extra >= 16);
    }
}

/// The counters are the oracle.
#[test]
fn captured_frames_equal_the_runs_counters() {
    let flows: Vec<(u32, u32, u64)> = (0..8).map(|n| (n % 2, 2, 30_000 + u64::from(n))).collect();
    for (transport, selective) in [
        ("kind = \"irn\"", true),
        ("kind = \"irn\"\nrecovery = \"no-sack\"", false),
        ("kind = \"roce\"", false),
    ] {
        let switch = "[switch]\nbuffer = \"20 KB\"\npfc = false\n";
        let scenario = read(&format!("{RACK}{switch}[transport]\n{transport}\n"));
        let (seen, results) = run(&scenario, &flows, usize::MAX);
        let packets = sent(&seen);
        let mut first = BTreeSet::new();
        let (mut again, mut beyond) = (0, 0);
        for (packet, _) in &packets {
            let Bth { operation, queue_pair, psn, .. } = packet.bth;
            match operation {
                Operation::Acknowledge(aeth) => {
                    let nack = aeth.syndrome == Syndrome::SequenceError;
                    beyond += u64::from(nack && aeth.msn > psn);
                }
                _ => again += u64::from(!first.insert((queue_pair, psn))),
            }
        }
        let counters = results.counters;
        assert!(counters.packets_dropped > 0 && again > 0, "{transport}");
        assert_eq!(again, counters.packets_retransmitted, "{transport}");
        assert_eq!(beyond > 0, selective, "{transport}: {beyond} NACKs name a packet");
        let came = seen.iter().filter(|(record, _)| record.direction == Direction::In).count();
        assert_eq!(came as u64, counters.packets_delivered, "{transport}");
        assert_eq!((came + packets.len()) as u64, seen.len() as u64);
    }
}

#[test]
fn marks_cnps_and_pfc_frames_are_encoded() {
    let scenario = read(&format!(
        "{RACK}[transport]\nkind = \"roce\"\n[switch]\nbuffer = \"30 KB\"\n\
         [congestion-control]\nkind = \"dcqcn\"\necn = {{ kmin = \"9 KB\", kmax = \"90 KB\", pmax = 0.1 }}\n"
    ));
    let (seen, results) = run(&scenario, &[(0, 2, 900_000), (1, 2, 900_000)], usize::MAX);
    let (mut marked, mut notified, mut stopped, mut went_on) = (0, 0, 0, 0);
    for (record, bytes) in seen.iter().filter(|seen| seen.0.direction == Direction::In) {
        match Frame::decode(bytes).unwrap() {
            Frame::Roce(packet) => {
                marked += u64::from(packet.ip.ecn == Ecn::Marked);
                if packet.bth.operation == Operation::Cnp {
                    assert!(packet.bth.becn && packet.ip.src == [10, 0, 0, 3]);
                    notified += 1;
                }
            }
            Frame::Pfc(pause) => {
                // The switch is the only one of its kind, by its ports to h0 and h1.
                assert_eq!(pause.src.0[..5], [0x02, 0x01, 0, 0, 1]);
                assert_eq!(scenario.fabric().rank(record.port.node) + 1, pause.src.0[5].into());
                match pause.quanta {
                    [None, None, None, Some(0xffff), None, None, None, None] => stopped += 1,
                    [None, None, None, Some(0), None, None, None, None] => went_on += 1,
                    other => panic!("{other:?}"),
                }
            }
            Frame::Tcp(_) => panic!("nobody speaks TCP"),
        }
    }
    assert!(results.counters.pauses > 0 && notified > 0);
    assert_eq!(marked, results.counters.packets_marked);
    assert_eq!((stopped, went_on), (results.counters.pauses, results.counters.pauses));
}

#[test]
fn iwarp_is_captured_as_tcp() {
    let scenario =
        read(&format!("{RACK}[switch]\nbuffer = \"8 KB\"\n[transport]\nkind = \"iwarp\"\n"));
    let (seen, results) = run(&scenario, &[(0, 2, 100_500), (1, 2, 100_000)], usize::MAX);
    assert!(results.counters.packets_dropped > 0);
    let mut bytes_of = [BTreeSet::new(), BTreeSet::new()];
    let mut selective = 0;
    for (_, bytes) in seen.iter().filter(|seen| seen.0.direction == Direction::In) {
        let Frame::Tcp(segment) = Frame::decode(bytes).unwrap() else { panic!("{bytes:02x?}") };
        selective += u64::from(segment.tcp.sack.is_some());
        if !segment.payload.is_empty() {
            let begin = segment.tcp.seq;
            let flow = usize::from(segment.tcp.src_port - 49_152);
            bytes_of[flow].extend(begin..begin + segment.payload.len() as u32);
        }
    }
    assert!(selective > 0);
    assert_eq!(bytes_of[0], (1..100_501).collect());
    assert_eq!(bytes_of[1], (1..100_001).collect());
}

#[test]
fn break_ends_the_capture_but_not_the_run() {
    let scenario = read(RACK);
    let (seen, results) = run(&scenario, &[(0, 2, 25_000)], 7);
    assert_eq!((seen.len(), results.finished), (7, 1));
}
