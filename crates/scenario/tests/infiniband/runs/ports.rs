//! Ports with tables of their own act by them, and only they.

use super::{gbps, median_ns, run};

/// Bulk senders into h0 (at switch port 1) and h1 (at port 2), on two levels each.
fn into_two(tables: &str) -> [[f64; 2]; 2] {
    let mut text = format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 6 }}\nlink = {{ rate = \"54.545454545 Gbps\" }}\n\
         [run]\nduration = \"2 ms\"\n\
         [qos]\nsl2vl = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n{tables}\n"
    );
    for (from, to, sl) in [("h2", "h0", 0), ("h3", "h0", 1), ("h4", "h1", 0), ("h5", "h1", 1)] {
        text += &format!(
            "[[flow]]\nfrom = {from:?}\nto = {to:?}\nmethod = \"bulk\"\nbuffer = \"256 KiB\"\n\
             sl = {sl}\n"
        );
    }
    let rates: Vec<f64> = run(&text).flows.iter().map(gbps).collect();
    [[rates[0], rates[1]], [rates[2], rates[3]]]
}

/// The share of the second.
fn share([a, b]: [f64; 2]) -> f64 {
    b / (a + b)
}

#[test]
fn lanes_share_a_link_by_its_own_weights() {
    let even = into_two("");
    let weighted = into_two(
        "[[qos.port]]\nnode = \"switch\"\noutput = 1\nlow = [\"0:65\", \"1:195\"]\n\
         [[qos.port]]\nnode = \"switch\"\noutput = 2\nlow = [\"0:195\", \"1:65\"]\n",
    );
    for (rates, expected) in [(even, [0.5, 0.5]), (weighted, [0.75, 0.25])] {
        for (rates, expected) in rates.into_iter().zip(expected) {
            let got = share(rates);
            assert!((got - expected).abs() < 0.02, "{got:.3} for {expected}: {rates:.2?} Gbps");
        }
    }
}

/// Tables as OpenSM writes them. VL0 has high priority with a limit of one packet, so a low-priority
/// packet follows each of its packets: 1/2 for SL0. VL1 and VL2 share the other half as 64 to 192:
/// 1/8 and 3/8.
#[test]
fn high_priority_with_a_limit_of_one_packet_takes_half() {
    let mut text = String::from(
        "kind = \"infiniband\"\n[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"54.545454545 Gbps\" }\n\
         [run]\nduration = \"2 ms\"\n\
         [qos]\nsl2vl = \"0,1,2,3,4,5,6,7,7,7,7,7,7,7,7,7\"\nhigh = \"0:4,1:0,2:0\"\nlow = \"0:0,1:64,2:192\"\n",
    );
    for (from, sl) in [("h1", 0), ("h2", 1), ("h3", 2)] {
        text += &format!(
            "[[flow]]\nfrom = {from:?}\nto = \"h0\"\nmethod = \"bulk\"\nbuffer = \"256 KiB\"\nsl = {sl}\n"
        );
    }
    let rates: Vec<f64> = run(&text).flows.iter().map(gbps).collect();
    let sum: f64 = rates.iter().sum();
    for (rate, expected) in rates.iter().zip([0.5, 0.125, 0.375]) {
        let got = rate / sum;
        assert!((got - expected).abs() < 0.01, "{got:.3} for {expected}: {rates:.2?} Gbps");
    }
}

#[test]
fn input_port_selects_the_lane_of_a_level() {
    // Packets from h3 (port 4) to h0 on level 1 use lane 3, which has little weight
    // there; all others stay on their lane.
    let [first, second] = into_two(
        "high-limit = 0\n[[qos.port]]\nnode = \"switch\"\ninput = 4\noutput = 1\n\
         sl2vl = [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n\
         [[qos.port]]\nnode = \"switch\"\nlow = [\"0:195\", \"1:195\", \"3:65\"]\n",
    );
    let (got, other) = (share(first), share(second));
    assert!((got - 0.25).abs() < 0.02, "{got:.3}: {first:.2?} Gbps");
    assert!((other - 0.5).abs() < 0.02, "{other:.3}: {second:.2?} Gbps");
}

#[test]
fn a_lane_has_priority_at_one_output_only() {
    let mut text = String::from(
        "kind = \"infiniband\"\n[fabric]\nbuild = { single-switch = 10 }\nlink = { rate = \"54.545454545 Gbps\" }\n\
         [run]\nduration = \"30 ms\"\n\
         [qos]\nsl2vl = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n\
         low = [\"0:255\", \"0:255\", \"0:255\", \"1:1\"]\n\
         [[qos.port]]\nnode = \"switch\"\noutput = 1\nhigh = [\"1:64\"]\nhigh-limit = 255\n",
    );
    for (from, to) in [("[\"h2\", \"h3\", \"h4\"]", "h0"), ("[\"h5\", \"h6\", \"h7\"]", "h1")] {
        text += &format!("[[flow]]\nfrom = {from}\nto = {to:?}\nmethod = \"bulk\"\n");
    }
    for (from, to) in [("h8", "h0"), ("h9", "h1")] {
        text += &format!(
            "[[flow]]\nfrom = {from:?}\nto = {to:?}\nmethod = \"rperf\"\nsl = 1\nsamples = 1000\n"
        );
    }
    let results = run(&text);
    let [high, low] = [6, 7].map(|i: usize| median_ns(&results.flows[i]));
    assert_eq!((high.1, low.1), (1_000, 1_000));
    let (high, low) = (high.0, low.0);
    // A packet of 4 KiB takes 0.6 us. One is in the way of high priority at most; else all twelve
    // of lane 0's entries are, less the time between two messages of RPerf.
    let details = format!("{high} ns with priority, {low} ns without");
    assert!(high < 440.0 + 610.0 && low > high + 3_000.0, "{details}");
}
