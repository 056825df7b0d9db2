//! What was found: for people, for programs, as a page.

use super::flags::Flags;
use super::measure::Found;
use crate::papers::claims_table;
use bandwise_agents::coordinator::Ended;
use bandwise_papers::Claim;
use bandwise_report::json::rounded;
use bandwise_report::{Cell, Provenance, Report, Table, html as page, text as plain};
use serde_json::{Value, json};

const TITLE: &str = "Two flows that share a link";

/// Everything that is printed for people.
pub(super) fn text(flags: &Flags, found: &Found) -> String {
    let mut parts: Vec<String> = tables(flags, found).iter().map(plain::table).collect();
    parts.extend(found.answer.iter().map(|sentence| format!("{sentence}\n")));
    parts.push(format!("{}\n", closing(flags, found)));
    parts.join("\n")
}

fn tables(flags: &Flags, found: &Found) -> Vec<Table> {
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
            "From {} to {}, {} each, while both are active. {} a client of the store has several requests under way.",
            flags.from,
            flags.to,
            flags.length(),
            match flags.depth {
                1 => "The next message of a flow is posted when the last one's completion is seen;"
                    .to_owned(),
                depth =>
                    format!("A flow has {depth} messages under way, which the paper's have not;"),
            }
        ),
        header: ["item", "case", "", "measured"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let claims = Table {
        caption: "In these runs; two numbers within 10% of each other are alike.".to_owned(),
        ..claims_table(&found.claims)
    };
    [findings, claims].into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// The line that says what all numbers rest on.
fn closing(flags: &Flags, found: &Found) -> String {
    let partial = match &found.end {
        Ended::Complete => String::new(),
        Ended::Interrupted => "Partial: interrupted. ".to_owned(),
        Ended::Failed(why) => format!("Partial: {why}. "),
    };
    let empty = match found.empty.is_empty() {
        true => String::new(),
        false => format!("No message in the time there was: {}. ", found.empty.join(", ")),
    };
    let devices: Vec<&str> =
        found.hosts.iter().map(|host| host.device.as_deref().unwrap_or("?")).collect();
    let (done, all) = found.measured;
    format!(
        "{partial}{empty}{done} of {all} cases; {} ({}) to {} ({}), bandwise {}.",
        flags.from,
        devices.first().unwrap_or(&"?"),
        flags.to,
        devices.get(1).unwrap_or(&"?"),
        env!("CARGO_PKG_VERSION"),
    )
}

/// The document.
pub(super) fn json(flags: &Flags, found: &Found) -> Value {
    let (stop, failure) = match &found.end {
        Ended::Complete => ("complete", None),
        Ended::Interrupted => ("interrupted", None),
        Ended::Failed(why) => ("failed", Some(why)),
    };
    let findings = found.findings.iter().map(|finding| {
        json!({
            "item": finding.item,
            "case": finding.case,
            "metric": finding.metric,
            "unit": finding.unit,
            "measured": finding.value(),
        })
    });
    let claims = found.claims.iter().map(|Claim { section, text, holds, numbers }| {
        json!({ "section": section, "claim": text, "holds": holds, "numbers": numbers })
    });
    let (done, all) = found.measured;
    rounded(json!({
        "schema": 1,
        "title": TITLE,
        "from": flags.from.to_string(),
        "to": flags.to.to_string(),
        "devices": found.hosts.iter().map(|host| &host.device).collect::<Vec<_>>(),
        "depth": flags.depth,
        "duration_s": flags.length().as_s_f64(),
        "findings": findings.collect::<Vec<_>>(),
        "claims": claims.collect::<Vec<_>>(),
        "empty": found.empty,
        "cases": { "measured": done, "wanted": all },
        "stop": stop,
        "failure": failure,
        "stats": { "version": env!("CARGO_PKG_VERSION") },
    }))
}

/// The page.
pub(super) fn html(flags: &Flags, found: &Found) -> String {
    let report = Report {
        title: TITLE.to_owned(),
        question: "What happens when two applications share a link?".to_owned(),
        answer: found.answer.clone(),
        tables: tables(flags, found),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: format!("bandwise isolation --from {} --to {}", flags.from, flags.to),
            ..Provenance::default()
        },
        notes: vec![closing(flags, found)],
        ..Report::default()
    };
    page::render(&report)
}
