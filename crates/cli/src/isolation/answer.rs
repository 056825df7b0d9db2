//! [`IsolationAnswer`]: the findings of all cases and the verdicts on them.

use crate::answer::{Answer, Stats};
use crate::papers::{ClaimRow, claims_table};
use bandwise_agents::coordinator::RunEnd;
use bandwise_papers::Finding;
use bandwise_papers::isolation::{DeviceResults, DeviceStudy};
use bandwise_report::{Cell, Provenance, Report, Table, text as plain};
use serde::Serialize;

const TITLE: &str = "Two flows that share a link";

/// The findings of all cases and the verdicts on them.
#[derive(Serialize)]
pub(super) struct IsolationAnswer<'a> {
    schema: u32,
    title: &'static str,
    from: String,
    to: String,
    devices: Vec<Option<&'a str>>,
    depth: u64,
    duration_s: f64,
    findings: Vec<FindingRow<'a>>,
    claims: Vec<ClaimRow>,
    empty: &'a [String],
    cases: CaseCount,
    stop: &'static str,
    failure: Option<&'a str>,
    stats: Stats,
    #[serde(skip)]
    study: &'a DeviceStudy,
    #[serde(skip)]
    found: &'a DeviceResults,
}

/// A finding.
#[derive(Serialize)]
struct FindingRow<'a> {
    item: &'a str,
    case: &'a str,
    metric: &'a str,
    unit: &'a str,
    measured: f64,
}

/// The number of cases.
#[derive(Serialize)]
struct CaseCount {
    measured: usize,
    wanted: usize,
}

impl<'a> IsolationAnswer<'a> {
    /// Returns the answer of all measured cases.
    pub(super) fn new(study: &'a DeviceStudy, found: &'a DeviceResults) -> Self {
        let (stop, failure) = match &found.end {
            RunEnd::Complete => ("complete", None),
            RunEnd::Interrupted => ("interrupted", None),
            RunEnd::Failed(why) => ("failed", Some(why.as_str())),
        };
        let finding = |finding: &'a Finding| FindingRow {
            item: &finding.item,
            case: &finding.case,
            metric: &finding.metric,
            unit: &finding.unit,
            measured: finding.value(),
        };
        let (measured, wanted) = found.measured;
        IsolationAnswer {
            schema: 1,
            title: TITLE,
            from: study.from.to_string(),
            to: study.to.to_string(),
            devices: found.hosts.iter().map(|host| host.device.as_deref()).collect(),
            depth: study.depth,
            duration_s: study.length.as_s_f64(),
            findings: found.findings.iter().map(finding).collect(),
            claims: found.claims.iter().map(ClaimRow::from).collect(),
            empty: &found.empty,
            cases: CaseCount { measured, wanted },
            stop,
            failure,
            stats: Stats::HERE,
            study,
            found,
        }
    }
}

impl Answer for IsolationAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        let Self { study, found, .. } = *self;
        let mut parts: Vec<String> = tables(study, found).iter().map(plain::table).collect();
        parts.extend(found.answer.iter().map(|sentence| format!("{sentence}\n")));
        parts.push(format!("{}\n", closing(study, found)));
        parts.join("\n")
    }

    fn report(&self) -> Option<Report> {
        let Self { study, found, .. } = *self;
        Some(Report {
            title: TITLE.to_owned(),
            question: "What happens when two applications share a link?".to_owned(),
            answer: found.answer.clone(),
            tables: tables(study, found),
            provenance: Provenance {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                command: format!("bandwise isolation --from {} --to {}", study.from, study.to),
                ..Provenance::default()
            },
            notes: vec![closing(study, found)],
            ..Report::default()
        })
    }
}

fn tables(study: &DeviceStudy, found: &DeviceResults) -> Vec<Table> {
    let rows = found.findings.iter().map(|finding| {
        vec![
            Cell::text(&finding.item),
            Cell::text(&finding.case),
            Cell::text(&finding.metric),
            Cell::number(finding.value(), &finding.unit),
        ]
    });
    let findings = Table {
        title: TITLE.to_owned(),
        caption: format!(
            "From {} to {}, {} each, while both are active. {} a client of the store has several requests outstanding.",
            study.from,
            study.to,
            study.length,
            match study.depth {
                1 => "The next message of a flow is posted when the last one's completion is seen;"
                    .to_owned(),
                depth =>
                    format!("A flow has {depth} messages outstanding, which the paper's have not;"),
            }
        ),
        header: ["item", "case", "", "measured"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let claims = Table {
        caption: "In these runs. Two numbers within 10% of each other count as equal.".to_owned(),
        ..claims_table(&found.claims)
    };
    [findings, claims].into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// Returns the line with the circumstances of all numbers.
fn closing(study: &DeviceStudy, found: &DeviceResults) -> String {
    let partial = match &found.end {
        RunEnd::Complete => String::new(),
        RunEnd::Interrupted => "Partial: interrupted. ".to_owned(),
        RunEnd::Failed(why) => format!("Partial: {why}. "),
    };
    let empty = match found.empty.is_empty() {
        true => String::new(),
        false => format!("No message in the measured time: {}. ", found.empty.join(", ")),
    };
    let devices: Vec<&str> =
        found.hosts.iter().map(|host| host.device.as_deref().unwrap_or("?")).collect();
    let (done, all) = found.measured;
    format!(
        "{partial}{empty}{done} of {all} cases; {} ({}) to {} ({}), bandwise {}.",
        study.from,
        devices.first().unwrap_or(&"?"),
        study.to,
        devices.get(1).unwrap_or(&"?"),
        env!("CARGO_PKG_VERSION"),
    )
}
