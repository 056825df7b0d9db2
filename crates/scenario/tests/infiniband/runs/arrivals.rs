//! The payload of bulk flows that are measured for the time of a few messages.

use super::{gbps, run};

/// Returns the result of a bulk flow over a link, the only one with these keys.
fn bulk(rate: &str, time: &str, keys: &str) -> (f64, u64) {
    let results = run(&format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 2 }}\nlink = {{ rate = \"{rate}\" }}\n\
         [run]\n{time}\n[[flow]]\nfrom = \"h0\"\nto = \"h1\"\nmethod = \"bulk\"\n{keys}\n"
    ));
    (gbps(&results.flows[0]), results.flows[0].bandwidth.unwrap().messages)
}

/// The rate of the link less headers: 4096 of 4122 B. A measurement is wrong by one packet of 4 KiB at
/// most, whatever the part of a message is that it sees: 1 MiB at 100 Gbps takes 84 us.
#[test]
fn long_messages_have_the_rate_of_the_link() {
    let time = |us: u32| format!("warmup = \"1 ms\"\nduration = \"{us} us\"");
    for us in [20, 72, 74, 80, 250] {
        let packet = 4096.0 * 8.0 / (f64::from(us) * 1e3);
        for keys in [
            "bytes = \"1 MiB\"",
            "bytes = \"1 MiB\"\nopcode = \"read\"",
            "opcode = \"send\"\nbuffer = \"1 MiB\"",
        ] {
            let (got, _) = bulk("100 Gbps", &time(us), keys);
            let by_hand = 100.0 * 4096.0 / 4122.0;
            assert!((got - by_hand).abs() < 2.0 * packet, "{us} us, {keys}: {got}, {by_hand}");
        }
    }
    // 64 MiB take 17 ms; two are complete after 50 ms.
    let time = "warmup = \"0 s\"\nduration = \"50 ms\"";
    let (got, messages) = bulk("32 Gbps", time, "bytes = \"64 MiB\"");
    assert!((got / (32.0 * 4096.0 / 4122.0) - 1.0).abs() < 2e-3, "{got}");
    assert_eq!(messages, 2);
}

/// A core handles fewer completions of 1 KiB than the link carries messages, so completions of messages
/// from before the measurement are seen in it. What arrives is 1024 of 1050 B.
#[test]
fn late_completions_do_not_count() {
    for opcode in ["send", "write", "read"] {
        let keys =
            format!("bytes = \"1 KiB\"\nqps = 16\nbuffer = \"1 MiB\"\nopcode = \"{opcode}\"");
        let (got, _) = bulk("100 Gbps", "duration = \"1 ms\"", &keys);
        assert!(got < 100.0 * 1024.0 / 1050.0 + 0.1, "{opcode}: {got}");
    }
}

/// The payload of a flow that stops counts up to then, not that of messages in flight.
#[test]
fn nothing_counts_after_the_stop() {
    let time = "warmup = \"100 us\"\nduration = \"900 us\"";
    let (got, _) = bulk("100 Gbps", time, "bytes = \"1 MiB\"\nstop = \"150 us\"");
    assert!((got / (100.0 * 4096.0 / 4122.0) - 1.0).abs() < 0.02, "{got}");
    let (got, messages) = bulk("100 Gbps", time, "bytes = \"1 MiB\"\nstop = \"50 us\"");
    assert_eq!((got, messages), (0.0, 0));
}

/// The rate of a flow is that of the time in which it sends.
#[test]
fn flow_counts_from_its_start() {
    let time = "warmup = \"100 us\"\nduration = \"1900 us\"";
    let by_hand = 100.0 * 4096.0 / 4122.0;
    for more in ["start = \"1 ms\"", "start = \"500 us\"\nstop = \"1500 us\""] {
        let (got, _) = bulk("100 Gbps", time, &format!("bytes = \"64 KiB\"\n{more}"));
        assert!((got / by_hand - 1.0).abs() < 0.01, "{more}: {got}");
    }
    let (got, messages) = bulk("100 Gbps", time, "start = \"1 s\"");
    assert_eq!((got, messages), (0.0, 0));
}
