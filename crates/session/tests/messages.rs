//! Messages of two sides, with any peer.

use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_session::{
    Bits24, Gid, KeyValue, LONGEST_LINE, Lines, ManagerPort, Message, MessageError, Method,
    Operation, Part, QpAddress, Region, Side, Task,
};
use proptest::prelude::*;

fn numbers() -> impl Strategy<Value = (u32, u32, u32, u32, u32, u32)> {
    (0u32..=1 << 30, 0u32..=4096, 1u32..=1024, 1u32..=16384, 0u32..=15, 0u32..=255)
}

fn task() -> impl Strategy<Value = Task> {
    let methods = prop::sample::select(vec![
        Method::Rperf,
        Method::PingPong(Operation::Send),
        Method::PingPong(Operation::Write),
        Method::PostPoll,
        Method::ClosedLoop(Operation::WriteImm),
        Method::ClosedLoop(Operation::Read),
        Method::ClosedLoop(Operation::Atomic),
        Method::Bulk(Operation::Send),
        Method::Bulk(Operation::Write),
        Method::KeyValue(KeyValue {
            clients: 4.try_into().unwrap(),
            workers: 3.try_into().unwrap(),
            put_every: 20,
        }),
    ]);
    let mtus = prop::sample::select(vec![256u32, 512, 1024, 2048, 4096]);
    let transports = prop::sample::select(vec![Transport::Rc, Transport::Ud]);
    (methods, transports, mtus, numbers()).prop_map(|(method, transport, mtu, n)| Task {
        method,
        transport,
        bytes: n.0.try_into().unwrap(),
        inline: n.1.try_into().unwrap(),
        queue_pairs: n.2.try_into().unwrap(),
        threads: (1 + n.3 % 64).try_into().unwrap(),
        depth: n.3.try_into().unwrap(),
        mtu: Mtu::try_from(mtu).unwrap(),
        sl: n.4.try_into().unwrap(),
        traffic_class: n.5.try_into().unwrap(),
        events: n.0 % 2 == 0,
        manager: n.1 % 2 == 0,
    })
}

fn side() -> impl Strategy<Value = Side> {
    let qps = prop::collection::vec((0u32..1 << 24, 0u32..1 << 24), 0..20);
    let gid = prop::option::of(any::<[u8; 16]>().prop_map(Gid));
    (".{0,20}", any::<u16>(), gid, any::<(u64, u32, u32)>(), qps).prop_map(
        |(device, lid, gid, (address, rkey, bytes), qps)| Side {
            device,
            lid,
            gid,
            mtu: Mtu::MAX,
            region: Region { address, rkey, bytes },
            manager: (rkey % 2 == 0).then_some(ManagerPort { port: lid, secret: rkey }),
            queue_pairs: qps
                .into_iter()
                .map(|(number, psn)| QpAddress {
                    number: Bits24::of_lowest(number),
                    psn: Bits24::of_lowest(psn),
                    part: number % 3,
                })
                .collect(),
        },
    )
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        (task(), side()).prop_map(|(task, side)| Message::Ask { task, side }),
        side().prop_map(Message::Ready),
        ".{0,40}".prop_map(Message::Refused),
        "(?s).{0,40}".prop_map(Message::Failed),
        Just(Message::Alive),
        Just(Message::Next),
        Just(Message::Done),
    ]
}

/// All messages, and the error that ended them.
fn read(lines: &mut Lines) -> (Vec<Message>, Option<MessageError>) {
    let mut messages = Vec::new();
    loop {
        match lines.next_message() {
            Some(Ok(message)) => messages.push(message),
            Some(Err(error)) => return (messages, Some(error)),
            None => return (messages, None),
        }
    }
}

proptest! {
    /// For any division of the bytes the same messages are decoded.
    #[test]
    fn messages_round_trip_across_any_cuts(
        messages in prop::collection::vec(message(), 1..6), cuts in prop::collection::vec(1usize..200, 1..9),
    ) {
        let bytes: String = messages.iter().map(Message::encode).collect();
        let (mut lines, mut read_back) = (Lines::default(), Vec::new());
        let mut rest = bytes.as_bytes();
        for cut in cuts.iter().cycle() {
            let (part, after) = rest.split_at((*cut).min(rest.len()));
            lines.push(part);
            let (some, error) = read(&mut lines);
            prop_assert_eq!(error, None);
            read_back.extend(some);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(read_back, messages);
    }

    /// Any bytes are read or refused, also those that begin like a message.
    #[test]
    fn any_bytes_are_read_or_refused(message in message(), at in any::<prop::sample::Index>(), bytes in any::<Vec<u8>>()) {
        let mut text = message.encode().into_bytes();
        let at = at.index(text.len());
        text.splice(at..(at + bytes.len()).min(text.len()), bytes.iter().copied());
        text.push(b'\n');
        for bytes in [&text, &bytes] {
            let mut lines = Lines::default();
            lines.push(bytes);
            read(&mut lines);
        }
    }
}

/// The fuzzer's seeds are valid messages.
#[test]
fn fuzzer_seeds_are_messages() {
    for (seed, count) in [
        (include_bytes!("../../../fuzz/seeds/session/client.jsonl").as_slice(), 3),
        (include_bytes!("../../../fuzz/seeds/session/server.jsonl"), 3),
    ] {
        let mut lines = Lines::default();
        lines.push(seed);
        let (messages, error) = read(&mut lines);
        assert_eq!((messages.len(), error), (count, None));
        for message in messages {
            if let Message::Ask { task, .. } = message {
                assert!(task.plan(Part::Server).is_ok());
            }
        }
    }
}

#[test]
fn other_version_is_reported_for_any_content() {
    let line = br#"{"bandwise":7,"message":{"hello":[1,2]},"more":true}"#;
    assert_eq!(Message::decode(line), Err(MessageError::OtherVersion(7)));
    let message = MessageError::OtherVersion(7).to_string();
    assert!(message.contains("version 7") && message.contains("version 5"), "{message}");
    let not_ours = Message::decode(b"SSH-2.0-OpenSSH_9.2").unwrap_err();
    assert!(not_ours.to_string().contains("does `bandwise rperf` run"), "{not_ours}");
}

#[test]
fn numbers_out_of_range_are_no_message() {
    let fine = br#"{"bandwise":5,"message":{"ready":{"device":"a","lid":0,"gid":null,"mtu":1024,"region":{"address":1,"rkey":2,"bytes":3},"queue_pairs":[{"number":16777215,"psn":0}]}}}"#;
    assert!(Message::decode(fine).is_ok());
    let fine = std::str::from_utf8(fine).unwrap();
    for (is, would_be) in [
        ("16777215", "16777216"),
        ("1024", "1500"),
        ("\"gid\":null", "\"gid\":\"10.0.0.1\""),
        ("\"lid\":0", "\"lid\":65536"),
        ("\"lid\":0", "\"lid\":0,\"more\":0"),
    ] {
        let line = fine.replace(is, would_be);
        assert!(
            matches!(Message::decode(line.as_bytes()), Err(MessageError::NotOurs(_))),
            "{line}"
        );
    }
}

#[test]
fn too_long_line_is_refused() {
    let mut lines = Lines::default();
    lines.push(&[b' '; LONGEST_LINE]);
    assert_eq!(lines.next_message(), None);
    lines.push(b" ");
    assert_eq!(lines.next_message(), Some(Err(MessageError::TooLong(LONGEST_LINE))));
}
