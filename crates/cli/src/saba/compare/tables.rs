//! The text of a [`CompareAnswer`].

use super::answer::{CompareAnswer, GainRow, RunRow, SlowdownRow, SpreadRow};
use bandwise_profiler::Conclusion;
use bandwise_report::model::{Cell, Table};
use bandwise_report::text as tables;

/// Returns the tables and the lines below them.
pub(super) fn text(answer: &CompareAnswer) -> String {
    let parts = all(answer).iter().map(tables::table).collect::<Vec<_>>().join("\n");
    let closing = sentences(answer).into_iter().chain(doubts(answer));
    let closing: String = closing.map(|line| format!("{line}\n")).collect();
    format!("{parts}\n{closing}")
}

/// Returns a sentence for each gain.
pub(super) fn sentences(answer: &CompareAnswer) -> Vec<String> {
    let rounds = answer.rounds.len();
    let rounds = if rounds == 1 { String::new() } else { format!(", {rounds} rounds") };
    let sentence = |of: &GainRow| {
        let (over, mean) = (of.over, of.spread.mean);
        let interval = match of.spread.within {
            Some((low, high)) => format!("95% interval {low:.3} to {high:.3}"),
            None => "one round".into(),
        };
        let conclusion = match of.conclusion {
            Conclusion::Faster => "programs are faster under Saba",
            Conclusion::Slower => "programs are slower under Saba",
            Conclusion::Nothing => "no significant difference",
            Conclusion::Unknown => "one round shows no significance",
        };
        format!("Saba against {over}: {conclusion}. Gain {mean:.3} ({interval}{rounds}).")
    };
    answer.gains.iter().map(sentence).collect()
}

/// Returns a line for each doubt.
pub(super) fn doubts(answer: &CompareAnswer) -> Vec<String> {
    answer.doubts.iter().map(|doubt| format!("Warning: {doubt}.")).collect()
}

/// Returns the tables of slowdowns and gains, if a round is complete, and that of all runs.
pub(super) fn all(answer: &CompareAnswer) -> Vec<Table> {
    let mut tables = Vec::new();
    if !answer.rounds.is_empty() {
        tables.extend([slowdowns(answer), gains(answer)]);
    }
    tables.push(runs(answer));
    tables
}

fn slowdowns(answer: &CompareAnswer) -> Table {
    let mut header = vec!["program".to_owned()];
    for of in &answer.slowdowns {
        header.extend([of.sharing.to_string(), "95%".to_owned()]);
    }
    let row = |label: &str, spread: &dyn Fn(&SlowdownRow) -> SpreadRow| {
        let cells = answer.slowdowns.iter().flat_map(|of| cells(spread(of)));
        [Cell::text(label)].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let each = answer.applications.iter().enumerate();
    let mut rows: Vec<_> =
        each.map(|(at, app)| row(&app.name, &|of| of.programs[at].spread)).collect();
    rows.push(row("geometric mean", &|of| of.all));
    let rounds = answer.rounds.len();
    Table {
        title: "Slowdown by sharing of the links".into(),
        caption: format!(
            "Time with all others over time alone in the same round: geometric means over {rounds} {}.",
            if rounds == 1 { "round" } else { "rounds" }
        ),
        header,
        rows,
    }
}

fn cells(spread: SpreadRow) -> [Cell; 2] {
    [Cell::number(spread.mean, ""), Cell::text(interval(spread))]
}

fn interval(spread: SpreadRow) -> String {
    spread.within.map_or(String::new(), |(low, high)| format!("{low:.3} to {high:.3}"))
}

fn gains(answer: &CompareAnswer) -> Table {
    let header = ["round", "over no controller", "over equal weights"].map(String::from).into();
    let row = |label: String, cell: &dyn Fn(&GainRow) -> Cell| {
        let cells = answer.gains.iter().map(cell);
        [Cell::text(label)].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let each = answer.rounds.iter().enumerate();
    let each =
        each.map(|(at, round)| row(round.to_string(), &|of| Cell::number(of.rounds[at], "")));
    let mut rows: Vec<_> = each.collect();
    rows.push(row("mean".into(), &|of| Cell::number(of.spread.mean, "")));
    rows.push(row("95%".into(), &|of| Cell::text(interval(of.spread))));
    Table {
        title: "Gain of Saba".into(),
        caption: "Geometric mean slowdown divided by that under Saba; above 1 Saba is faster."
            .into(),
        header,
        rows,
    }
}

fn runs(answer: &CompareAnswer) -> Table {
    let of_run = |run: &RunRow| {
        let row = |of: &super::answer::TimedRow| {
            vec![
                Cell::text(run.round.to_string()),
                Cell::text(&run.setting),
                Cell::text(&of.application),
                Cell::number(of.time.as_s_f64(), "s"),
                Cell::text(of.outcome.to_string()),
            ]
        };
        run.programs.iter().map(row).collect::<Vec<_>>()
    };
    Table {
        title: "All runs".into(),
        caption: format!("Their output is in {}.", answer.output),
        header: ["round", "run", "program", "time", "outcome"].map(String::from).into(),
        rows: answer.runs.iter().flat_map(of_run).collect(),
    }
}
