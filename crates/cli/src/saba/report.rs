//! A plan's report: what each job loses with less bandwidth, and what each policy makes of it.

use super::settings::{BASELINE, Settings};
use super::tables;
use bandwise_report::model::{Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind};
use bandwise_report::{Table, html};
use bandwise_saba::Share;
use bandwise_scenario::sharing::Comparison;

/// The page, with further tables. It depends on the scenario, the policies and the seed alone.
pub(super) fn html(settings: &Settings, comparison: &Comparison, beside: Vec<Table>) -> String {
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: format!("bandwise saba plan {} --report report.html", settings.name),
        seed: settings.scenario.seed,
        scenario: Some(settings.text.clone()),
        ..Provenance::default()
    };
    html::render(&Report {
        title: settings.scenario.title.clone(),
        question: "How should these jobs share the fabric?".into(),
        answer: tables::answer(comparison),
        figures: vec![
            slowdowns(settings, comparison),
            speedups(settings, comparison),
            curves(settings),
        ],
        tables: [tables::all(settings, comparison), beside].concat(),
        provenance,
        notes: vec![tables::closing(settings)],
        ..Report::default()
    })
}

/// An axis with the jobs' names.
fn names(settings: &Settings) -> Axis {
    let names = settings.scenario.jobs.iter().map(|job| job.name.clone()).collect();
    Axis { scale: Scale::Category(names), ..Axis::default() }
}

fn points(values: Vec<Option<f64>>) -> Vec<Point> {
    let point = |(i, value): (usize, Option<f64>)| Some(Point::new(i as f64, value?));
    values.into_iter().enumerate().filter_map(point).collect()
}

fn slowdowns(settings: &Settings, comparison: &Comparison) -> Figure {
    let series = comparison.results.iter().map(|results| Series {
        name: results.policy.title().into(),
        kind: SeriesKind::Bars,
        points: points(comparison.slowdowns(results)),
        ..Series::default()
    });
    Figure {
        id: "slowdown".into(),
        title: "Slowdown of each job".into(),
        caption: "Its time over that with the fabric to itself.".into(),
        x: names(settings),
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series: series.collect(),
        ..Figure::default()
    }
}

fn speedups(settings: &Settings, comparison: &Comparison) -> Figure {
    let baseline = comparison.of(BASELINE);
    let others = comparison.results.iter().filter(|results| results.policy != BASELINE);
    let series = others.filter_map(|results| {
        Some(Series {
            name: results.policy.title().into(),
            kind: SeriesKind::Points,
            points: points(comparison.speedups(results, baseline?)),
            ..Series::default()
        })
    });
    Figure {
        id: "speedup".into(),
        title: "Speedup of each job".into(),
        caption: format!("Over {}: above 1 a job gains, below it loses.", BASELINE.title()),
        x: names(settings),
        y: Axis { label: "speedup".into(), ..Axis::default() },
        series: series.collect(),
        ..Figure::default()
    }
}

/// What each kind of job loses with less bandwidth.
fn curves(settings: &Settings) -> Figure {
    let mut series: Vec<Series> = Vec::new();
    for job in &settings.scenario.jobs {
        if series.iter().any(|other| other.name == job.workload) {
            continue;
        }
        let model = job.model(settings.scenario.model);
        let least = job.samples.least().get();
        let at = |step: u32| {
            let share = least + (1.0 - least) * f64::from(step) / 60.0;
            let share = Share::try_from(share.min(1.0)).expect("between two shares");
            Point::new(share.get() * 100.0, model.predict(share).even_extrapolated())
        };
        series.push(Series {
            name: job.workload.clone(),
            points: (0..=60).map(at).collect(),
            ..Series::default()
        });
    }
    Figure {
        id: "sensitivity".into(),
        title: "What less bandwidth costs".into(),
        caption:
            "The models that weights are made of: the slowdown of a job alone with a part of the \
                  bandwidth."
                .into(),
        x: Axis { label: "bandwidth".into(), unit: "%".into(), scale: Scale::Linear },
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series,
        ..Figure::default()
    }
}
