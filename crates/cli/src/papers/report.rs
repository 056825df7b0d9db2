//! A paper's report.

use super::name::name;
use bandwise_papers::published::Published;
use bandwise_papers::{Claim, Options, Paper, PaperResults};
use bandwise_report::{Cell, Provenance, Report, Table, Verdict};

/// Returns the report. It depends only on paper, item, seed and length, not on the machine or the
/// date.
pub(super) fn report(paper: &Paper, options: &Options, results: &PaperResults) -> Report {
    let published = Published::parse(paper.published).expect("tested for every paper");
    let mut notes = Vec::new();
    if !results.unfinished.is_empty() {
        let names = results.unfinished.join(", ");
        notes.push(format!("The run was interrupted. Not finished: {names}."));
    }
    let claimed = (paper.claims)(&results.findings);
    notes.extend((paper.summary)(&results.rows));
    let mut answer = (paper.answer)(&results.findings);
    if options.quick {
        let quick = "This was a quick run: it simulated less, and each case once. The values \
                     of a full run may differ.";
        answer.push(quick.to_owned());
    }
    Report {
        title: paper.title.to_owned(),
        question: question(paper, options),
        answer,
        figures: (paper.figures)(&results.findings, &published),
        tables: Some(claims(&claimed)).filter(|_| !claimed.is_empty()).into_iter().collect(),
        rows: results.rows.clone(),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command(paper, options),
            seed: options.seed,
            scenario: Some(scenarios(paper)),
            extra: vec![
                ("Runs".to_owned(), results.runs.to_string()),
                ("Simulated".to_owned(), format!("{:.3} s", results.effort.simulated.as_s_f64())),
            ],
            ..Provenance::default()
        },
        notes,
        ..Report::default()
    }
}

/// Returns the table of the paper's claims and of whether they hold.
pub(crate) fn claims(claims: &[Claim]) -> Table {
    let row = |claim: &Claim| {
        let verdict = if claim.holds { Verdict::Good } else { Verdict::Bad };
        let word = if claim.holds { "holds" } else { "does not hold" };
        vec![
            Cell::text(claim.section),
            Cell::text(claim.text),
            Cell::verdict(verdict, word),
            Cell::text(&claim.numbers),
        ]
    };
    Table {
        title: "What the paper claims".into(),
        caption: "In our runs; every number is an average over the seeds.".into(),
        header: ["section", "claim", "", "numbers"].map(str::to_owned).to_vec(),
        rows: claims.iter().map(row).collect(),
    }
}

/// Returns the scenario files of the runs, one after another.
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
