//! Measures of congestion control: an incast, the victim of a hot spot, the recovery after one, two flows on one
//! link, and traffic without a hot spot.

use bandwise_input::Source;
use bandwise_scenario::Stop;
use bandwise_scenario::infiniband::{FlowResult, InfinibandScenario};
use std::ops::ControlFlow;

/// Payload that a link of [`LINK`] carries: 4096 of 4126 bytes with headers.
const LINE_GBPS: f64 = 54.545_454_545 * 4096.0 / 4126.0;
const LINK: &str = "link = { rate = \"54.545454545 Gbps\", delay = \"10 ns\" }";

/// Start of long-term measurements: the rates of sixteen flows settle within 25 ms.
const SETTLED_MS: u64 = 40;

/// Contributors before the link that the victim shares with them, and behind it.
const HOT_SPOTS: [(usize, usize); 2] = [(2, 3), (4, 12)];

/// The measures of a set of settings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measures {
    /// 2, 4, 8 and 16 senders to one host: the part of the host's link that is used, and what the
    /// slowest of the senders has of an equal part.
    pub incast: [(f64, f64); 4],
    /// Rate of a flow that asks for 20 Gbps, on a link shared with 2 of 5, and with 4 of 16, contributors to a hot
    /// spot behind it.
    pub victim: [f64; 2],
    /// The victim's part of its max-min fair share if it sends at full rate.
    pub greedy_victim: [f64; 2],
    /// Time until one of five flows to a host has 90% of its link after the others have stopped, in
    /// whole milliseconds rounded up; `None` if more than 32.
    pub recovery_ms: Option<u64>,
    /// From when on each of two flows to a host has at least 40% of what both have in every
    /// millisecond that is looked at, the second having started later; `None` if not within 16 ms.
    pub converged_ms: Option<u64>,
    /// Median round-trip time of a small message that five senders of bulk share a link with, in us.
    pub small_us: f64,
    /// The part of all links that is used when each of eight hosts sends to all others.
    pub all_to_all: f64,
}

/// Runs everything with `control`, the text of a `[congestion-control]` table or nothing.
pub(super) fn measure(control: &str, seed: u64) -> Measures {
    let study = Study { control, seed };
    Measures {
        incast: [2, 4, 8, 16].map(|senders| study.incast(senders)),
        victim: HOT_SPOTS.map(|(before, behind)| {
            study.victim_gbps(before, behind, "rate = \"20 Gbps\"\n") / 20.0
        }),
        greedy_victim: HOT_SPOTS.map(|(before, behind)| {
            let left = 1.0 - before as f64 / (before + behind) as f64;
            study.victim_gbps(before, behind, "") / (left * LINE_GBPS)
        }),
        recovery_ms: study.recovery_ms(),
        converged_ms: study.converged_ms(),
        small_us: study.small_us(),
        all_to_all: study.all_to_all(),
    }
}

struct Study<'a> {
    control: &'a str,
    seed: u64,
}

impl Study<'_> {
    /// The flows of a fabric, as measured from `from_ms` on for so long.
    fn run(&self, fabric: &str, from_ms: u64, for_ms: u64, flows: &str) -> Vec<FlowResult> {
        let Study { control, seed } = self;
        let text = format!(
            "kind = \"infiniband\"\n[fabric]\n{fabric}\n{control}\n[run]\nseed = {seed}\nwarmup = \"{from_ms} ms\"\n\
             duration = \"{for_ms} ms\"\n{flows}"
        );
        let scenario = InfinibandScenario::from_toml(
            &Source::new("s.toml", &text),
            bandwise_scenario::no_files,
        );
        let scenario = scenario.unwrap_or_else(|e| panic!("{e}\n{text}"));
        let results = scenario.run(|_| ControlFlow::Continue(()));
        assert_eq!(results.stop, Stop::Complete, "{text}");
        results.flows
    }

    fn incast(&self, senders: usize) -> (f64, f64) {
        let flows = bulk(&hosts("h", 1..=senders), "h0", "");
        let rates = rates(&self.run(&single_switch(senders + 1), SETTLED_MS, 10, &flows));
        let all: f64 = rates.iter().sum();
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        (all / LINE_GBPS, least / (all / senders as f64))
    }

    fn victim_gbps(&self, before: usize, behind: usize, rate: &str) -> f64 {
        let [near, far] = [hosts("a", 1..=before), hosts("b", 1..=behind)];
        let at = |switch: &str, names: &[String]| -> String {
            let host = |(port, name): (usize, &String)| {
                format!("[[fabric.host]]\nname = {name:?}\nport = \"{switch}:{port}\"\n")
            };
            (2..).zip(names).map(host).collect()
        };
        let two = |names: &[String], more: &[&str]| -> Vec<String> {
            names.iter().cloned().chain(more.iter().map(|s| (*s).to_owned())).collect()
        };
        let fabric = format!(
            "{LINK}\n[[fabric.switch]]\nname = \"s\"\nports = 24\n[[fabric.switch]]\nname = \"t\"\n\
             ports = 24\n[[fabric.cable]]\nfrom = \"s:1\"\nto = \"t:1\"\n{}{}",
            at("s", &two(&near, &["victim"])),
            at("t", &two(&far, &["hot", "calm"])),
        );
        let flows =
            bulk(&[near, far].concat(), "hot", "") + &bulk(&["victim".to_owned()], "calm", rate);
        let results = self.run(&fabric, SETTLED_MS, 10, &flows);
        rates(&results)[before + behind]
    }

    fn recovery_ms(&self) -> Option<u64> {
        let flows = bulk(&hosts("h", 1..=1), "h0", "")
            + &bulk(&hosts("h", 2..=5), "h0", &format!("stop = \"{SETTLED_MS} ms\"\n"));
        let recovered = |ms: u64| {
            let results = self.run(&single_switch(6), SETTLED_MS + ms, 1, &flows);
            rates(&results)[0] >= 0.9 * LINE_GBPS
        };
        // Nothing slows it down any more, so that it only gets faster.
        let (mut not_yet, mut by_now) = (0, 32);
        if recovered(0) {
            return Some(0);
        }
        if !recovered(by_now) {
            return None;
        }
        while by_now - not_yet > 1 {
            let middle = (not_yet + by_now) / 2;
            *if recovered(middle) { &mut by_now } else { &mut not_yet } = middle;
        }
        Some(by_now)
    }

    fn converged_ms(&self) -> Option<u64> {
        let flows = bulk(&hosts("h", 1..=1), "h0", "")
            + &bulk(&hosts("h", 2..=2), "h0", "start = \"10 ms\"\n");
        let shares = |ms: &u64| {
            let rates = rates(&self.run(&single_switch(3), 10 + ms, 1, &flows));
            rates[0].min(rates[1]) >= 0.4 * (rates[0] + rates[1])
        };
        [16, 12, 8, 6, 4, 2, 1, 0].into_iter().take_while(shares).last()
    }

    fn small_us(&self) -> f64 {
        let flows = bulk(&hosts("h", 1..=5), "h0", "")
            + "[[flow]]\nfrom = \"h6\"\nto = \"h0\"\nmethod = \"rperf\"\nsamples = 1000\n";
        let results = self.run(&single_switch(7), SETTLED_MS, 40, &flows);
        results[5].latency.expect("it measures").measured.p50_ns / 1e3
    }

    fn all_to_all(&self) -> f64 {
        let all = hosts("h", 0..=7);
        let to = |receiver: &String| {
            let others: Vec<String> = all.iter().filter(|&h| h != receiver).cloned().collect();
            bulk(&others, receiver, "")
        };
        let fabric = format!("{}\n[switch]\nqueueing = \"voq\"", single_switch(8));
        let flows: String = all.iter().map(to).collect();
        rates(&self.run(&fabric, 10, 10, &flows)).iter().sum::<f64>() / (8.0 * LINE_GBPS)
    }
}

fn single_switch(hosts: usize) -> String {
    format!("build = {{ single-switch = {hosts} }}\n{LINK}")
}

fn hosts(letter: &str, numbers: std::ops::RangeInclusive<usize>) -> Vec<String> {
    numbers.map(|number| format!("{letter}{number}")).collect()
}

/// A flow from each, of large messages with a large buffer: it is never out of work.
fn bulk(from: &[String], to: &str, more: &str) -> String {
    format!(
        "[[flow]]\nfrom = {from:?}\nto = {to:?}\nmethod = \"bulk\"\nbytes = \"16 KiB\"\n\
         buffer = \"1 MiB\"\n{more}"
    )
}

/// In Gbps of payload.
fn rates(flows: &[FlowResult]) -> Vec<f64> {
    flows.iter().filter_map(|f| f.bandwidth).map(|b| b.rate().as_gbps_f64()).collect()
}
