//! The report of a [`ProfileAnswer`]: the curve with its spread.

use super::answer::{ModelRow, ProfileAnswer, RunRow, ShareRow};
use super::tables;
use bandwise_profiler::{Outcome, Purpose};
use bandwise_report::model::{Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind};
use bandwise_saba::Share;

/// Returns the report.
pub(super) fn report(answer: &ProfileAnswer) -> Report {
    let name = &answer.application;
    let verdict = match &answer.unusable {
        None => answer
            .shares
            .first()
            .map(|least| {
                format!(
                    "With {} of the bandwidth it takes {:.2} times as long.",
                    least.share, least.slowdown
                )
            })
            .into_iter()
            .collect(),
        Some(why) => vec![format!("There is no model of it: {why}.")],
    };
    Report {
        title: format!("The sensitivity of {name}"),
        question: format!("How much slower is {name} with less bandwidth?"),
        answer: verdict,
        figures: vec![curve(answer), runs(answer)],
        tables: tables::all(answer),
        notes: tables::closing(answer),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: format!(
                "bandwise saba profile --app {name} … -- {}",
                answer.command.join(" ")
            ),
            seed: answer.seed,
            extra: vec![("links".into(), answer.links.clone())],
            ..Provenance::default()
        },
        ..Report::default()
    }
}

fn percent(label: &str) -> Axis {
    Axis { label: label.into(), unit: "%".into(), scale: Scale::Linear }
}

/// Returns the measured slowdowns with their 95% intervals, and the models.
fn curve(answer: &ProfileAnswer) -> Figure {
    let point = |measured: &ShareRow| {
        let point = Point::new(measured.share.get() * 100.0, measured.slowdown);
        match measured.within {
            Some(within) => point.low(measured.slowdown - within).high(measured.slowdown + within),
            None => point,
        }
    };
    let mut series = vec![Series {
        name: "measured".into(),
        kind: SeriesKind::Points,
        points: answer.shares.iter().map(point).collect(),
        ..Series::default()
    }];
    series.extend(answer.models.iter().map(|model| Series {
        name: model.name.to_owned(),
        points: line(model),
        ..Series::default()
    }));
    Figure {
        id: "sensitivity".into(),
        title: "Slowdown by share of bandwidth".into(),
        caption: "Mean time over the mean time with all of the bandwidth; whiskers are 95% intervals. Weights \
                  are made of the monotone model; the polynomial is the paper's."
            .into(),
        x: percent("bandwidth"),
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series,
        ..Figure::default()
    }
}

fn line(model: &ModelRow) -> Vec<Point> {
    const STEPS: u32 = 60;
    let least = model.model.least().get();
    let at = |step: u32| {
        let share = least + (1.0 - least) * f64::from(step) / f64::from(STEPS);
        let share = Share::try_from(share.min(1.0)).expect("between two shares");
        Point::new(share.get() * 100.0, model.slowdown(share))
    };
    (0..=STEPS).map(at).collect()
}

/// Returns a figure of all runs in order, which shows a drift.
fn runs(answer: &ProfileAnswer) -> Figure {
    let of = |name: &str, is: &dyn Fn(&RunRow) -> bool| Series {
        name: name.into(),
        kind: SeriesKind::Points,
        points: (1..)
            .zip(&answer.runs)
            .filter(|(_, run)| is(run))
            .map(|(number, run)| {
                let mut point = Point::new(f64::from(number), run.time.as_s_f64());
                point.note = Some(format!("{}, {}", run.share, run.outcome));
                point
            })
            .collect(),
        ..Series::default()
    };
    let well = |run: &RunRow| run.outcome == Outcome::Success;
    let series = [
        of("samples", &|run| well(run) && run.purpose == Purpose::Sample),
        of("warm-ups", &|run| well(run) && run.purpose == Purpose::Warmup),
        of("failed", &|run| !well(run)),
    ];
    Figure {
        id: "runs".into(),
        title: "All runs, in their order".into(),
        caption: "Completion times of all runs.".into(),
        x: Axis { label: "run".into(), ..Axis::default() },
        y: Axis { label: "time".into(), unit: "s".into(), ..Axis::default() },
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        ..Figure::default()
    }
}
