//! Outstanding READs (`max_rd_atomic`).

use super::{gbps, median_ns, run};

/// Two hosts 1 km apart, with 128 READs of 4 KiB posted, or one at a time to time it.
fn scenario(flow: &str) -> String {
    format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 2 }}\n\
         link = {{ rate = \"100 Gbps\", delay = \"5 us\" }}\n\
         [switch]\nbuffer = \"1 MiB\"\n[device]\nrx-buffer = \"1 MiB\"\n\
         [run]\nduration = \"5 ms\"\n\
         [[flow]]\nfrom = \"h0\"\nto = \"h1\"\nopcode = \"read\"\nbytes = \"4 KiB\"\n{flow}\n"
    )
}

/// With N outstanding READs of 4096 B and a time of T for one alone, N x 32,768 bit / T, up to what the
/// link carries: 4096 of 4128 B, READ responses with delimiters in blocks of 8.
#[test]
fn reads_outstanding_limit_the_bandwidth() {
    let alone = run(&scenario("method = \"closed-loop\"\nsamples = 100\nthink = \"0 s\""));
    let (ns, _) = median_ns(&alone.flows[0]);
    for (limit, outstanding) in [
        ("max-rd-atomic = 1", 1.0),
        ("max-rd-atomic = 4", 4.0),
        ("", 16.0),
        ("max-rd-atomic = 128", 128.0),
    ] {
        let flow = format!("method = \"bulk\"\nbuffer = \"1 MiB\"\ndepth = 128\n{limit}");
        let got = gbps(&run(&scenario(&flow)).flows[0]);
        let by_hand = f64::min(outstanding * 4096.0 * 8.0 / ns, 100.0 * 4096.0 / 4128.0);
        println!("{outstanding} of 128 outstanding, {ns} ns each: {got:.2} of {by_hand:.2} Gbps");
        assert!((got / by_hand - 1.0).abs() < 0.05, "{limit}: {got} of {by_hand} Gbps");
    }
}
