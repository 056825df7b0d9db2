//! Error messages for mistakes in `[switch]`, `[device]`, `[qos]`, `[congestion-control]` and `[run]`.

use super::after;

#[test]
fn invalid_switch_settings_are_refused() {
    let switch = |keys: &str| after(&format!("\n[switch]\n{keys}\n"));
    insta::assert_snapshot!(switch("buffer = \"4 KiB\""), @"s.toml:17: a buffer of 4 KiB can't hold a packet of the MTU of 4096 B with its headers (allowed: 4160 B to 4194240 B)");
    insta::assert_snapshot!(switch("buffer = \"4159 B\""), @"s.toml:17: a buffer of 4159 B can't hold a packet of the MTU of 4096 B with its headers (allowed: 4160 B to 4194240 B)");
    insta::assert_snapshot!(switch("buffer = \"1 GiB\""), @"s.toml:17: a buffer of 1 GiB has more blocks than credits can count (allowed: 4160 B to 4194240 B)");
    insta::assert_snapshot!(switch("buffer = \"320 B\"\n[device]\nmtu = 512"), @"s.toml:17: a buffer of 320 B can't hold a packet of the MTU of 512 B with its headers (allowed: 576 B to 4194240 B)");
    insta::assert_snapshot!(switch("buffer = 32768"), @r#"s.toml:17: 32768 can't stand here (allowed: a size such as "32 KiB")"#);
    insta::assert_snapshot!(switch("latency = \"200\""), @r#"s.toml:17: "200" needs a unit: ps, ns, us, ms or s (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(switch("latency = \"1.5 s\""), @"s.toml:17: latency can't be 1.5 s (allowed: 0 ps to 1 s)");
    insta::assert_snapshot!(switch("credit-delay = \"-5 ns\""), @r#"s.toml:17: "-5 ns" is negative (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(switch("scheduling = \"fifo\""), @r#"s.toml:17: unknown scheduling "fifo" (allowed: "fcfs", "age" or "round-robin")"#);
    insta::assert_snapshot!(switch("queueing = 3"), @r#"s.toml:17: 3 can't stand here (allowed: "fifo" or "voq")"#);
    insta::assert_snapshot!(switch("hiccup = { one-in = 0, up-to = \"1 ns\" }"), @"s.toml:17: one-in can't be 0 (allowed: 1 to 4294967295)");
    insta::assert_snapshot!(switch("hiccup = { one-in = 5000000000, up-to = \"1 ns\" }"), @"s.toml:17: one-in can't be 5000000000 (allowed: 1 to 4294967295)");
    insta::assert_snapshot!(switch("hiccup = { one-in = 256 }"), @"s.toml:17: missing field `up-to` (allowed: `up-to` in this table)");
    insta::assert_snapshot!(switch("hiccup = true"), @r#"s.toml:17: true says too little (allowed: { one-in = 256, up-to = "200 ns" } or false)"#);
    insta::assert_snapshot!(switch("preset = \"sb7700\""), @r#"s.toml:17: unknown preset "sb7700" (allowed: generic, sx6036-fdr, sb7800-edr, qm8700-hdr, qm9700-ndr, q3400-xdr)"#);
    let faster = |keys: &str| {
        let small = super::SMALL.replacen("54.545454545 Gbps", "100 Gbps", 1);
        super::error(&format!("{small}{keys}\n"))
    };
    insta::assert_snapshot!(faster("[switch]\npreset = \"sx6036-fdr\""), @"s.toml:16: sx6036-fdr has no link of 100 Gbps (allowed: a preset with such a link; this one has up to 56.25 Gbps)");
    insta::assert_snapshot!(faster("[[node]]\nname = \"switch\"\nswitch = { preset = \"sx6036-fdr\" }"), @"s.toml:17: sx6036-fdr has no link of 100 Gbps (allowed: a preset with such a link; this one has up to 56.25 Gbps)");
    super::read(&format!("{}[switch]\npreset = \"sb7800-edr\"\n", super::SMALL));
    super::read(&format!("{}[switch]\nbuffer = \"4160 B\"\n", super::SMALL));
    super::read(&format!("{}[switch]\nbuffer = \"320 B\"\n[device]\nmtu = 256\n", super::SMALL));
}

#[test]
fn invalid_device_settings_are_refused() {
    let device = |keys: &str| after(&format!("\n[device]\n{keys}\n"));
    insta::assert_snapshot!(device("mtu = 5000"), @"s.toml:17: an MTU of 5000 bytes does not exist (allowed: 256, 512, 1024, 2048 or 4096)");
    insta::assert_snapshot!(device("mtu = -1"), @r#"s.toml:17: -1 is negative (allowed: a number of bytes such as 4096 or "4 KiB")"#);
    insta::assert_snapshot!(device("mtu = \"4 kb\""), @r#"s.toml:17: "4 kb" needs another unit: B, KB, KiB, MB, MiB, GB, GiB, TB, TiB, PB or PiB (allowed: a size such as "32 KiB")"#);
    insta::assert_snapshot!(device("mtu = 4294971392"), @"s.toml:17: an MTU of 4294971392 bytes does not exist (allowed: 256, 512, 1024, 2048 or 4096)");
    insta::assert_snapshot!(device("preset = \"connectx-4\""), @r#"s.toml:17: unknown preset "connectx-4" (allowed: connectx3-fdr, connectx4-56g, connectx5-edr, connectx6-hdr, connectx7-ndr, connectx8-xdr)"#);
    insta::assert_snapshot!(device("preset = 4"), @"s.toml:17: 4 can't stand here (allowed: a text in quotes)");
    insta::assert_snapshot!(device("dma-read = 450"), @r#"s.toml:17: 450 can't stand here (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(device("dma-read = \"450 h\""), @r#"s.toml:17: "450 h" needs another unit: ps, ns, us, ms or s (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(device("pcie-rate = \"0 Gbps\""), @"s.toml:17: pcie-rate can't be 0 bps (allowed: 10 Mbps to 100 Tbps)");
    insta::assert_snapshot!(device("loopback-rate = \"1 Mbps\""), @"s.toml:17: loopback-rate can't be 1 Mbps (allowed: 10 Mbps to 100 Tbps)");
    insta::assert_snapshot!(device("pcie-payload = \"0 B\""), @"s.toml:17: pcie-payload can't be 0 B (allowed: 64 B to 4 KiB)");
    insta::assert_snapshot!(device("rx-buffer = \"1 KiB\""), @"s.toml:17: a buffer of 1 KiB can't hold a packet of the MTU of 4096 B with its headers (allowed: 4160 B to 4194240 B)");
    insta::assert_snapshot!(device("os-tick = true"), @r#"s.toml:17: true says too little (allowed: { period = "4 ms", steal = "4 us" } or false)"#);
    insta::assert_snapshot!(device("os-tick = \"off\""), @r#"s.toml:17: the text "off" can't stand here (allowed: { period = "4 ms", steal = "4 us" } or false)"#);
    insta::assert_snapshot!(device("os-tick = { period = \"4 ms\", steal = \"4 ms\" }"), @"s.toml:17: a tick that steals its whole period leaves the program nothing (allowed: less than the period of 4 ms)");
    insta::assert_snapshot!(device("os-tick = { period = \"0 s\", steal = \"0 s\" }"), @"s.toml:17: period can't be 0 ps (allowed: 1 ns to 1 s)");
    insta::assert_snapshot!(device("os-tick = { period = \"4 ms\" }"), @"s.toml:17: missing field `steal` (allowed: `steal` in this table)");
    insta::assert_snapshot!(device("idle-states = [{ after = \"80 us\", exit = \"10 us\" }, { after = \"80 us\", exit = \"59 us\" }]"), @"s.toml:17: an idle state must be entered later than the one before it, and take longer to leave (allowed: after more than 80 us, exit over 10 us)");
    insta::assert_snapshot!(device("idle-states = [{ after = \"80 us\" }]"), @"s.toml:17: missing field `exit` (allowed: `exit` in this table)");
    insta::assert_snapshot!(device("idle-states = [{ after = \"2 s\", exit = \"1 us\" }]"), @"s.toml:17: after can't be 2 s (allowed: 0 ps to 1 s)");
    insta::assert_snapshot!(device("gpu-wqe = \"4 ms\""), @"s.toml:17: unknown field `gpu-wqe` (allowed: one of `preset`, `mtu`, `os-tick`, `idle-states`, `cpu-wqe`, `cpu-inline`, `cpu-completion`, `cpu-poll`, `interrupt`, `mmio`, `doorbell-gap`, `dma-read`, `dma-write`, `dma-flush`, `tx`, `rx`, `issue-gap`, `qp-gap`, `pcie-rate`, `loopback-rate`, `pcie-payload`, `pcie-overhead`, `tx-buffer`, `rx-buffer`, `inline-max`)");
}

#[test]
fn invalid_qos_settings_are_refused() {
    let qos = |keys: &str| after(&format!("\n[qos]\n{keys}\n"));
    insta::assert_snapshot!(qos("low = [\n  \"0:64\",\n  \"1:300\",\n]"), @r#"s.toml:19: a lane can't have a weight of 300 (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(qos("high = [\"15:64\"]"), @r#"s.toml:17: lane 15 carries no data (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(qos("high = [\"64\"]"), @r#"s.toml:17: "64" is not an arbitration entry (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(qos("high = [64]"), @"s.toml:17: 64 can't stand here (allowed: a text in quotes)");
    insta::assert_snapshot!(qos("high = [\"-1:64\"]"), @r#"s.toml:17: "-1:64" is not an arbitration entry (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(qos(&format!("low = [{}]", "\"0:1\", ".repeat(65))), @"s.toml:17: the low-priority table has 65 entries (allowed: up to 64)");
    insta::assert_snapshot!(qos("low = [\"0:0\"]"), @"s.toml:17: no entry of the arbitration table has a weight: at least one must be 1 to 255 (allowed: one or more entries with a weight of 1 to 255)");
    insta::assert_snapshot!(qos("low = []"), @"s.toml:17: no entry of the arbitration table has a weight: at least one must be 1 to 255 (allowed: one or more entries with a weight of 1 to 255)");
    insta::assert_snapshot!(qos("high-limit = 256"), @"s.toml:17: high-limit can't be 256 (allowed: 0 to 255)");
    insta::assert_snapshot!(qos("sl2vl = [0, 1]"), @"s.toml:17: 2 entries map service levels to lanes (allowed: 16, one for each level)");
    insta::assert_snapshot!(qos("sl2vl = [0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"), @"s.toml:17: SL1 is mapped to 16 (allowed: a lane of 0 to 14, or 15 to drop the packets of this level)");
    insta::assert_snapshot!(qos("sl2vl = [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]"), @"s.toml:17: no entry of the arbitration table has a weight: at least one must be 1 to 255 (allowed: one or more entries with a weight of 1 to 255)");
}

#[test]
fn invalid_port_settings_are_refused() {
    let port = |keys: &str| after(&format!("\n[[qos.port]]\n{keys}\n"));
    let lanes = "sl2vl = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]";
    let of = |node: &str, keys: &str| port(&format!("node = {node:?}\n{lanes}\n{keys}"));
    insta::assert_snapshot!(of("swich", ""), @r#"s.toml:17: there is no node "swich" (allowed: one of 4 nodes: "switch", "h0", "h1", "h2")"#);
    insta::assert_snapshot!(of("switch", "output = 4"), @r#"s.toml:19: "switch" has no port 4 (allowed: 1 to 3)"#);
    insta::assert_snapshot!(of("switch", "output = 0"), @r#"s.toml:19: "switch" has no port 0 (allowed: 1 to 3)"#);
    insta::assert_snapshot!(of("switch", "input = 300"), @r#"s.toml:19: "switch" has no port 300 (allowed: 1 to 3)"#);
    insta::assert_snapshot!(of("h1", "output = 2"), @r#"s.toml:19: "h1" has no port 2 (allowed: 1)"#);
    insta::assert_snapshot!(of("h1", "input = 1"), @r#"s.toml:19: "h1" is a host: nothing passes through it (allowed: `input` with a switch)"#);
    insta::assert_snapshot!(of("switch", "output = -1"), @"s.toml:19: -1 is negative (allowed: a whole number, 0 or more, without quotes)");
    insta::assert_snapshot!(of("switch", "output = \"1\""), @r#"s.toml:19: the text "1" can't stand here (allowed: a whole number, 0 or more, without quotes)"#);
    insta::assert_snapshot!(of("switch", "input = 1\nhigh = [\"0:64\"]"), @"s.toml:20: `high` can't depend on the input: arbitration is an output's (allowed: `input` with sl2vl alone, and another [[qos.port]] without `input`)");
    insta::assert_snapshot!(of("switch", "input = 1\nlow = [\"0:64\"]"), @"s.toml:20: `low` can't depend on the input: arbitration is an output's (allowed: `input` with sl2vl alone, and another [[qos.port]] without `input`)");
    insta::assert_snapshot!(of("switch", "input = 1\nhigh-limit = 3"), @"s.toml:20: `high-limit` can't depend on the input: arbitration is an output's (allowed: `input` with sl2vl alone, and another [[qos.port]] without `input`)");
    insta::assert_snapshot!(port("node = \"switch\"\noutput = 1"), @"s.toml:16: no table is given (allowed: sl2vl, or high, low and high-limit, or both)");
    insta::assert_snapshot!(port(lanes), @"s.toml:16: missing field `node` (allowed: `node` in this table)");
    insta::assert_snapshot!(port("node = \"switch\"\nsl2vl = [0]"), @"s.toml:18: 1 entries map service levels to lanes (allowed: 16, one for each level)");
    insta::assert_snapshot!(port("node = \"switch\"\nhigh = [\"15:1\"]"), @r#"s.toml:18: lane 15 carries no data (allowed: VL:WEIGHT such as "1:64", with a lane of 0 to 14 and a weight of 0 to 255)"#);
    insta::assert_snapshot!(port("node = \"switch\"\nlow = []"), @"s.toml:18: no entry of the arbitration table has a weight: at least one must be 1 to 255 (allowed: one or more entries with a weight of 1 to 255)");
    insta::assert_snapshot!(port("node = \"switch\"\nhigh-limit = 256"), @"s.toml:18: high-limit can't be 256 (allowed: 0 to 255)");
    insta::assert_snapshot!(of("switch", "vl = 1"), @"s.toml:19: unknown field `vl` (allowed: one of `node`, `input`, `output`, `sl2vl`, `high`, `low`, `high-limit`)");
    insta::assert_snapshot!(after("\n[qos.port]\nnode = \"switch\"\n"), @"s.toml:16: a table can't stand here (allowed: a list, or for tables [[name]] before each)");
    insta::assert_snapshot!(after("\n[qos]\nport = [[\"switch\", 1, 1]]\n"), @"s.toml:17: a list can't stand here (allowed: one [table])");
    insta::assert_snapshot!(after("\n[device]\ninterrupt = 4\n"), @r#"s.toml:17: 4 can't stand here (allowed: a time such as "200 ns")"#);
}

#[test]
fn invalid_congestion_control_settings_are_refused() {
    let cc = |keys: &str| after(&format!("\n[congestion-control]\n{keys}\n"));
    insta::assert_snapshot!(cc("threshold = \"65 KiB\""), @"s.toml:17: marks begin at 65 KiB, and the buffers of all inputs hold 64 KiB for an output: nothing is marked (allowed: up to 64 KiB, or a larger `buffer` of [switch])");
    insta::assert_snapshot!(cc("threshold = 3"), @r#"s.toml:17: 3 can't stand here (allowed: a size such as "32 KiB")"#);
    insta::assert_snapshot!(cc("marking-rate = 65536"), @"s.toml:17: marking-rate can't be 65536 (allowed: 0 to 65535)");
    insta::assert_snapshot!(cc("table = 0"), @"s.toml:17: table can't be 0 (allowed: 1 to 65535)");
    insta::assert_snapshot!(cc("table = 4\nccti-min = 4"), @"s.toml:18: CCTI_Min is 4, but CCTI_Limit, the last entry of the table, is 3 (allowed: a floor of 0 to 3, the last entry of the table)");
    insta::assert_snapshot!(cc("table = \"linear\""), @r#"s.toml:17: the text "linear" can't stand here (allowed: a number of entries such as 128, or { quadratic = 128, longest = 5.76 })"#);
    insta::assert_snapshot!(cc("table = -1"), @"s.toml:17: -1 is negative (allowed: a number of entries such as 128, or { quadratic = 128, longest = 5.76 })");
    insta::assert_snapshot!(cc("table = { linear = 5 }"), @"s.toml:17: unknown field `linear` (allowed: one of `quadratic`, `longest`, `shift`)");
    insta::assert_snapshot!(cc("table = { quadratic = 128 }"), @"s.toml:17: missing field `longest` (allowed: `longest` in this table)");
    insta::assert_snapshot!(cc("table = { quadratic = 1, longest = 3 }"), @"s.toml:17: quadratic can't be 1 (allowed: 2 to 65535)");
    insta::assert_snapshot!(cc("table = { quadratic = 128, longest = 2048 }"), @"s.toml:17: longest can't be 2048 (allowed: 0 to 2047.875)");
    insta::assert_snapshot!(cc("table = { quadratic = 128, longest = nan }"), @"s.toml:17: longest can't be NaN (allowed: 0 to 2047.875)");
    insta::assert_snapshot!(cc("table = { quadratic = 128, longest = 5, shift = 4 }"), @"s.toml:17: shift can't be 4 (allowed: 0 to 3)");
    insta::assert_snapshot!(cc("table = { quadratic = 4, longest = 5 }\nccti-min = 4"), @"s.toml:18: CCTI_Min is 4, but CCTI_Limit, the last entry of the table, is 3 (allowed: a floor of 0 to 3, the last entry of the table)");
    insta::assert_snapshot!(cc("mark-victims = true"), @r#"s.toml:17: true can't stand here (allowed: "none", "hosts" or "all")"#);
    insta::assert_snapshot!(cc("mark-victims = \"some\""), @r#"s.toml:17: unknown ports "some" (allowed: "none", "hosts" or "all")"#);
    insta::assert_snapshot!(cc("ccti-min = 300"), @"s.toml:17: ccti-min can't be 300 (allowed: 0 to 255)");
    insta::assert_snapshot!(cc("ccti-timer = \"150 us\""), @r#"s.toml:17: the text "150 us" can't stand here (allowed: a whole number, 0 or more, without quotes)"#);
}

#[test]
fn invalid_run_settings_are_refused() {
    let run = |keys: &str| after(&format!("\n[run]\n{keys}\n"));
    insta::assert_snapshot!(run("duration = \"0 ms\""), @"s.toml:17: duration can't be 0 ps (allowed: 1 ps to 3600 s)");
    insta::assert_snapshot!(run("duration = \"200000 s\""), @"s.toml:17: duration can't be 200000 s (allowed: 1 ps to 3600 s)");
    insta::assert_snapshot!(run("warmup = \"2 hours\""), @r#"s.toml:17: "2 hours" needs another unit: ps, ns, us, ms or s (allowed: a time such as "200 ns")"#);
    insta::assert_snapshot!(run("seed = -1"), @"s.toml:17: -1 is negative (allowed: a whole number, 0 or more, without quotes)");
    insta::assert_snapshot!(run("seed = 1.5"), @"s.toml:17: 1.5 can't stand here (allowed: a whole number, 0 or more, without quotes)");
    insta::assert_snapshot!(run("seed = 99999999999999999999"), @"s.toml:17: 99999999999999999999 does not fit 64 bits (allowed: a whole number, 0 or more, without quotes)");
    insta::assert_snapshot!(run("allow-credit-loops = \"yes\""), @r#"s.toml:17: the text "yes" can't stand here (allowed: true or false)"#);
}
