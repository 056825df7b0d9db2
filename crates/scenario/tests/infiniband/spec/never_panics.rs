//! Any text gives a scenario that runs, or an error.

use super::{FULL, SMALL};
use bandwise_input::{InputError, Source};
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_units::Time;
use proptest::prelude::*;
use std::ops::ControlFlow;

const NETLIST: &str = include_str!("../../../../topology/tests/data/two-racks.ibsim");
const DISCOVERED: &str = include_str!("../../../../topology/tests/data/two-racks.ibnetdiscover");

/// Texts that mutations insert: parts of the form, and values beyond limits.
const PIECES: &[&str] = &[
    "0",
    "-1",
    "9",
    "99999999999",
    "\"0 ns\"",
    "\"1 s\"",
    "\"9000000 s\"",
    "\"0 B\"",
    "\"1 GiB\"",
    "\"1 bps\"",
    "\"90000 Tbps\"",
    "\"h1\"",
    "\"h2\"",
    "[]",
    "{}",
    "[[flow]]\n",
    "[qos]\n",
    "=",
    "\n",
    "\"",
    "false",
    "true",
    ",",
    "\0",
    "\u{fffd}",
    "é",
    "#",
    "x",
    "\"rperf\"",
    "\"bulk\"",
    "\"voq\"",
    "\"fcfs\"",
    "mtu = 256\n",
    "os-tick = false\n",
    "\"15:1\"",
    "\"2:0\"",
    "[run]\n",
    "[[qos.port]]\nnode = \"tor\"\n",
    "output = 1\n",
    "\"ud\"",
    "\"read\"",
    "\"atomic\"",
    "\"event\"",
];

fn read(text: &str) -> Result<InfinibandScenario, InputError> {
    let scenario =
        InfinibandScenario::from_text(&Source::new("any", text), &[], bandwise_scenario::no_files);
    if let Err(error) = &scenario {
        assert!(error.line() <= 1 + text.matches('\n').count(), "{error}");
        let shown = error.to_string();
        assert!(shown.contains("(allowed: ") && shown.starts_with("any:"), "{shown}");
    }
    scenario.map(|parsed| parsed.scenario)
}

/// Documents with a few pieces of them removed, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let base = prop::sample::select(vec![FULL, FULL, SMALL, NETLIST, DISCOVERED]);
    let cut = (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(PIECES.to_vec()));
    (base, prop::collection::vec(cut, 1..5)).prop_map(|(base, cuts)| {
        let mut chars: Vec<char> = base.chars().collect();
        for (at, len, piece) in cuts {
            let at = at.index(chars.len() + 1);
            let end = (at + len).min(chars.len());
            chars.splice(at..end, piece.chars());
        }
        chars.into_iter().collect()
    })
}

/// Extreme values of one kind, and the values that they may replace.
const VALUES: &[(&str, &[&str])] = &[
    ("s\"", &["\"0 ps\"", "\"1 ps\"", "\"1 ns\"", "\"3 us\"", "\"1 s\"", "\"4 us\""]),
    ("B\"", &["\"1 B\"", "\"64 B\"", "\"4160 B\"", "\"4 KiB\"", "\"1 MiB\"", "\"1 GiB\""]),
    ("bps\"", &["\"1 kbps\"", "\"10 Mbps\"", "\"1 Gbps\"", "\"100 Tbps\""]),
    (
        "bps\", delay = \"9.6 ns\" }",
        &["{ rate = \"10 Mbps\" }", "{ rate = \"9 Tbps\", delay = \"1 s\" }"],
    ),
    (
        "\" }",
        &["false", "{ period = \"1 ns\", steal = \"0 ns\" }", "{ one-in = 1, up-to = \"1 s\" }"],
    ),
    ("e", &["true", "false"]),
    ("fcfs\"", &["\"fcfs\""]),
    ("voq\"", &["\"fifo\""]),
    ("-robin\"", &["\"fcfs\""]),
    ("fdr\"", &["\"connectx4-56g\""]),
    ("", &["0", "1", "2", "7", "100", "255", "256", "4096", "16384", "65535", "1000000"]),
];

/// Returns `true` if a line sets a value other than a name.
fn is_value(line: &str) -> bool {
    const NAMES: &str = "title name port node from to method sl2vl opcode transport completion";
    line.split_once(" = ").is_some_and(|(key, _)| !NAMES.split(' ').any(|name| name == key))
}

/// Documents with some values replaced by others of their kind: many of them are accepted.
fn other_values() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    prop::collection::vec(change, 1..6).prop_map(|changes| {
        let mut lines: Vec<String> = FULL.lines().map(str::to_owned).collect();
        let values: Vec<usize> = (0..lines.len()).filter(|&i| is_value(&lines[i])).collect();
        for (which, value) in changes {
            let line = &mut lines[values[which.index(values.len())]];
            let kind = VALUES.iter().find(|(end, _)| line.ends_with(end));
            let values = kind.expect("the last kind fits all").1;
            let key = line.split(" = ").next().unwrap_or_default();
            *line = format!("{key} = {}", values[value.index(values.len())]);
        }
        lines.join("\n") + "\n"
    })
}

/// Runs the first microseconds.
fn run(scenario: InfinibandScenario) {
    let warmup = scenario.warmup().min(Time::from_us(5));
    let duration = scenario.duration().min(Time::from_us(20));
    let scenario = scenario.into_builder().warmup(warmup).duration(duration).build().unwrap();
    let results = scenario.run(|_| ControlFlow::Continue(()));
    assert_eq!(results.flows.len(), scenario.flows().len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n\t\\[\\]=\"{}]{0,200}") {
        let _ = read(&text);
    }

    #[test]
    fn mutated_scenarios_run_or_are_refused(text in mutated()) {
        let _ = read(&text).map(run);
    }

    #[test]
    fn accepted_values_run(text in other_values()) {
        let _ = read(&text).map(run);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "{ a = "] {
        assert!(read(&format!("x = {}", open.repeat(100_000))).is_err());
    }
}
