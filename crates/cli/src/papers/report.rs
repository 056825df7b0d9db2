//! A paper's report.

use super::name::name;
use bandwise_papers::published::Published;
use bandwise_papers::{Claim, Holds, Options, Paper, PaperResults};
use bandwise_report::{Cell, Provenance, Report, Row, Table, Verdict};

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
    let mut tables: Vec<Table> =
        Some(claims(&claimed)).filter(|_| !claimed.is_empty()).into_iter().collect();
    tables.extend((paper.tables)(&results.findings));
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
        tables,
        rows: shown(paper, &results.rows),
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

/// Returns the rows of items that no other table shows.
pub(super) fn shown(paper: &Paper, rows: &[Row]) -> Vec<Row> {
    rows.iter().filter(|row| !paper.tabled.contains(&&*row.item)).cloned().collect()
}

/// Returns the table of the paper's claims and of whether they hold. A column has the fabric if a
/// claim is tried on several.
pub(crate) fn claims(claims: &[Claim]) -> Table {
    let has_fabrics = claims.iter().any(|claim| !claim.fabric.is_empty());
    let row = |(i, claim): (usize, &Claim)| {
        // On further fabrics the claim is the one above.
        let is_above = i > 0 && claims[i - 1].text == claim.text;
        let text = |text| Cell::text(if is_above { "" } else { text });
        let verdict = match claim.holds {
            Holds::Yes => Verdict::Good,
            Holds::InPart => Verdict::Neutral,
            Holds::No => Verdict::Bad,
        };
        let fabric = has_fabrics.then(|| Cell::text(claim.fabric));
        let cells = [
            Some(text(claim.section)),
            Some(text(claim.text)),
            fabric,
            Some(Cell::verdict(verdict, claim.holds.word())),
            Some(Cell::text(&claim.numbers)),
        ];
        cells.into_iter().flatten().collect()
    };
    let fabric = has_fabrics.then_some("fabric");
    let header = [Some("section"), Some("claim"), fabric, Some(""), Some("numbers")];
    Table {
        title: "What the paper claims".into(),
        caption: format!(
            "In our runs; every number is an average over the seeds. {}",
            counts(claims)
        ),
        header: header.into_iter().flatten().map(str::to_owned).collect(),
        rows: claims.iter().enumerate().map(row).collect(),
    }
}

/// Returns the number of claims that hold, on each fabric if there are several.
fn counts(claims: &[Claim]) -> String {
    let mut fabrics: Vec<&str> = Vec::new();
    for claim in claims {
        if !fabrics.contains(&claim.fabric) {
            fabrics.push(claim.fabric);
        }
    }
    let count = |fabric: &&str| {
        let of = |holds| claims.iter().filter(|c| c.fabric == *fabric && c.holds == holds).count();
        let (yes, in_part, no) = (of(Holds::Yes), of(Holds::InPart), of(Holds::No));
        let some = if in_part > 0 { format!(", {in_part} in part") } else { String::new() };
        let here = if fabric.is_empty() { String::new() } else { format!(" at {fabric}") };
        format!("{yes} of {}{some}{here}", yes + in_part + no)
    };
    format!("Claims that hold: {}.", fabrics.iter().map(count).collect::<Vec<_>>().join("; "))
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
