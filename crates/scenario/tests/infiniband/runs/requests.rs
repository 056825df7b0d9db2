//! Every opcode, transport and way to learn of completions, on an idle fabric.

use super::{gbps, median_ns, run};

/// The requests there are: opcode, transport, payload.
const REQUESTS: [(&str, &str, &str); 6] = [
    ("send", "rc", "64 B"),
    ("write", "rc", "64 B"),
    ("write-imm", "rc", "64 B"),
    ("read", "rc", "64 B"),
    ("atomic", "rc", "8 B"),
    ("send", "ud", "64 B"),
];

const INTERRUPT_NS: f64 = 7_000.0;

/// A flow from one host to another through a switch. Between the ports, a byte is 440 ns on its
/// way there and back.
fn alone(flow: &str) -> String {
    format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 2 }}\n\
         link = {{ rate = \"54.545454545 Gbps\", delay = \"10 ns\" }}\n\
         [device]\ninterrupt = \"7 us\"\n[run]\nduration = \"50 ms\"\n\
         [[flow]]\nfrom = \"h1\"\nto = \"h0\"\n{flow}\n"
    )
}

fn closed_loop(opcode: &str, transport: &str, bytes: &str, completion: &str) -> f64 {
    let results = run(&alone(&format!(
        "method = \"closed-loop\"\nopcode = {opcode:?}\ntransport = {transport:?}\n\
         bytes = {bytes:?}\ncompletion = {completion:?}\nsamples = 500"
    )));
    let (median, samples) = median_ns(&results.flows[0]);
    assert_eq!(samples, 500, "{opcode} on {transport}");
    assert_eq!(results.counters.packets_dropped, 0, "{opcode} on {transport}");
    median
}

#[test]
fn closed_loop_latency_is_that_of_its_request() {
    let [send, write, write_imm, read, atomic, datagram] =
        REQUESTS.map(|(opcode, transport, bytes)| closed_loop(opcode, transport, bytes, "poll"));
    let all = format!(
        "SEND {send} ns, WRITE {write} ns, WRITE with immediate {write_imm} ns, READ {read} ns, \
         atomic {atomic} ns, UD SEND {datagram} ns"
    );
    // A datagram needs no acknowledgement. A SEND is acknowledged before the remote DMA, all others after it.
    assert!(datagram + 440.0 < send, "{all}");
    assert!(send + 400.0 < read && read < send + 1_000.0, "{all}");
    assert!(send + 400.0 < atomic && atomic < send + 1_500.0, "{all}");
    // A WRITE's acknowledgement waits until the data is placed.
    assert!(read < write && write < send + 2_000.0, "{all}");
    assert_eq!(write, write_imm, "{all}");
}

#[test]
fn an_interrupt_adds_its_time() {
    for (opcode, transport, bytes) in REQUESTS {
        let [poll, event] = ["poll", "event"].map(|c| closed_loop(opcode, transport, bytes, c));
        let more = event - poll;
        assert!(
            (INTERRUPT_NS - 50.0..=INTERRUPT_NS).contains(&more),
            "{opcode} on {transport}: {event} ns by event less {poll} ns by polling is {more} ns"
        );
    }
}

#[test]
fn methods_include_the_interrupts_on_their_path() {
    let median = |method: &str, completion: &str| {
        let keys = format!("method = {method:?}\ncompletion = {completion:?}\nsamples = 500");
        median_ns(&run(&alone(&keys)).flows[0]).0
    };
    // RPerf's two completions are late by the same; a ping-pong has programs at both ends.
    for (method, interrupts) in [("rperf", 0.0), ("post-poll", 1.0), ("ping-pong", 2.0)] {
        let more = median(method, "event") - median(method, "poll");
        let off = more - interrupts * INTERRUPT_NS;
        assert!(off.abs() < 50.0, "{method}: {more} ns more for {interrupts} interrupts");
    }
}

#[test]
fn every_bulk_flow_fills_the_link_or_its_message_rate() {
    for (opcode, transport, _) in REQUESTS {
        for completion in ["poll", "event"] {
            let bytes = if opcode == "atomic" { "8 B" } else { "4 KiB" };
            let text = alone(&format!(
                "method = \"bulk\"\nopcode = {opcode:?}\ntransport = {transport:?}\n\
                 bytes = {bytes:?}\nbuffer = \"256 KiB\"\ncompletion = {completion:?}"
            ));
            let results = run(&text.replace("50 ms", "1 ms"));
            let flow = &results.flows[0];
            let (rate, messages) = (gbps(flow), flow.bandwidth.unwrap().messages);
            let details = format!(
                "{opcode} on {transport} by {completion}: {rate:.2} Gbps, {messages} messages"
            );
            if opcode == "atomic" {
                // One in 135 ns, the least time between messages of a queue pair.
                assert!((7_300..=7_410).contains(&messages), "{details}");
            } else {
                // 4096 of 4096 and 26 to 46 bytes of headers.
                assert!((53.5..=54.3).contains(&rate), "{details}");
            }
        }
    }
}

/// READs of several hosts by one converge at its port as SENDs to it do.
#[test]
fn bulk_reads_share_the_reader_s_link() {
    let mut text = String::from(
        "kind = \"infiniband\"\n[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"54.545454545 Gbps\" }\n\
         [run]\nduration = \"2 ms\"\n",
    );
    for to in ["h1", "h2", "h3"] {
        text += &format!(
            "[[flow]]\nfrom = \"h0\"\nto = {to:?}\nmethod = \"bulk\"\nopcode = \"read\"\n\
             buffer = \"128 KiB\"\n"
        );
    }
    let rates: Vec<f64> = run(&text).flows.iter().map(gbps).collect();
    let total: f64 = rates.iter().sum();
    assert!((53.5..=54.3).contains(&total), "{rates:.2?} Gbps");
    assert!(rates.iter().all(|rate| (rate / total - 1.0 / 3.0).abs() < 0.02), "{rates:.2?} Gbps");
}
