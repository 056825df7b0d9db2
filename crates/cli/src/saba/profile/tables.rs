//! The text of a [`ProfileAnswer`].

use super::answer::{ProfileAnswer, RunRow, ShareRow};
use bandwise_profiler::{Outcome, Purpose};
use bandwise_report::model::{Cell, Table};
use bandwise_report::text as tables;

/// Returns the tables and the lines below them.
pub(super) fn text(answer: &ProfileAnswer) -> String {
    let parts = all(answer).iter().map(tables::table).collect::<Vec<_>>().join("\n");
    let closing: String = closing(answer).into_iter().map(|line| format!("{line}\n")).collect();
    format!("{parts}\n{closing}")
}

/// Returns the lines below the tables.
pub(super) fn closing(answer: &ProfileAnswer) -> Vec<String> {
    let mut lines: Vec<String> = match answer.is_flat {
        true => vec![format!(
            "The runs show no effect of bandwidth on {}: no slowdown differs from 1 by more than noise.",
            answer.application
        )],
        false => {
            let explains = answer.models.iter().map(|of| {
                let (name, r_squared) = (of.name, of.r_squared);
                format!("The {name} model fits the runs with R² = {r_squared:.3}.")
            });
            explains.collect()
        }
    };
    lines.extend(answer.doubts.iter().map(|doubt| format!("Warning: {doubt}.")));
    let stored = answer.table.as_ref();
    lines.extend(stored.map(|path| format!("The models of {} are in {path}.", answer.application)));
    lines
}

/// Returns a table of the shares, and one of the failed runs if there are some.
pub(super) fn all(answer: &ProfileAnswer) -> Vec<Table> {
    let warmups = answer.runs.iter().filter(|run| run.purpose == Purpose::Warmup).count();
    let failed: Vec<_> = answer.runs.iter().filter(|run| run.outcome != Outcome::Success).collect();
    let runs = match answer.runs.len() {
        1 => "1 run".to_owned(),
        more => format!("{more} runs"),
    };
    let caption =
        format!("{}: {runs}, {warmups} for warm-up, {} failed.", answer.links, failed.len());
    let mut header: Vec<String> =
        ["bandwidth", "runs", "mean", "shortest", "longest", "slowdown", "± (95%)"]
            .map(String::from)
            .into();
    header.extend(answer.models.iter().map(|of| of.name.to_owned()));
    let mut all = vec![Table {
        title: format!("Slowdown of {} by bandwidth", answer.application),
        caption,
        header,
        rows: answer.shares.iter().map(|share| share_row(answer, share)).collect(),
    }];
    if !failed.is_empty() {
        all.push(Table {
            title: "Failed runs".into(),
            caption: format!("Their output is in {}.out.", answer.journal.display()),
            header: ["bandwidth", "purpose", "after", "outcome"].map(String::from).into(),
            rows: failed.into_iter().map(failed_row).collect(),
        });
    }
    all
}

fn share_row(answer: &ProfileAnswer, of: &ShareRow) -> Vec<Cell> {
    let mut cells = vec![
        Cell::text(of.share.to_string()),
        Cell::number(of.runs.into(), ""),
        Cell::number(of.mean_s, "s"),
        Cell::number(of.least.as_s_f64(), "s"),
        Cell::number(of.most.as_s_f64(), "s"),
        Cell::number(of.slowdown, ""),
        of.within.map_or(Cell::text(""), |within| Cell::number(within, "")),
    ];
    cells.extend(answer.models.iter().map(|model| Cell::number(model.slowdown(of.share), "")));
    cells
}

fn failed_row(run: &RunRow) -> Vec<Cell> {
    let purpose = match run.purpose {
        Purpose::Warmup => "warmup",
        Purpose::Sample => "sample",
    };
    vec![
        Cell::text(run.share.to_string()),
        Cell::text(purpose),
        Cell::number(run.time.as_s_f64(), "s"),
        Cell::text(run.outcome.to_string()),
    ]
}
