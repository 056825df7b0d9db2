//! A paper's report.

use super::run::name;
use bandwise_papers::published::Published;
use bandwise_papers::{Options, Paper, PaperResults};
use bandwise_report::{Provenance, Report, html};

/// The page. It depends on paper, item, seed and length alone, not on the machine or the day.
pub(super) fn html(paper: &Paper, options: &Options, results: &PaperResults) -> String {
    let published = Published::parse(paper.published).expect("tested for every paper");
    let mut notes = Vec::new();
    if !results.unfinished.is_empty() {
        let names = results.unfinished.join(", ");
        notes.push(format!("The run was interrupted. Not finished: {names}."));
    }
    let report = Report {
        title: paper.title.to_owned(),
        question: question(paper, options),
        answer: (paper.answer)(&results.findings),
        figures: (paper.figures)(&results.findings, &published),
        tables: Vec::new(),
        rows: results.rows.clone(),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command(paper, options),
            seed: options.seed,
            scenario: Some(scenarios(paper)),
            extra: vec![
                ("Runs".to_owned(), results.runs.to_string()),
                ("Simulated".to_owned(), format!("{:.3} s", results.simulated.as_s_f64())),
            ],
            ..Provenance::default()
        },
        notes,
    };
    html::render(&report)
}

/// The files that the runs start from, one after the other.
fn scenarios(paper: &Paper) -> String {
    let file = |(name, text): &(&str, &str)| format!("# papers/{}/{name}\n{text}", paper.name);
    paper.scenarios.iter().map(file).collect::<Vec<_>>().join("\n")
}

fn question(paper: &Paper, options: &Options) -> String {
    let item = options.item.as_deref();
    match paper.items.iter().find(|(name, _)| Some(*name) == item) {
        Some((item, what)) => format!("{item}: {what}"),
        None => paper.question.to_owned(),
    }
}

fn command(paper: &Paper, options: &Options) -> String {
    let quick = if options.quick { " --quick" } else { "" };
    let name = name(paper, options);
    format!("bandwise papers run {name}{quick} --seed {} --report report.html", options.seed)
}
