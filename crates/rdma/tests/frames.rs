//! Frames, byte by byte.

use bandwise_rdma::wire::{
    Aeth, Bth, Ecn, Frame, FrameError, Ipv4, Mac, Operation, PfcHeader, Reth, RocePacket, Stations,
    Syndrome, Tcp, TcpSegment,
};
use proptest::prelude::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn encoded(frame: &Frame) -> Vec<u8> {
    let mut out = Vec::new();
    frame.encode(&mut out);
    out
}

/// "RoCE CNP captured on ConnectX-4 Lx" in the tests of Scapy (test/contrib/roce.uts).
const CAPTURED: &str = "e41d 2dab 2bc2 7cfe 9064 3b32 0800 45c2 003c 718c 4000 4011 9161 0a00 1101 \
                        0a00 1201 0000 12b7 0028 0000 8100 ffff 4000 0118 0000 0000 0000 0000 0000 \
                        0000 0000 0000 0000 0000 82fd 002a";

#[test]
fn a_cnp_captured_from_a_nic() {
    let captured = bytes(CAPTURED);
    let frame = Frame::Roce(RocePacket {
        stations: Stations {
            dst: Mac([0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2]),
            src: Mac([0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32]),
        },
        ip: Ipv4 {
            src: [10, 0, 17, 1],
            dst: [10, 0, 18, 1],
            dscp: 48,
            ecn: Ecn::Capable0,
            id: 0x718c,
            ttl: 64,
        },
        src_port: 0,
        bth: Bth {
            operation: Operation::Cnp,
            fecn: false,
            becn: true,
            ack_request: false,
            queue_pair: 0x118,
            psn: 0,
        },
        payload: &[],
    });
    assert_eq!(Frame::decode(&captured), Ok(frame));
    assert_eq!(encoded(&frame), captured);
}

#[test]
fn pfc_frame_has_the_802_1qbb_layout() {
    // IEEE 802.1Qbb: priorities 0 and 3; the first resumes, the other pauses for the longest time.
    let mut quanta = [None; 8];
    (quanta[0], quanta[3]) = (Some(0), Some(0xffff));
    let frame = Frame::Pfc(PfcHeader { src: Mac([2, 0, 0, 0, 0, 7]), quanta });
    let mut expected = bytes("0180c2000001 020000000007 8808 0101 0009 0000 0000 0000 ffff");
    expected.resize(60, 0);
    assert_eq!(encoded(&frame), expected);
    assert_eq!(Frame::decode(&expected), Ok(frame));
}

#[test]
fn changed_frames_are_refused() {
    let captured = bytes(CAPTURED);
    let changed = |at: usize| {
        let mut bytes = captured.clone();
        bytes[at] ^= 4;
        Frame::decode(&bytes).map(|_| ())
    };
    assert_eq!(changed(27), Err(FrameError::Checksum("IPv4")));
    assert_eq!(changed(60), Err(FrameError::Checksum("RoCEv2")));
    // Ethernet addresses and the congestion bits may change.
    assert_eq!((changed(3), changed(46)), (Ok(()), Ok(())));
    for length in 0..captured.len() {
        assert!(Frame::decode(&captured[..length]).is_err());
    }
}

fn stations() -> impl Strategy<Value = Stations> {
    any::<([u8; 6], [u8; 6])>().prop_map(|(a, b)| Stations { dst: Mac(a), src: Mac(b) })
}

fn ip() -> impl Strategy<Value = Ipv4> {
    let ecn =
        prop::sample::select(vec![Ecn::NotCapable, Ecn::Capable0, Ecn::Capable1, Ecn::Marked]);
    (any::<([u8; 4], [u8; 4], u16, u8)>(), 0u8..64, ecn)
        .prop_map(|((src, dst, id, ttl), dscp, ecn)| Ipv4 { src, dst, dscp, ecn, id, ttl })
}

fn operation() -> impl Strategy<Value = Operation> {
    let reth =
        any::<(u64, u32, u32)>().prop_map(|(address, key, length)| Reth { address, key, length });
    let syndrome = prop::sample::select(vec![Syndrome::Ack, Syndrome::SequenceError]);
    let aeth = (syndrome, 0u32..1 << 24).prop_map(|(syndrome, msn)| Aeth { syndrome, msn });
    prop_oneof![
        reth.clone().prop_map(Operation::WriteFirst),
        Just(Operation::WriteMiddle),
        Just(Operation::WriteLast),
        reth.prop_map(Operation::WriteOnly),
        aeth.prop_map(Operation::Acknowledge),
        Just(Operation::Cnp),
    ]
}

fn bth() -> impl Strategy<Value = Bth> {
    (operation(), any::<[bool; 3]>(), 0u32..1 << 24, 0u32..1 << 24).prop_map(
        |(operation, [fecn, becn, ack_request], queue_pair, psn)| Bth {
            operation,
            fecn,
            becn,
            ack_request,
            queue_pair,
            psn,
        },
    )
}

fn tcp() -> impl Strategy<Value = Tcp> {
    any::<((u16, u16, u16), (u32, u32), (bool, bool), Option<[u32; 2]>)>().prop_map(
        |((src_port, dst_port, window), (seq, ack), (push, ece), sack)| Tcp {
            src_port,
            dst_port,
            seq,
            ack,
            push,
            ece,
            window,
            sack,
        },
    )
}

proptest! {
    #[test]
    fn written_frames_are_read(
        stations in stations(), ip in ip(), src_port in any::<u16>(), bth in bth(), tcp in tcp(),
        quanta in any::<[Option<u16>; 8]>(),
        payload in prop::collection::vec(any::<u8>(), 0..64),
        trailer in 0usize..20,
    ) {
        for frame in [
            Frame::Roce(RocePacket { stations, ip, src_port, bth, payload: &payload }),
            Frame::Tcp(TcpSegment { stations, ip, tcp, payload: &payload }),
            Frame::Pfc(PfcHeader { src: stations.src, quanta }),
        ] {
            let mut bytes = encoded(&frame);
            bytes.resize(bytes.len() + trailer, 0);
            prop_assert_eq!(Frame::decode(&bytes), Ok(frame));
        }
    }

    #[test]
    fn any_bytes_decode_without_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 0..120),
        ether_type in prop::sample::select(vec![[0x08, 0x00], [0x88, 0x08]]),
    ) {
        if bytes.len() > 14 {
            bytes[12..14].copy_from_slice(&ether_type);
        }
        let _ = Frame::decode(&bytes);
    }

    /// Real frames with a changed byte, which pass more checks than random ones.
    #[test]
    fn broken_frames_are_read_without_a_panic(
        stations in stations(), ip in ip(), bth in bth(), tcp in tcp(), at in 0usize..120, with: u8,
    ) {
        for frame in [
            Frame::Roce(RocePacket { stations, ip, src_port: 1, bth, payload: &[1, 2, 3] }),
            Frame::Tcp(TcpSegment { stations, ip, tcp, payload: &[] }),
        ] {
            let mut bytes = encoded(&frame);
            let at = at % bytes.len();
            bytes[at] = with;
            let _ = Frame::decode(&bytes);
            let _ = Frame::decode(&bytes[..at]);
        }
    }
}
