//! Thresholds of marks by rate, and those that no queue reaches.

use super::{parse, try_read};
use bandwise_netsim::ethernet::Marking;
use bandwise_rdma::congestion::RedMarker;
use bandwise_units::{BitRate, Bytes};

/// Five ports of 25 Gbps with cables of 1 us. The headroom of each is 25e9 x 2 us / 8 = 6,250 B, three
/// packets and a pause frame of 3,310 B: 9,560 B.
fn five_ports(switch: &str, transport: &str, ecn: &str) -> String {
    format!(
        "[fabric]\nbuild = {{ single-switch = 5 }}\nlink = {{ rate = \"25 Gbps\", delay = \"1 us\" }}\n\
         [switch]\n{switch}[transport]\nkind = \"{transport}\"\n\
         [congestion-control]\nkind = \"dcqcn\"\necn = {{ {ecn} }}\n\
         [workload]\nincast = {{ senders = 4, bytes = \"1 MB\" }}\n"
    )
}

const SHARED: &str = "queues = \"output\"\nbuffer = \"1 MB\"\nalpha = 0.25\n";

fn warnings(switch: &str, transport: &str, ecn: &str) -> Vec<String> {
    let warnings = parse(&five_ports(switch, transport, ecn)).warnings;
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn marks_that_begin_beyond_all_queues_give_a_warning() {
    let warn = |switch, transport, ecn| warnings(switch, transport, ecn).join("\n");
    // Four inputs may hold 4 x 1/4 / (1 + 4 x 1/4) = half of 1,000,000 - 5 x 9,560 = 952,200 B.
    insta::assert_snapshot!(warn(SHARED, "roce", "kmin = \"476100 B\", kmax = \"800 KB\""), @"n.toml:13: marks begin at 476100 B and PFC stops all inputs of an output at 476100 B, at 5 ports, such as switch:1: congestion control acts too late or never (allowed: Kmin below 476100 B, or a larger buffer)");
    assert_eq!(warn(SHARED, "roce", "kmin = \"476099 B\", kmax = \"800 KB\""), "");
    // A quarter of the thresholds at 100 Gbps.
    let by_rate = "kmin = \"1904400 B\", kmax = \"3 MB\", at = \"100 Gbps\"";
    insta::assert_snapshot!(warn(SHARED, "roce", by_rate), @"n.toml:13: marks begin at 476100 B and PFC stops all inputs of an output at 476100 B, at 5 ports, such as switch:1: congestion control acts too late or never (allowed: Kmin below 476100 B, or a larger buffer)");
    let less = "kmin = \"1904399 B\", kmax = \"3 MB\", at = \"100 Gbps\"";
    assert_eq!(warn(SHARED, "roce", less), "");
    // Without PFC one queue may hold 1/4 / (1 + 1/4) = a fifth of the buffer.
    insta::assert_snapshot!(warn(SHARED, "irn", "kmin = \"200 KB\", kmax = \"800 KB\""), @"n.toml:13: marks begin at 200000 B and packets are dropped at 200000 B, at 5 ports, such as switch:1: congestion control acts too late or never (allowed: Kmin below 200000 B, or a larger buffer)");
    assert_eq!(warn(SHARED, "irn", "kmin = \"199999 B\", kmax = \"800 KB\""), "");
    // Four inputs stop at 240,000 - 9,560 B each: 921,760 B.
    insta::assert_snapshot!(warn("", "roce", "kmin = \"921760 B\", kmax = \"2 MB\""), @"n.toml:10: marks begin at 921760 B and PFC stops all inputs of an output at 921760 B, at 5 ports, such as switch:1: congestion control acts too late or never (allowed: Kmin below 921760 B, or a larger buffer)");
    assert_eq!(warn("", "roce", "kmin = \"921759 B\", kmax = \"930 KB\""), "");
    // With a lossless and a lossy class, the longer queue counts.
    let two = format!("{SHARED}classes = 2\nlossless = [1]\n");
    let only = "n.toml:10: lossless classes without priority flow control (allowed: `lossless` with `pfc`)";
    assert_eq!(warn(&two, "irn", "kmin = \"199999 B\", kmax = \"800 KB\""), only);
}

#[test]
fn a_full_probability_beyond_the_buffer_gives_a_warning() {
    let warn = |switch, ecn| warnings(switch, "roce", ecn).join("\n");
    insta::assert_snapshot!(warn(SHARED, "kmin = \"100 KB\", kmax = \"1000001 B\""), @"n.toml:13: marks reach their full probability at 1000001 B at switch:1, beyond the switch's buffer of 1000000 B: they never do (allowed: Kmax up to 1000000 B, or a larger buffer)");
    assert_eq!(warn(SHARED, "kmin = \"100 KB\", kmax = \"1 MB\""), "");
    // 4,000,004 B at 100 Gbps are 1,000,001 B at 25 Gbps.
    let beyond = "kmin = \"400 KB\", kmax = \"4000004 B\", at = \"100 Gbps\"";
    assert!(warn(SHARED, beyond).contains("at 1000001 B at switch:1, beyond"));
    assert_eq!(warn(SHARED, "kmin = \"400 KB\", kmax = \"4 MB\", at = \"100 Gbps\""), "");
    // Packets for an output come from four inputs of 240,000 B: 960,000 B.
    assert!(warn("", "kmin = \"100 KB\", kmax = \"960001 B\"").contains("buffer of 960000 B"));
    assert_eq!(warn("", "kmin = \"100 KB\", kmax = \"960 KB\""), "");
}

/// With a threshold beyond 476,100 B and the headroom of four inputs, 38,240 B, a run has pauses and no
/// marks. With a lower one it has marks.
#[test]
fn the_warning_is_right() {
    let counters = |ecn: &str| {
        let text = five_ports(SHARED, "roce", ecn).replace("1 MB\" }", "12 MB\" }");
        parse(&text).scenario.run(&mut ()).counters
    };
    let beyond = counters("kmin = \"514341 B\", kmax = \"800 KB\", pmax = 1.0");
    assert!(beyond.packets_marked == 0 && beyond.pauses > 0, "{beyond:?}");
    assert!(beyond.peak_buffer > Bytes::new(470_000), "{beyond:?}");
    let within = counters("kmin = \"400 KB\", kmax = \"401 KB\", pmax = 1.0");
    assert!(within.packets_marked > 0, "{within:?}");
}

#[test]
fn impossible_thresholds_are_refused() {
    let refused =
        |switch: &str, ecn: &str| try_read(&five_ports(switch, "roce", ecn)).expect_err(ecn);
    insta::assert_snapshot!(refused(SHARED, "kmin = \"1000001 B\", kmax = \"2 MB\""), @"n.toml:13: marks begin at 1000001 B at switch:1, beyond the switch's buffer (allowed: Kmin below 476100 B, or a larger buffer)");
    insta::assert_snapshot!(refused("", "kmin = \"960001 B\", kmax = \"2 MB\""), @"n.toml:10: marks begin at 960001 B at switch:1, beyond the switch's buffer (allowed: Kmin below 921760 B, or a larger buffer)");
    insta::assert_snapshot!(refused(SHARED, "at = \"0 Gbps\""), @"n.toml:13: at can't be 0 bps (allowed: 10 Mbps to 100 Tbps)");
    insta::assert_snapshot!(refused(SHARED, "at = \"1000 Tbps\""), @"n.toml:13: at can't be 1000 Tbps (allowed: 10 Mbps to 100 Tbps)");
    insta::assert_snapshot!(refused(SHARED, "at = 25"), @r#"n.toml:13: 25 can't stand here (allowed: a rate such as "10 Gbps")"#);
}

#[test]
fn thresholds_of_a_rate_are_read() {
    let text =
        five_ports("", "roce", "kmin = \"20 KB\", kmax = \"80 KB\", pmax = 0.2, at = \"10 Gbps\"");
    let marker = RedMarker::new(Bytes::new(20_000), Bytes::new(80_000), 0.2).unwrap();
    let at = Some(BitRate::from_gbps(10));
    assert_eq!(parse(&text).scenario.model().switch.ecn, Some(Marking { marker, at }));
}
