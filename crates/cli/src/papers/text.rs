//! The text of a paper's run.

use super::report;
use bandwise_papers::{Options, Paper, PaperResults};
use bandwise_report::{Row, text};

/// Returns the tables and a summary.
pub(super) fn text_of(paper: &Paper, options: &Options, results: &PaperResults) -> String {
    let rows = &results.rows;
    let shown = report::shown(paper, rows);
    let mut out = text::rows(&shown);
    if !results.unfinished.is_empty() {
        let count = results.unfinished.len();
        out += &format!(
            "Partial: {count} cases were not finished, {} first.\n",
            results.unfinished[0]
        );
    }
    let misses: Vec<String> = paper
        .items
        .iter()
        .filter_map(|(item, _)| {
            let missed = |r: &&Row| r.item == *item && r.counts() && r.agrees == Some(false);
            let count = rows.iter().filter(missed).count();
            (count > 0).then(|| format!("{count} of {item}"))
        })
        .collect();
    if !shown.is_empty() || rows.is_empty() {
        out += &text::tally(&shown);
    }
    if !misses.is_empty() {
        out += &format!("Outside of the tolerance: {}.\n", misses.join(", "));
    }
    if rows.iter().any(Row::counts) {
        out += &wrapped(paper.rule);
    }
    for sentence in (paper.summary)(rows) {
        out += &wrapped(&sentence);
    }
    let claims = (paper.claims)(&results.findings);
    if !claims.is_empty() {
        out += &format!("\n{}\n", text::table(&report::claims(&claims)));
    }
    for table in (paper.tables)(&results.findings) {
        out += &format!("\n{}\n", text::table(&table));
    }
    let quick = if options.quick { ", quick" } else { "" };
    out += &format!("bandwise {}, seed {}{quick}.\n", env!("CARGO_PKG_VERSION"), options.seed);
    out
}

/// Wraps text to lines of up to 100 characters.
fn wrapped(text: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let fits = width + 1 + length <= 100;
        if width > 0 {
            out.push(if fits { ' ' } else { '\n' });
        }
        width = if fits && width > 0 { width + 1 + length } else { length };
        out += word;
    }
    if width > 0 {
        out.push('\n');
    }
    out
}
