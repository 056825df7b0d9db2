//! Error messages for mistakes in flows.

use super::{SMALL, after, error, read, with};

/// The error of a bulk flow with more keys.
fn bulk(keys: &str) -> String {
    with("method = \"bulk\"", &format!("method = \"bulk\"\n{keys}"))
}

/// The error of a latency flow with more keys.
fn latency(keys: &str) -> String {
    after(&format!("{keys}\n"))
}

#[test]
fn invalid_hosts_are_refused() {
    insta::assert_snapshot!(with("h1", "h9"), @r#"s.toml:7: there is no host "h9" (allowed: one of 3 hosts: "h0", "h1", "h2")"#);
    insta::assert_snapshot!(with("to = \"h0\"", "to = \"switch\""), @r#"s.toml:8: "switch" is a switch, not a host (allowed: one of 3 hosts: "h0", "h1", "h2")"#);
    insta::assert_snapshot!(with("from = \"h1\"", "from = \"h0\""), @r#"s.toml:7: "h0" sends to itself (allowed: two different hosts)"#);
    insta::assert_snapshot!(with("from = \"h1\"", "from = [\"h1\", \"h0\"]"), @r#"s.toml:7: "h0" sends to itself (allowed: two different hosts)"#);
    insta::assert_snapshot!(with("from = \"h1\"", "from = [\"h1\", \"h1\"]"), @r#"s.toml:7: "h1" is among the senders twice (allowed: each sender once)"#);
    insta::assert_snapshot!(with("from = \"h1\"", "from = []"), @"s.toml:7: no host sends (allowed: the names of one or more hosts)");
    insta::assert_snapshot!(with("from = \"h1\"", "from = 1"), @r#"s.toml:7: 1 can't stand here (allowed: the name of a host, or a list of names such as ["h1", "h2"])"#);
    insta::assert_snapshot!(with("from = \"h1\"", "from = [\n  \"h1\",\n  2,\n]"), @"s.toml:9: 2 can't stand here (allowed: a text in quotes)");
    insta::assert_snapshot!(with("from = \"h1\"\n", ""), @"s.toml:6: missing field `from` (allowed: `from` in this table)");
    insta::assert_snapshot!(with("to = \"h0\"", "to = [\"h0\"]"), @"s.toml:8: a list can't stand here (allowed: a text in quotes)");
    let many = |name: &str| {
        let text = super::SMALL.replace("single-switch = 3", "single-switch = 64");
        error(&text.replacen("h1", name, 1))
    };
    insta::assert_snapshot!(many("h64"), @r#"s.toml:7: there is no host "h64" (allowed: one of 64 hosts; near are "h4", "h6", "h14", "h24", "h34")"#);
    insta::assert_snapshot!(many("node01"), @r#"s.toml:7: there is no host "node01" (allowed: one of 64 hosts: "h0", "h1", "h2", "h3", "h4", …)"#);
}

#[test]
fn keys_of_other_methods_are_refused() {
    insta::assert_snapshot!(with("\"rperf\"", "\"rprf\""), @r#"s.toml:14: unknown method "rprf" (allowed: rperf, ping-pong, post-poll, closed-loop or bulk)"#);
    insta::assert_snapshot!(with("\"rperf\"", "1"), @"s.toml:14: 1 can't stand here (allowed: rperf, ping-pong, post-poll, closed-loop or bulk)");
    insta::assert_snapshot!(with("method = \"rperf\"", "methd = \"rperf\""), @"s.toml:14: unknown field `methd` (allowed: one of `name`, `from`, `to`, `method`, `bytes`, `sl`, `samples`, `warmup-rounds`, `think`, `completion`, `transport`, `opcode`, `buffer`, `batch`, `depth`, `max-rd-atomic`, `qps`, `rate`, `start`, `stop`)");
    insta::assert_snapshot!(with("method = \"rperf\"\n", ""), @"s.toml:11: missing field `method` (allowed: `method` in this table)");
    insta::assert_snapshot!(bulk("samples = 10"), @"s.toml:10: bulk does not use `samples` (allowed: `samples` with rperf, ping-pong, post-poll, closed-loop)");
    insta::assert_snapshot!(bulk("think = \"1 us\""), @"s.toml:10: bulk does not use `think` (allowed: `think` with rperf, ping-pong, post-poll, closed-loop)");
    insta::assert_snapshot!(bulk("warmup-rounds = 1"), @"s.toml:10: bulk does not use `warmup-rounds` (allowed: `warmup-rounds` with rperf, ping-pong, post-poll, closed-loop)");
    insta::assert_snapshot!(latency("qps = 2"), @"s.toml:15: rperf does not use `qps` (allowed: `qps` with bulk)");
    insta::assert_snapshot!(latency("stop = \"1 ms\""), @"s.toml:15: rperf does not use `stop` (allowed: `stop` with bulk)");
    insta::assert_snapshot!(latency("rate = \"1 Gbps\""), @"s.toml:15: rperf does not use `rate` (allowed: `rate` with bulk)");
    insta::assert_snapshot!(latency("buffer = \"1 MiB\""), @"s.toml:15: rperf does not use `buffer` (allowed: `buffer` with bulk)");
    insta::assert_snapshot!(latency("batch = 8"), @"s.toml:15: rperf does not use `batch` (allowed: `batch` with bulk)");
    insta::assert_snapshot!(latency("depth = 8"), @"s.toml:15: rperf does not use `depth` (allowed: `depth` with closed-loop, bulk)");
    insta::assert_snapshot!(latency("opcode = \"send\""), @"s.toml:15: rperf does not use `opcode` (allowed: `opcode` with closed-loop, bulk)");
    insta::assert_snapshot!(bulk("opcode = \"raed\""), @r#"s.toml:10: unknown opcode "raed" (allowed: send, write, write-imm, read or atomic)"#);
    insta::assert_snapshot!(bulk("completion = \"interrupt\""), @r#"s.toml:10: unknown completion "interrupt" (allowed: poll or event)"#);
    insta::assert_snapshot!(bulk("completion = true"), @"s.toml:10: true can't stand here (allowed: poll or event)");
}

#[test]
fn invalid_transports_and_payloads_are_refused() {
    insta::assert_snapshot!(bulk("transport = \"uc\""), @r#"s.toml:10: unknown transport "uc" (allowed: rc or ud)"#);
    insta::assert_snapshot!(latency("transport = \"ud\""), @"s.toml:15: rperf does not use `transport` (allowed: `transport` with closed-loop, bulk)");
    insta::assert_snapshot!(bulk("transport = \"ud\"\nopcode = \"write\""), @r#"s.toml:11: UD carries nothing but SENDs (allowed: opcode = "send", or transport = "rc")"#);
    insta::assert_snapshot!(bulk("opcode = \"read\"\ntransport = \"ud\""), @r#"s.toml:10: UD carries nothing but SENDs (allowed: opcode = "send", or transport = "rc")"#);
    insta::assert_snapshot!(bulk("transport = \"ud\"\nbytes = \"8 KiB\""), @r#"s.toml:11: a datagram of 8 KiB does not fit the MTU of 4096 B (allowed: up to 4096 B, or transport = "rc")"#);
    insta::assert_snapshot!(bulk("transport = \"ud\"\nbytes = \"1025 B\"\n[device]\nmtu = 1024"), @r#"s.toml:11: a datagram of 1025 B does not fit the MTU of 1024 B (allowed: up to 1024 B, or transport = "rc")"#);
    insta::assert_snapshot!(bulk("opcode = \"atomic\"\nbytes = \"64 B\""), @"s.toml:11: no atomic has 64 B (allowed: 8 B)");
    insta::assert_snapshot!(bulk("opcode = \"atomic\"\nbytes = \"0 B\""), @"s.toml:11: no atomic has 0 B (allowed: 8 B)");
    let closed_loop = |keys: &str| with("\"rperf\"", &format!("\"closed-loop\"\n{keys}"));
    insta::assert_snapshot!(closed_loop("transport = \"ud\"\nopcode = \"atomic\""), @r#"s.toml:16: UD carries nothing but SENDs (allowed: opcode = "send", or transport = "rc")"#);
    insta::assert_snapshot!(closed_loop("transport = \"ud\"\nbytes = \"4097 B\""), @r#"s.toml:16: a datagram of 4097 B does not fit the MTU of 4096 B (allowed: up to 4096 B, or transport = "rc")"#);
    insta::assert_snapshot!(closed_loop("opcode = \"atomic\"\nbytes = \"0 B\""), @"s.toml:16: no atomic has 0 B (allowed: 8 B)");
}

#[test]
fn invalid_sizes_and_numbers_are_refused() {
    insta::assert_snapshot!(bulk("bytes = \"-5 B\""), @r#"s.toml:10: "-5 B" is negative (allowed: a size such as "32 KiB")"#);
    insta::assert_snapshot!(bulk("bytes = 64"), @r#"s.toml:10: 64 can't stand here (allowed: a size such as "32 KiB")"#);
    insta::assert_snapshot!(bulk("bytes = \"0 B\""), @"s.toml:10: bytes can't be 0 B (allowed: 1 B to 1 GiB)");
    insta::assert_snapshot!(bulk("buffer = \"1 KiB\""), @"s.toml:10: a message of 4 KiB does not fit the send buffer of 1 KiB (allowed: `bytes` up to 1 KiB, or `buffer` from 4 KiB)");
    insta::assert_snapshot!(bulk("buffer = \"8 GiB\""), @"s.toml:10: buffer can't be 8 GiB (allowed: 1 B to 1 GiB)");
    insta::assert_snapshot!(bulk("rate = \"0 Gbps\""), @"s.toml:10: rate can't be 0 bps (allowed: 1 kbps to 100 Tbps)");
    insta::assert_snapshot!(bulk("start = \"2 h\""), @r#"s.toml:10: "2 h" needs another unit: ps, ns, us, ms or s (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(bulk("start = \"7200 s\""), @"s.toml:10: start can't be 7200 s (allowed: 0 ps to 3600 s)");
    insta::assert_snapshot!(bulk("start = \"2 ms\"\nstop = \"2 ms\""), @"s.toml:11: stop 2 ms is not after start 2 ms (allowed: `stop` after 2 ms)");
    insta::assert_snapshot!(bulk("stop = \"0 s\""), @"s.toml:10: stop 0 ps is not after start 0 ps (allowed: `stop` after 0 ps)");
    insta::assert_snapshot!(bulk("rate = \"fast\""), @r#"s.toml:10: "fast" does not start with a decimal number such as 1.5 (allowed: a rate such as "10 Gbps")"#);
    insta::assert_snapshot!(bulk("batch = 0"), @"s.toml:10: batch can't be 0 (allowed: 1 to 1048576)");
    insta::assert_snapshot!(bulk("depth = -1"), @"s.toml:10: -1 is negative (allowed: a whole number, 0 or more, without quotes)");
    insta::assert_snapshot!(bulk("max-rd-atomic = 16"), @r#"s.toml:10: no READ and no atomic is sent, which it would limit (allowed: max-rd-atomic with opcode = "read" or "atomic")"#);
    insta::assert_snapshot!(bulk("opcode = \"read\"\nmax-rd-atomic = 0"), @"s.toml:11: max-rd-atomic can't be 0 (allowed: 1 to 255)");
    insta::assert_snapshot!(latency("max-rd-atomic = 1"), @"s.toml:15: rperf does not use `max-rd-atomic` (allowed: `max-rd-atomic` with closed-loop, bulk)");
    insta::assert_snapshot!(bulk("qps = 0"), @"s.toml:10: qps can't be 0 (allowed: 1 to 16384)");
    insta::assert_snapshot!(bulk("qps = 100000"), @"s.toml:10: qps can't be 100000 (allowed: 1 to 16384)");
    insta::assert_snapshot!(latency("samples = 0"), @"s.toml:15: samples can't be 0 (allowed: 1 to 1000000000)");
    insta::assert_snapshot!(latency("think = \"1 h\""), @r#"s.toml:15: "1 h" needs another unit: ps, ns, us, ms or s (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(latency("bytes = \"8 GiB\""), @"s.toml:15: bytes can't be 8 GiB (allowed: 0 B to 1 GiB)");
    let busy = |i| {
        format!(
            "[[flow]]\nname = \"{i}\"\nfrom = \"h1\"\nto = \"h2\"\nmethod = \"bulk\"\nqps = 16384\n"
        )
    };
    insta::assert_snapshot!(after(&(0..4).map(busy).collect::<String>()), @r#"s.toml:38: "h1" has 65537 queue pairs with this (allowed: up to 65535 for each host)"#);
    super::read(&format!("{}bytes = \"0 B\"\n", super::SMALL));
}

#[test]
fn invalid_names_are_refused() {
    insta::assert_snapshot!(after("[[flow]]\nfrom = \"h2\"\nto = \"h0\"\nmethod = \"rperf\"\n"), @r#"s.toml:16: two flows have the name "rperf h2->h0" (allowed: a `name` that no other flow has)"#);
    insta::assert_snapshot!(after("[[flow]]\nname = \"bulk h1->h0\"\nfrom = \"h1\"\nto = \"h2\"\nmethod = \"bulk\"\n"), @r#"s.toml:16: two flows have the name "bulk h1->h0" (allowed: a `name` that no other flow has)"#);
    insta::assert_snapshot!(bulk("name = \"\""), @r#"s.toml:10: "" can't be the name of a flow (allowed: one or more characters, none of them a control character)"#);
    insta::assert_snapshot!(bulk("name = \"a\\nb\""), @r#"s.toml:10: "a\nb" can't be the name of a flow (allowed: one or more characters, none of them a control character)"#);
}

#[test]
fn rates_over_link_and_slot_are_refused() {
    insta::assert_snapshot!(bulk("rate = \"56 Gbps\""), @"s.toml:10: a rate of 56 Gbps is over the 54.545454545 Gbps of a link of its path (allowed: up to 54.545454545 Gbps)");
    let slot = "[[node]]\nname = \"h0\"\ndevice = { pcie-rate = \"8 Gbps\" }\n";
    insta::assert_snapshot!(error(&format!("{SMALL}{slot}").replacen("\"bulk\"", "\"bulk\"\nrate = \"9 Gbps\"", 1)), @r#"s.toml:10: a rate of 9 Gbps is over the 8 Gbps of PCIe of "h0" (allowed: up to 8 Gbps)"#);
    read(&format!("{SMALL}{slot}").replacen("\"bulk\"", "\"bulk\"\nrate = \"8 Gbps\"", 1));
}

#[test]
fn lanes_without_service_are_refused() {
    let on = |sl: u8, qos: &str| after(&format!("sl = {sl}\n[qos]\n{qos}\n"));
    let sl2vl = "sl2vl = [0, 1, 15, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]";
    insta::assert_snapshot!(latency("sl = 16"), @"s.toml:15: sl can't be 16 (allowed: 0 to 15)");
    insta::assert_snapshot!(latency("sl = -1"), @"s.toml:15: -1 is negative (allowed: a whole number, 0 or more, without quotes)");
    insta::assert_snapshot!(on(2, sl2vl), @"s.toml:15: SL2 is mapped to 15 at h2:1, which drops its packets (allowed: sl = 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL2 in qos.sl2vl)");
    insta::assert_snapshot!(on(3, &format!("{sl2vl}\nlow = [\"0:64\", \"1:64\"]")), @"s.toml:15: SL3 goes to VL3 at h2:1, where no arbitration entry serves this lane (allowed: sl = 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or an entry for VL3 in qos.high or qos.low)");
    insta::assert_snapshot!(on(3, &format!("{sl2vl}\nlow = [\"0:64\", \"3:0\"]")), @"s.toml:15: SL3 goes to VL3 at h2:1, where no arbitration entry serves this lane (allowed: sl = 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or an entry for VL3 in qos.high or qos.low)");
    insta::assert_snapshot!(on(1, &format!("{sl2vl}\nlow = [\"1:64\"]")), @"s.toml:8: SL0 goes to VL0 at h1:1, where no arbitration entry serves this lane (allowed: sl = 1, or an entry for VL0 in qos.high or qos.low)");
    let nine = "sl2vl = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0]\nlow = [\"0:1\", \"7:1\", \"8:1\"]";
    let preset = "[switch]\npreset = \"sb7800-edr\"";
    insta::assert_snapshot!(on(8, &format!("{nine}\n{preset}")), @r#"s.toml:15: SL8 goes to VL8 at h2:1, which "switch" does not have: sb7800-edr has 8 lanes for data (allowed: sl = 0, 7, 10, 11, 12, 13, 14, 15, or VL0 to VL7 for SL8 in sl2vl)"#);
    super::read(&format!("{}sl = 7\n[qos]\n{nine}\n{preset}\n", super::SMALL));
    super::read(&format!("{}sl = 8\n[qos]\n{nine}\n", super::SMALL));
    insta::assert_snapshot!(after("[qos]\nlow = [\"5:64\"]\n"), @"s.toml:8: SL0 goes to VL0 at h1:1, where no arbitration entry serves this lane (allowed: an entry for VL0 in qos.high or qos.low)");
}

/// The error of [`SMALL`](super::SMALL) with a level for its last flow and tables of one port.
fn on_port(sl: u8, port: &str) -> String {
    after(&format!("sl = {sl}\n[qos]\nsl2vl = {LANES}\n[[qos.port]]\n{port}\n"))
}

/// Two lanes, and a level that is dropped.
const LANES: &str = "[0, 1, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]";

#[test]
fn lanes_dropped_at_a_port_are_refused() {
    let drops = LANES.replace("[0, 1, ", "[0, 15, ");
    let both = format!("output = 1\nsl2vl = {drops}");
    insta::assert_snapshot!(on_port(1, &format!("node = \"switch\"\n{both}")), @r#"s.toml:15: SL1 is mapped to 15 from switch:3 to switch:1, which drops its packets (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL1 in sl2vl of the [[qos.port]] of "switch")"#);
    insta::assert_snapshot!(on_port(1, &format!("node = \"switch\"\ninput = 3\n{both}")), @r#"s.toml:15: SL1 is mapped to 15 from switch:3 to switch:1, which drops its packets (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL1 in sl2vl of the [[qos.port]] of "switch")"#);
    insta::assert_snapshot!(on_port(1, &format!("node = \"switch\"\noutput = 3\nsl2vl = {drops}")), @r#"s.toml:15: SL1 is mapped to 15 from switch:1 to switch:3, on the way back, which drops its packets (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL1 in sl2vl of the [[qos.port]] of "switch")"#);
    insta::assert_snapshot!(on_port(1, &format!("node = \"h2\"\nsl2vl = {drops}")), @r#"s.toml:15: SL1 is mapped to 15 at h2:1, which drops its packets (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL1 in sl2vl of the [[qos.port]] of "h2")"#);
    insta::assert_snapshot!(on_port(1, &format!("node = \"h0\"\nsl2vl = {drops}")), @r#"s.toml:15: SL1 is mapped to 15 at h0:1, on the way back, which drops its packets (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL1 in sl2vl of the [[qos.port]] of "h0")"#);
    insta::assert_snapshot!(on_port(1, "node = \"switch\"\noutput = 1\nlow = [\"0:64\"]"), @r#"s.toml:15: SL1 goes to VL1 from switch:3 to switch:1, where no arbitration entry serves this lane (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or an entry for VL1 in high or low of the [[qos.port]] of "switch")"#);
    insta::assert_snapshot!(on_port(1, "node = \"switch\"\nlow = [\"0:64\", \"1:0\"]"), @r#"s.toml:15: SL1 goes to VL1 from switch:3 to switch:1, where no arbitration entry serves this lane (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or an entry for VL1 in high or low of the [[qos.port]] of "switch")"#);
    insta::assert_snapshot!(on_port(1, "node = \"h0\"\nhigh = [\"0:64\"]\nlow = []"), @r#"s.toml:15: SL1 goes to VL1 at h0:1, on the way back, where no arbitration entry serves this lane (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or an entry for VL1 in high or low of the [[qos.port]] of "h0")"#);
    // The lane that the port's own mapping gives, not that of the others.
    let third = LANES.replace("[0, 1, ", "[0, 3, ");
    insta::assert_snapshot!(on_port(1, &format!("node = \"switch\"\noutput = 1\nsl2vl = {third}\nlow = [\"0:64\", \"1:64\"]")), @r#"s.toml:15: SL1 goes to VL3 from switch:3 to switch:1, where no arbitration entry serves this lane (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or an entry for VL3 in high or low of the [[qos.port]] of "switch")"#);
    // Tables of unused ports have no effect, and the last table of a port counts.
    let read = |port: &str| {
        super::read(&format!("{}sl = 1\n[qos]\nsl2vl = {LANES}\n{port}", super::SMALL))
    };
    read(&format!("[[qos.port]]\nnode = \"switch\"\ninput = 2\n{both}\n"));
    read(&format!("[[qos.port]]\nnode = \"h1\"\nsl2vl = {drops}\n"));
    read(&format!(
        "[[qos.port]]\nnode = \"switch\"\n{both}\n[[qos.port]]\nnode = \"switch\"\nsl2vl = {LANES}\n"
    ));
}

#[test]
fn datagrams_need_no_return_path() {
    let flow = |keys: &str| {
        let text = super::SMALL.replace("\"rperf\"", &format!("\"closed-loop\"\n{keys}\nsl = 1"));
        let drops = LANES.replace("[0, 1, ", "[0, 15, ");
        format!("{text}[[qos.port]]\nnode = \"switch\"\noutput = 3\nsl2vl = {drops}\n")
    };
    insta::assert_snapshot!(error(&flow("")), @r#"s.toml:16: SL1 is mapped to 15 from switch:1 to switch:3, on the way back, which drops its packets (allowed: sl = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, or a lane for SL1 in sl2vl of the [[qos.port]] of "switch")"#);
    super::read(&flow("transport = \"ud\""));
}
