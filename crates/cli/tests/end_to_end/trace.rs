//! `bandwise sim run --trace`. What stands in the packets is for `tests/trace/`.

use crate::common::Place;

const RACK: &str = "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 3 }\n\
                    link = { rate = \"40 Gbps\", delay = \"2 us\" }\n";
const LIST: &str = "start_ns,src,dst,bytes\n0,0,2,1000\n0,1,2,2000\n";

fn rack() -> Place {
    let place = Place::new();
    place.write("n.toml", RACK);
    place.write("l.csv", LIST);
    place
}

const RUN: [&str; 7] = ["sim", "run", "n.toml", "--flows", "l.csv", "--trace", "t.pcapng"];

/// The kinds of the blocks in a file, and how long they are.
fn blocks(bytes: &[u8]) -> Vec<(u32, usize)> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let length = word(at + 4) as usize;
        assert_eq!(word(at + length - 4) as usize, length);
        found.push((word(at), length));
        at += length;
    }
    found
}

fn traced(place: &Place, flags: &[&str]) -> (Vec<(u32, usize)>, String) {
    let ran = place.run(&[&RUN, flags].concat()).good();
    (blocks(&std::fs::read(place.path().join("t.pcapng")).unwrap()), ran.stderr)
}

fn count(blocks: &[(u32, usize)], kind: u32) -> usize {
    blocks.iter().filter(|block| block.0 == kind).count()
}

#[test]
fn trace_has_all_or_the_selected_packets() {
    let place = rack();
    // Three packets and their acknowledgements over two links, seen at both ends of each.
    let (all, message) = traced(&place, &[]);
    assert_eq!((all[0].0, count(&all, 1), count(&all, 6)), (0x0a0d_0d0a, 6, 24));
    assert!(message.contains("trace: packets 24, ports 6, the last at 0.00"), "{message}");
    // Two packets of the flow and their acknowledgements: where they leave, and where they arrive.
    let (of_flow, _) = traced(&place, &["--trace-flow", "1"]);
    assert_eq!((count(&of_flow, 1), count(&of_flow, 6)), (4, 12));
    let (of_port, _) = traced(&place, &["--trace-port", "h0"]);
    assert_eq!((count(&of_port, 1), count(&of_port, 6)), (1, 2));
    assert_eq!(traced(&place, &["--trace-port", "h0:1"]).0, of_port);
    let (of_both, _) = traced(&place, &["--trace-port", "h0:1", "--trace-flow", "1"]);
    assert_eq!(count(&of_both, 6), 14);
    let (of_switch, _) = traced(&place, &["--trace-port", "switch"]);
    assert_eq!((count(&of_switch, 1), count(&of_switch, 6)), (3, 12));
}

#[test]
fn tracing_is_deterministic_and_keeps_results() {
    let place = rack();
    let results = |flags: &[&str]| {
        let ran = place.run(&[&["sim", "run", "n.toml", "--flows", "l.csv"], flags].concat());
        ran.good().stdout
    };
    let plain = results(&[]);
    assert_eq!(results(&["--trace", "a.pcapng"]), plain);
    assert_eq!(results(&["--trace", "b.pcapng"]), plain);
    let bytes = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    assert_eq!(bytes("a.pcapng"), bytes("b.pcapng"));
}

#[test]
fn packet_snap_and_flow_limits_apply() {
    let place = rack();
    let (few, message) = traced(&place, &["--trace-packets", "5"]);
    assert_eq!(count(&few, 6), 5);
    assert!(message.contains("warning: the trace ends there; the run continued"), "{message}");
    let (short, _) = traced(&place, &["--trace-snap", "64"]);
    assert_eq!(count(&short, 6), 24);
    // 32 bytes around a packet and 16 of options.
    assert!(short.iter().filter(|block| block.0 == 6).all(|block| block.1 <= 32 + 64 + 16));
    let (none, message) = traced(&place, &["--trace-flow", "1", "--trace-flow", "7"]);
    assert_eq!(count(&none, 6), 12);
    assert!(message.contains("warning: there is no flow 7: 2 flows started, from 0"), "{message}");
}

#[test]
fn invalid_trace_flags_are_refused() {
    let place = rack();
    let refused = |flags: &[&str], message: &[&str]| {
        place.run(&[&RUN, flags].concat()).refused(message);
        assert!(!place.path().join("t.pcapng").exists());
    };
    refused(
        &["--trace-port", "h9"],
        &["--trace-port h9: there is no node \"h9\"", "allowed: h0, h1"],
    );
    refused(&["--trace-port", "h1:2"], &["h1 has no port \"2\" with a cable", "allowed: port 1"]);
    refused(&["--trace-port", "switch:x"], &["no port \"x\" with a cable", "port 1, 2, 3"]);
    refused(&["--trace-port", ""], &["there is no node \"\""]);
    refused(&["--trace-flow", "-1"], &["--trace-flow can't be \"-1\"", "allowed: 0 to 4294967295"]);
    refused(&["--trace-packets", "0"], &["--trace-packets can't be \"0\"", "allowed: 1 to "]);
    refused(&["--trace-snap", "3"], &["--trace-snap can't be \"3\"", "allowed: 14 to 65535"]);
    refused(&["--flow-results", "t.pcapng"], &["the file is used twice"]);
    for (flag, value) in [
        ("--trace-flow", "1"),
        ("--trace-port", "h0"),
        ("--trace-packets", "9"),
        ("--trace-snap", "64"),
    ] {
        let ran = place.run(&["sim", "run", "n.toml", flag, value]);
        ran.refused(&["there is no file for packets", "with --trace FILE.pcapng"]);
    }
    let ran = place.run(&["sim", "run", "n.toml", "--trace", "-"]);
    ran.refused(&["--trace -: needs a file"]);
    let ran = place.run(&["sim", "run", "n.toml", "--trace", "no/t.pcapng"]);
    ran.refused(&["--trace no/t.pcapng: there is no folder no"]);
}

#[test]
fn full_disk_fails_the_trace() {
    let ran = rack().run(&["sim", "run", "n.toml", "--trace", "/dev/full"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("writing /dev/full: No space left"), "{ran:#?}");
}
