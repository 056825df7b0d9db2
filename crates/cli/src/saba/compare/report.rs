//! A comparison's report: what Saba gains, with its spread.

use super::answer::{self, Answer, OTHERS};
use super::flags::Settings;
use bandwise_profiler::{Comparison, Sharing, Spread};
use bandwise_report::html;
use bandwise_report::model::{Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind};

/// The page.
pub(super) fn html(settings: &Settings, comparison: &Comparison, answer: &Answer) -> String {
    let names: Vec<_> = settings.apps.iter().map(|app| app.name.as_str()).collect();
    let apps = settings.apps.iter().map(|app| format!(" --app {}='{}'", app.name, app.command));
    let ready = settings.ready.iter().map(|command| format!(" --ready '{command}'"));
    let figures = match answer.rounds.is_empty() {
        true => Vec::new(),
        false => vec![gains(answer), slowdowns(settings, answer)],
    };
    let said = match answer.rounds.is_empty() {
        true => vec!["Nothing can be said: no round is whole.".to_owned()],
        false => answer.sentences(),
    };
    html::render(&Report {
        title: format!("What Saba is worth for {}", names.join(", ")),
        question: "Are programs faster that share links by Saba?".into(),
        answer: said,
        figures,
        tables: answer::tables_of(settings, comparison, answer),
        notes: answer.doubts.iter().map(|doubt| format!("Doubtful: {doubt}.")).collect(),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: format!(
                "bandwise saba compare --config {}{}",
                settings.place.config().display(),
                apps.chain(ready).collect::<String>()
            ),
            seed: settings.seed,
            ..Provenance::default()
        },
        ..Report::default()
    })
}

fn whiskers(x: f64, spread: &Spread) -> Point {
    let point = Point::new(x, spread.mean);
    match spread.within {
        Some((low, high)) => point.low(low).high(high),
        None => point,
    }
}

fn category(label: &str, names: Vec<String>) -> Axis {
    Axis { label: label.into(), scale: Scale::Category(names), ..Axis::default() }
}

/// A point for each round, and at the end the mean with its whiskers.
fn gains(answer: &Answer) -> Figure {
    let rounds = answer.rounds.iter().map(|round| round.number.to_string());
    let places = (0..).map(f64::from);
    let each = |over: Sharing| Series {
        name: format!("over {}", answer::name(over)),
        kind: SeriesKind::Points,
        points: places
            .clone()
            .zip(&answer.rounds)
            .map(|(x, round)| Point::new(x, round.gain(over)))
            .collect(),
        ..Series::default()
    };
    let mut series: Vec<Series> = OTHERS.map(each).into();
    let end = answer.rounds.len() as f64;
    for (series, (_, gain)) in series.iter_mut().zip(&answer.gains) {
        series.points.push(whiskers(end, gain).note("mean of all rounds"));
    }
    Figure {
        id: "gains".into(),
        title: "How many times as fast under Saba".into(),
        caption: "The geometric mean slowdown of all programs over that under Saba, round by round; at the right \
                  their geometric mean with its 95% interval. Above 1 Saba is faster."
            .into(),
        x: category("round", rounds.chain(["all".to_owned()]).collect()),
        y: Axis { label: "gain".into(), ..Axis::default() },
        series,
        ..Figure::default()
    }
}

/// Of each program, by way of sharing.
fn slowdowns(settings: &Settings, answer: &Answer) -> Figure {
    let names = settings.apps.iter().map(|app| app.name.clone());
    let each = answer.slowdowns.iter().map(|way| Series {
        name: format!("shared by {}", answer::name(way.sharing)),
        kind: SeriesKind::Points,
        points: (0..)
            .map(f64::from)
            .zip(way.each.iter().chain([&way.all]))
            .map(|(x, spread)| whiskers(x, spread))
            .collect(),
        ..Series::default()
    });
    Figure {
        id: "slowdowns".into(),
        title: "What each program loses beside the others".into(),
        caption:
            "Time with all others over time alone in the same round; whiskers are 95% intervals."
                .into(),
        x: category("program", names.chain(["geometric mean".to_owned()]).collect()),
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series: each.collect(),
        ..Figure::default()
    }
}
