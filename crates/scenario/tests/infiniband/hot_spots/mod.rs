//! Congestion control of InfiniBand by its own aims, with published settings and with ours: the table
//! of docs/src/guide/congestion-control.md, which says where the settings come from.

mod measures;

use measures::{Measures, measure};

const SIMULA: &str = "table = { quadratic = 128, longest = 5.761, shift = 3 }\n";
const MELLANOX: &str = "table = { quadratic = 128, longest = 57.385, shift = 0 }\n";

/// A `[congestion-control]` table.
fn with(keys: &str) -> String {
    format!("[congestion-control]\n{keys}")
}

/// Returns the rows of the table: a name and settings, with defaults for omitted ones.
fn sets() -> Vec<(&'static str, String)> {
    let every = "marking-rate = 0\n";
    vec![
        ("without", String::new()),
        ("**default**", with("")),
        ("timer 50", with("ccti-timer = 50")),
        ("timer 100", with("ccti-timer = 100")),
        ("timer 300", with("ccti-timer = 300")),
        ("threshold 8 KiB", with("threshold = \"8 KiB\"")),
        ("threshold 24 KiB", with("threshold = \"24 KiB\"")),
        ("every packet marked", with(every)),
        ("waits in eighths", with("table = { quadratic = 128, longest = 57.385, shift = 3 }")),
        ("Simula's table", with(SIMULA)),
        ("Simula's table, every packet marked", with(&format!("{SIMULA}{every}"))),
        (
            "1 of 16 marked, timer 1000, packets from 64 B",
            with(&format!("{MELLANOX}marking-rate = 15\npacket-size = 64\nccti-timer = 1000")),
        ),
        (
            "linear table, every packet marked, threshold 64 KiB",
            with(&format!("table = 128\n{every}threshold = \"64 KiB\"")),
        ),
    ]
}

fn row(name: &str, measures: &Measures) -> String {
    let percent = |part: f64| format!("{:.0}", part * 100.0);
    let incast = measures.incast.map(|(used, _)| percent(used)).join(" / ");
    let least = measures.incast.map(|(_, least)| percent(least)).join(" / ");
    let victim = measures.victim.map(percent).join(" / ");
    let greedy = measures.greedy_victim.map(percent).join(" / ");
    let time = |ms: Option<u64>, longest| match ms {
        Some(ms) => ms.to_string(),
        None => format!("over {longest}"),
    };
    format!(
        "| {name} | {incast} | {least} | {victim} | {greedy} | {} | {} | {:.1} | {} |\n",
        time(measures.recovery_ms, 32),
        time(measures.converged_ms, 16),
        measures.small_us,
        percent(measures.all_to_all),
    )
}

#[test]
fn guide_has_the_measured_table() {
    let sets = sets();
    let rows: String = std::thread::scope(|scope| {
        let start = |(name, set)| scope.spawn(move || row(name, &measure(set, 1)));
        let running: Vec<_> = sets.iter().map(|(name, set)| start((*name, set))).collect();
        running.into_iter().map(|row| row.join().unwrap()).collect()
    });
    let guide = include_str!("../../../../../docs/src/guide/congestion-control.md");
    assert!(guide.contains(&rows), "these are the rows now:\n{rows}");
}

/// The guide's claims about the default hold with other seeds than the table's.
#[test]
fn default_settings_reach_the_guides_claims() {
    for seed in 2..=4 {
        let measures = measure(&with(""), seed);
        let details = format!("seed {seed}: {measures:?}");
        assert!(measures.incast.iter().all(|&(used, _)| used >= 0.9), "{details}");
        assert!(measures.incast.iter().all(|&(_, least)| least >= 0.66), "{details}");
        assert!(measures.victim.iter().all(|&part| part >= 0.95), "{details}");
        assert!(measures.greedy_victim.iter().all(|&part| part >= 0.6), "{details}");
        assert!(measures.recovery_ms.is_some_and(|ms| ms <= 6), "{details}");
        assert!(measures.converged_ms.is_some_and(|ms| ms <= 2), "{details}");
        assert!(measures.small_us < 21.1 / 8.0, "{details}");
        assert!(measures.all_to_all >= 0.95, "{details}");
    }
}
