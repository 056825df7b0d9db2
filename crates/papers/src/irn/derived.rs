//! Numbers that the paper's tables and text derive from those of runs. A ratio is taken between two
//! runs with the same flows, and averaged over the seeds. The smallest and the largest of several
//! ratios are those of the averages.

use super::found::{Found, average, finding};
use super::names::{CONTROLS, FCT, NONE, RCT, SLOWDOWN, TABLES, TAIL, THREE, over, with};
use crate::Finding;

/// Returns the findings of the report, with all derived numbers.
pub(super) fn with_derived(mut findings: Vec<Finding>) -> Vec<Finding> {
    let found = Found(&findings);
    let mut derived = Vec::new();
    derived.extend(basic(found));
    derived.extend(text_4_3(found));
    derived.extend(incast(found));
    derived.extend(beside(found));
    derived.extend(windows(found));
    derived.extend(rivals(found));
    derived.extend(overheads(found));
    for table in TABLES {
        derived.extend(cells(found, table));
    }
    derived.extend(anywhere(found));
    // Tables keep only findings of IRN itself and ratios; section 4.4.1 keeps only the derived
    // range.
    findings.retain(|f| match &*f.item {
        "text-4.4.1" => false,
        item => !TABLES.contains(&item) || !f.case.contains("+PFC"),
    });
    findings.extend(derived);
    findings
}

/// Returns the ratios `one / other` for all metrics and congestion controls that have findings.
fn ratios(found: Found, item: &str, one: &str, other: &str, controls: &[&str]) -> Vec<Finding> {
    let pairs = controls.iter().flat_map(|control| THREE.map(|metric| (*control, metric)));
    pairs
        .filter_map(|(control, metric)| {
            found.compared(item, &with(one, control), &with(other, control), metric)
        })
        .collect()
}

fn averages(ratios: &[Finding]) -> Vec<f64> {
    ratios.iter().map(Finding::value).collect()
}

fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

fn most(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

/// Returns the excess of a ratio over 1, in percent.
fn above(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0)
}

/// Returns the distance of a ratio below 1, in percent.
fn below(ratio: f64) -> f64 {
    100.0 * (1.0 - ratio)
}

/// The names of a range, of which each end is a finding.
struct Ends<'a> {
    item: &'a str,
    case: &'a str,
    metric: &'a str,
    unit: &'a str,
}

impl Ends<'_> {
    fn end(&self, which: &str, value: Option<f64>) -> Option<Finding> {
        let case = format!("{}: {which}", self.case);
        Some(finding(self.item, case, self.metric, self.unit, vec![value?]))
    }

    fn both(&self, values: &[f64]) -> Vec<Finding> {
        [self.end("least", least(values)), self.end("most", most(values))]
            .into_iter()
            .flatten()
            .collect()
    }
}

const ALL_THREE: &str = "the three metrics";

/// Returns the derived numbers of figures 1 to 6 and 10.
fn basic(found: Found) -> Vec<Finding> {
    let congested = &CONTROLS[1..];
    let mut all = Vec::new();
    let figures: [(&str, &str, &str, &[&str], &str); 5] = [
        ("fig1", "RoCE+PFC", "IRN", &[NONE], ""),
        ("fig2", "IRN+PFC", "IRN", &[NONE], ""),
        ("fig3", "RoCE", "RoCE+PFC", &[NONE], ""),
        ("fig4", "RoCE+PFC", "IRN", congested, " with Timely or DCQCN"),
        ("fig6", "RoCE", "RoCE+PFC", congested, " with Timely or DCQCN"),
    ];
    for (item, one, other, controls, ending) in figures {
        let found = ratios(found, item, one, other, controls);
        let case = format!("{}{ending}", over(one, other));
        let ends = Ends { item, case: &case, metric: ALL_THREE, unit: "x" };
        all.extend(ends.both(&averages(&found)));
        all.extend(found);
    }
    let with_pfc = ratios(found, "fig5", "IRN+PFC", "IRN", congested);
    let values = averages(&with_pfc);
    let end = |case: &str, value: Option<f64>| {
        Ends { item: "fig5", case, metric: ALL_THREE, unit: "%" }.end("most", value)
    };
    let gain = values.iter().map(|&ratio| below(ratio)).reduce(f64::max);
    let loss = values.iter().map(|&ratio| above(ratio)).reduce(f64::max);
    all.extend(end("IRN+PFC below IRN with Timely or DCQCN", gain));
    all.extend(end("IRN+PFC above IRN with Timely or DCQCN", loss));
    all.extend(with_pfc);
    all.extend(THREE.iter().filter_map(|m| found.compared("fig10", "RoCE+DCQCN", "IRN", m)));
    all
}

/// Returns the derived numbers of section 4.3, over the default case's congestion controls.
fn text_4_3(found: Found) -> Vec<Finding> {
    let item = "text-4.3";
    let mut all = Vec::new();
    for other in ["IRN without SACK", "IRN with a dynamic timeout"] {
        let ratio = |c: &&str| found.ratio(item, &with(other, c), &with("IRN", c), FCT);
        let values: Vec<f64> =
            CONTROLS.iter().filter_map(ratio).map(|runs| above(average(&runs))).collect();
        let case = format!("{other} above IRN");
        all.extend(Ends { item, case: &case, metric: FCT, unit: "%" }.both(&values));
    }
    all.extend(backing_off(found));
    all
}

/// Returns the derived numbers of backing off. Section 4.3: "explicitly backing off on losses
/// improved go-back-N performance for Timely (though, not for DCQCN). Nonetheless, SACK-based loss
/// recovery continued to perform significantly better across different scenarios".
fn backing_off(found: Found) -> Vec<Finding> {
    let item = "text-4.3";
    let (go_back, backing_off) = ("IRN with go-back-N", "IRN with go-back-N that backs off");
    let mut all = Vec::new();
    for control in &CONTROLS[1..] {
        let gains = |one: &str, other: &str| -> Vec<f64> {
            let ratio = |scenario: &&str| {
                let name = |transport| format!("{scenario} {}", with(transport, control));
                found.ratio(item, &name(one), &name(other), FCT)
            };
            SCENARIOS.iter().filter_map(ratio).map(|runs| below(average(&runs))).collect()
        };
        let irn = with("IRN", control);
        let of_backing_off =
            format!("{irn} with go-back-N that backs off below {irn} with go-back-N");
        let of_sack = format!("{irn} below {irn} with go-back-N that backs off");
        let ends = |case| Ends { item, case, metric: FCT, unit: "%" };
        all.extend(ends(&of_backing_off).both(&gains(backing_off, go_back)));
        all.extend(ends(&of_sack).both(&gains("IRN", backing_off)));
    }
    all
}

/// The scenarios of `backing-off.toml`.
const SCENARIOS: [&str; 4] = ["load 70%", "load 90%", "buffer 60 KB", "buffer 120 KB"];

/// Returns the derived numbers of section 4.4.3 without cross-traffic.
fn incast(found: Found) -> Vec<Finding> {
    let mut all = Vec::new();
    let studies: [(&str, &[&str], &str); 2] = [
        ("fig9", &["M 10", "M 20", "M 30", "M 40", "M 50"], "IRN above RoCE+PFC"),
        (
            "text-4.4.3",
            &["10 Gbps", "100 Gbps", "4 connections"],
            "IRN above RoCE+PFC with other bandwidths or more connections",
        ),
    ];
    for (item, variants, case) in studies {
        let pairs = variants.iter().flat_map(|variant| CONTROLS.map(|c| (*variant, c)));
        let found: Vec<Finding> = pairs
            .filter_map(|(variant, control)| {
                let name = |transport| format!("{variant} {}", with(transport, control));
                let runs = found.ratio(item, &name("IRN"), &name("RoCE+PFC"), RCT)?;
                let other = with("RoCE+PFC", control);
                Some(finding(item, over(&name("IRN"), &other), RCT, "x", runs))
            })
            .collect();
        let values: Vec<f64> = averages(&found).into_iter().map(above).collect();
        all.extend(Ends { item, case, metric: RCT, unit: "%" }.end("most", most(&values)));
        all.extend(found);
    }
    all
}

/// Returns the derived numbers of section 4.4.3 with cross-traffic.
fn beside(found: Found) -> Vec<Finding> {
    let item = "text-4.4.3";
    let (request, others) = ("beside cross-traffic", "in the cross-traffic");
    let ratio = |place: &str, one: &str, other: &str, control: &str, metric: &str| {
        let name = |transport| format!("{place} {}", with(transport, control));
        found.ratio(item, &name(one), &name(other), metric).map(|runs| average(&runs))
    };
    let all_of = |place: &str, metrics: &[&str], one: &str, other: &str| -> Vec<f64> {
        let pairs = CONTROLS.iter().flat_map(|c| metrics.iter().map(move |m| (*c, *m)));
        pairs.filter_map(|(c, m)| ratio(place, one, other, c, m)).collect()
    };
    let percent =
        |values: Vec<f64>, of: fn(f64) -> f64| -> Vec<f64> { values.into_iter().map(of).collect() };
    let ends = |case, metric| Ends { item, case, metric, unit: "%" };
    let mut all = Vec::new();
    let requests = percent(all_of(request, &[RCT], "IRN", "RoCE+PFC"), below);
    all.extend(ends("IRN below RoCE+PFC beside cross-traffic", RCT).both(&requests));
    let traffic = percent(all_of(others, &THREE, "IRN", "RoCE+PFC"), below);
    all.extend(ends("IRN below RoCE+PFC in the cross-traffic", ALL_THREE).both(&traffic));
    let mut with_pfc = all_of(request, &[RCT], "IRN+PFC", "IRN");
    with_pfc.extend(all_of(others, &THREE, "IRN+PFC", "IRN"));
    let with_pfc = percent(with_pfc, above);
    let metrics = "RCT and the three metrics";
    all.extend(ends("IRN+PFC above IRN with cross-traffic", metrics).both(&with_pfc));
    let case = "IRN+PFC+DCQCN below IRN+DCQCN beside cross-traffic";
    let gain = ratio(request, "IRN+PFC", "IRN", "DCQCN", RCT).map(below);
    all.extend(gain.map(|gain| finding(item, case, RCT, "%", vec![gain])));
    all
}

/// Returns the derived numbers of section 4.4.4.
fn windows(found: Found) -> Vec<Finding> {
    let controls = ["AIMD", "DCTCP"];
    let item = "text-4.4.4";
    [
        ratios(found, item, "IRN", "IRN+PFC", &controls),
        ratios(found, item, "IRN", "RoCE+PFC", &controls),
    ]
    .concat()
}

/// Returns the derived numbers of section 4.6.
fn rivals(found: Found) -> Vec<Finding> {
    let mut all = Vec::new();
    let pairs = [
        ("fig11", "IRN", "IRN below iWARP"),
        ("text-4.6", "IRN+AIMD", "IRN with AIMD below iWARP"),
    ];
    for (item, one, case) in pairs {
        for metric in [SLOWDOWN, FCT, TAIL] {
            let Some(runs) = found.ratio(item, one, "iWARP", metric) else { continue };
            let runs = runs.into_iter().map(below).collect();
            all.push(finding(item, case, metric, "%", runs));
        }
    }
    all
}

/// Returns the derived numbers of section 6.3.
fn overheads(found: Found) -> Vec<Finding> {
    let item = "fig12";
    let values = |other: &str, of: fn(f64) -> f64| -> Vec<f64> {
        let ratio = |metric: &&str| found.ratio(item, "IRN with overheads", other, metric);
        THREE.iter().filter_map(ratio).map(|runs| of(average(&runs))).collect()
    };
    let ends = |case| Ends { item, case, metric: "performance", unit: "%" };
    let mut all = ends("IRN with overheads above IRN").both(&values("IRN", above));
    all.extend(ends("IRN with overheads below RoCE+PFC").both(&values("RoCE+PFC", below)));
    all
}

/// Returns the ratios of a table, cell by cell.
fn cells(found: Found, table: &str) -> Vec<Finding> {
    let of_table = found.0.iter().filter(|f| f.item == table && !f.case.contains("+PFC"));
    let mut all = Vec::new();
    for irn in of_table {
        let (variant, control) = irn.case.split_once("IRN").unwrap_or_default();
        for other in ["IRN+PFC", "RoCE+PFC"] {
            let denominator = format!("{other}{control}");
            // If a parameter of IRN's timeouts varies, one run of the other transport serves all
            // its values.
            let case = format!("{variant}{denominator}");
            let runs = found
                .ratio(table, &irn.case, &case, &irn.metric)
                .or_else(|| found.ratio(table, &irn.case, &denominator, &irn.metric));
            let Some(runs) = runs else { continue };
            all.push(finding(table, over(&irn.case, &denominator), &irn.metric, "x", runs));
        }
    }
    all
}

/// Returns the derived numbers of section 4.4.1: the range of all tables' ratios.
fn anywhere(found: Found) -> Vec<Finding> {
    let item = "text-4.4.1";
    // Findings of this item contain the points of all tables, by table and name.
    let of_item: Vec<Finding> = found.0.iter().filter(|f| f.item == item).cloned().collect();
    let mut cells = Vec::new();
    for table in TABLES {
        let of_table = of_item.iter().filter_map(|f| {
            let case = f.case.strip_prefix(table)?.trim_start().to_owned();
            Some(Finding { item: table.to_owned(), case, ..f.clone() })
        });
        let of_table: Vec<Finding> = of_table.collect();
        cells.extend(self::cells(Found(&of_table), table));
    }
    let over = |other: &str, control: &str| -> Vec<f64> {
        let ending = format!("{} over {}", with("IRN", control), with(other, control));
        let of_pair = cells.iter().filter(|cell| cell.case.ends_with(&ending));
        of_pair.map(Finding::value).collect()
    };
    let mut all = Vec::new();
    let roce: Vec<f64> = CONTROLS.iter().flat_map(|control| over("RoCE+PFC", control)).collect();
    let gains: Vec<f64> = roce.iter().map(|&ratio| below(ratio)).collect();
    let case = "IRN below RoCE+PFC in any scenario";
    all.extend(Ends { item, case, metric: ALL_THREE, unit: "%" }.both(&gains));
    all.extend(share(item, "IRN better than RoCE+PFC", &roce, |ratio| ratio < 1.0));
    let plain = over("IRN+PFC", NONE);
    let harm: Vec<f64> = plain.iter().map(|ratio| 1.0 / ratio).collect();
    let case = "IRN+PFC over IRN in any scenario";
    all.extend(Ends { item, case, metric: ALL_THREE, unit: "x" }.both(&harm));
    all.extend(share(item, "IRN better than IRN+PFC", &plain, |ratio| ratio < 1.0));
    for control in &CONTROLS[1..] {
        let ratios = over("IRN+PFC", control);
        let (with_pfc, without) = (with("IRN+PFC", control), with("IRN", control));
        let harm: Vec<f64> = ratios.iter().map(|ratio| above(1.0 / ratio)).collect();
        let gain: Vec<f64> = ratios.iter().map(|ratio| below(1.0 / ratio)).collect();
        for (word, values) in [("above", harm), ("below", gain)] {
            let case = format!("{with_pfc} {word} {without} in any scenario");
            let ends = Ends { item, case: &case, metric: ALL_THREE, unit: "%" };
            all.extend(ends.end("most", most(&values)));
        }
    }
    all
}

/// Returns the share of cells for which `so` holds.
fn share(item: &str, case: &str, ratios: &[f64], so: fn(f64) -> bool) -> Option<Finding> {
    let count = ratios.iter().filter(|ratio| so(**ratio)).count();
    let percent = 100.0 * count as f64 / ratios.len() as f64;
    (!ratios.is_empty()).then(|| finding(item, case, "share of cells", "%", vec![percent]))
}
