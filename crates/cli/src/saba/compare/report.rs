//! The report of a [`CompareAnswer`]: the gain of Saba with its spread.

use super::answer::{CompareAnswer, GainRow, SlowdownRow, SpreadRow};
use super::tables;
use bandwise_report::model::{Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind};

/// Returns the report.
pub(super) fn report(answer: &CompareAnswer) -> Report {
    let names: Vec<_> = answer.applications.iter().map(|app| app.name.as_str()).collect();
    let apps =
        answer.applications.iter().map(|app| format!(" --app {}='{}'", app.name, app.command));
    let ready = answer.ready.iter().map(|command| format!(" --ready '{command}'"));
    let (figures, says) = match answer.rounds.is_empty() {
        true => (Vec::new(), vec!["No conclusion: no round is complete.".to_owned()]),
        false => (vec![gains(answer), slowdowns(answer)], tables::sentences(answer)),
    };
    Report {
        title: format!("The gain of Saba for {}", names.join(", ")),
        question: "Are programs faster that share links by Saba?".into(),
        answer: says,
        figures,
        tables: tables::all(answer),
        notes: tables::doubts(answer),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: format!(
                "bandwise saba compare --config {}{}",
                answer.config,
                apps.chain(ready).collect::<String>()
            ),
            seed: answer.seed,
            ..Provenance::default()
        },
        ..Report::default()
    }
}

fn whiskers(x: f64, spread: SpreadRow) -> Point {
    let point = Point::new(x, spread.mean);
    match spread.within {
        Some((low, high)) => point.low(low).high(high),
        None => point,
    }
}

fn category(label: &str, names: Vec<String>) -> Axis {
    Axis { label: label.into(), scale: Scale::Category(names), ..Axis::default() }
}

/// Returns a figure with a point for each round, and at the end the mean with its whiskers.
fn gains(answer: &CompareAnswer) -> Figure {
    let places = (0..).map(f64::from);
    let end = answer.rounds.len() as f64;
    let series = |of: &GainRow| {
        let rounds = places.clone().zip(&of.rounds).map(|(x, &gain)| Point::new(x, gain));
        let mean = whiskers(end, of.spread).note("mean of all rounds");
        Series {
            name: format!("over {}", of.over),
            kind: SeriesKind::Points,
            points: rounds.chain([mean]).collect(),
            ..Series::default()
        }
    };
    let rounds = answer.rounds.iter().map(u32::to_string).chain(["all".to_owned()]);
    Figure {
        id: "gains".into(),
        title: "Gain of Saba".into(),
        caption: "The geometric mean slowdown of all programs over that under Saba, round by round; at the right \
                  their geometric mean with its 95% interval. Above 1 Saba is faster."
            .into(),
        x: category("round", rounds.collect()),
        y: Axis { label: "gain".into(), ..Axis::default() },
        series: answer.gains.iter().map(series).collect(),
        ..Figure::default()
    }
}

/// Returns the slowdowns of each program by sharing.
fn slowdowns(answer: &CompareAnswer) -> Figure {
    let names = answer.applications.iter().map(|app| app.name.clone());
    let series = |of: &SlowdownRow| {
        let spreads = of.programs.iter().map(|program| program.spread).chain([of.all]);
        Series {
            name: format!("shared by {}", of.sharing),
            kind: SeriesKind::Points,
            points: (0..).map(f64::from).zip(spreads).map(|(x, of)| whiskers(x, of)).collect(),
            ..Series::default()
        }
    };
    Figure {
        id: "slowdowns".into(),
        title: "Slowdown of each program beside the others".into(),
        caption:
            "Time with all others over time alone in the same round; whiskers are 95% intervals."
                .into(),
        x: category("program", names.chain(["geometric mean".to_owned()]).collect()),
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series: answer.slowdowns.iter().map(series).collect(),
        ..Figure::default()
    }
}
