//! Probes beside senders that take turns.

use super::{median_ns, run};

/// Beside N senders of full packets under round-robin, a probe meets each phase of a turn of N packets
/// equally often, and so waits for N/2 packets in the median: 4144 B at 54.545 Gbps are 0.6078 us.
/// Without a wait its round trip is four cables and two crossings, 0.44 us.
#[test]
fn median_wait_under_round_robin_is_half_a_turn() {
    for seed in [1, 2, 3] {
        for senders in 1..=5 {
            let from: Vec<String> = (1..=senders).map(|host| format!("\"h{host}\"")).collect();
            let results = run(&format!(
                "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 7 }}\n\
                 link = {{ rate = \"54.545454545 Gbps\", delay = \"10 ns\" }}\n\
                 [switch]\nscheduling = \"round-robin\"\n[run]\nseed = {seed}\n\
                 [[flow]]\nfrom = \"h6\"\nto = \"h0\"\nmethod = \"rperf\"\nsamples = 2000\n\
                 [[flow]]\nfrom = [{}]\nto = \"h0\"\nmethod = \"bulk\"\n",
                from.join(", ")
            ));
            let by_hand = 440.0 + f64::from(senders) * 607.8 / 2.0;
            let (median, count) = median_ns(&results.flows[0]);
            println!("seed {seed}, {senders} senders: {median} of {by_hand} ns");
            assert_eq!(count, 2000);
            assert!((median / by_hand - 1.0).abs() < 0.05, "{median} instead of {by_hand} ns");
        }
    }
}
