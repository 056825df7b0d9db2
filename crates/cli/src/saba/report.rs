//! The report of a plan: sensitivity of jobs, and the effect of policies.

use super::gain;
use super::measured;
use super::settings::Settings;
use super::{tables, timelines};
use crate::warned;
use bandwise_report::model::{Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind};
use bandwise_saba::Share;
use bandwise_scenario::jobs::{BASELINE, Comparison, Findings, SharingPolicy};

/// Returns the report. It depends only on the scenario, the policies and the seed.
pub(super) fn report(settings: &Settings, findings: &Findings) -> Report {
    let comparison = &findings.comparison;
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: format!("{} --report report.html", settings.command),
        seed: settings.scenario.seed(),
        scenario: Some(settings.text.clone()),
        ..Provenance::default()
    };
    Report {
        title: settings.scenario.title().to_owned(),
        question: "How should these jobs share the fabric?".into(),
        answer: findings
            .answer()
            .into_iter()
            .chain(warned::answer(&settings.warnings(findings)))
            .collect(),
        figures: [by_application(settings, findings), gain::figure(findings)]
            .into_iter()
            .flatten()
            .chain([
                slowdowns(settings, comparison),
                speedups(settings, findings),
                curves(settings),
            ])
            .collect(),
        lanes: timelines::lanes(settings, findings).into_iter().collect(),
        tables: tables::of_page(settings, findings),
        provenance,
        notes: notes(settings, findings),
        ..Report::default()
    }
}

fn notes(settings: &Settings, findings: &Findings) -> Vec<String> {
    let warnings = settings.warnings(findings);
    warned::notes(&warnings)
        .chain(measured::sentences(&settings.scenario))
        .chain([tables::closing(settings)])
        .collect()
}

/// Returns an axis with the names of jobs.
fn names(settings: &Settings) -> Axis {
    let names = settings.scenario.jobs().iter().map(|job| job.name.clone()).collect();
    Axis { scale: Scale::Category(names), ..Axis::default() }
}

fn points(values: Vec<Option<f64>>) -> Vec<Point> {
    let point = |(i, value): (usize, Option<f64>)| Some(Point::new(i as f64, value?));
    values.into_iter().enumerate().filter_map(point).collect()
}

fn slowdowns(settings: &Settings, comparison: &Comparison) -> Figure {
    let series = comparison.results.iter().map(|results| Series {
        name: results.policy.title().into(),
        kind: SeriesKind::Points,
        points: points(comparison.slowdowns(results)),
        ..Series::default()
    });
    Figure {
        id: "slowdown".into(),
        title: "Slowdown of each job".into(),
        caption: "Completion time divided by the time with the fabric to itself.".into(),
        x: names(settings),
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series: series.collect(),
        ..Figure::default()
    }
}

fn speedups(settings: &Settings, findings: &Findings) -> Figure {
    let results = findings.comparison.results.iter();
    let others = results.filter(|results| results.policy != BASELINE);
    let series = others.filter_map(|results| {
        Some(Series {
            name: results.policy.title().into(),
            kind: SeriesKind::Points,
            points: points(findings.speedups(results)?),
            ..Series::default()
        })
    });
    Figure {
        id: "speedup".into(),
        title: "Speedup of each job".into(),
        caption: format!("Over {}: above 1 a job gains, below 1 it loses.", BASELINE.title()),
        x: names(settings),
        y: Axis { label: "speedup".into(), ..Axis::default() },
        series: series.collect(),
        ..Figure::default()
    }
}

/// The policies shown as bars.
const IN_BARS: [SharingPolicy; 3] =
    [SharingPolicy::Saba, SharingPolicy::EqualWeights, SharingPolicy::FairJobs];

/// Returns speedups by application, as in Saba, figure 4.13.
fn by_application(settings: &Settings, findings: &Findings) -> Option<Figure> {
    let jobs = settings.scenario.jobs();
    let mut names: Vec<&str> = Vec::new();
    for job in jobs {
        let name = job.application.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let bars = |policy: &SharingPolicy| {
        let speedups = findings.speedups(findings.comparison.of(*policy)?)?;
        let speedups: Vec<f64> = speedups.into_iter().collect::<Option<_>>()?;
        let of = |name: &str| {
            let of_name = jobs.iter().zip(&speedups).filter(|of| of.0.application.as_str() == name);
            mean(of_name.map(|of| *of.1))
        };
        let all = mean(speedups.iter().copied());
        let values = names.iter().map(|name| of(name)).chain([all]);
        Some(Series {
            name: policy.title().into(),
            kind: SeriesKind::Bars,
            points: values.enumerate().map(|(i, y)| Point::new(i as f64, y)).collect(),
            ..Series::default()
        })
    };
    let series: Vec<Series> = IN_BARS.iter().filter_map(bars).collect();
    let places = names.iter().copied().chain(["all"]).map(str::to_owned).collect();
    (!series.is_empty()).then(|| Figure {
        id: "application".into(),
        title: "Speedup of each application".into(),
        caption: format!(
            "Over {}, as the geometric mean over jobs; above 1 an application gains, below 1 it loses.",
            BASELINE.title()
        ),
        x: Axis { scale: Scale::Category(places), ..Axis::default() },
        y: Axis { label: "speedup".into(), ..Axis::default() },
        series,
        ..Figure::default()
    })
}

/// Returns the geometric mean.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.map(libm::log).collect();
    libm::exp(logs.iter().sum::<f64>() / logs.len() as f64)
}

/// Returns the slowdown of each application by its share.
fn curves(settings: &Settings) -> Figure {
    let mut series: Vec<Series> = Vec::new();
    for job in settings.scenario.jobs() {
        let application = job.application.as_str();
        if series.iter().any(|other| other.name == application) {
            continue;
        }
        let model = job.model(settings.scenario.model());
        let least = job.profile.samples.least().get();
        let at = |step: u32| {
            let share = least + (1.0 - least) * f64::from(step) / 60.0;
            let share = Share::try_from(share.min(1.0)).expect("between two shares");
            Point::new(share.get() * 100.0, model.predict(share).even_extrapolated())
        };
        series.push(Series {
            name: application.to_owned(),
            points: (0..=60).map(at).collect(),
            ..Series::default()
        });
    }
    Figure {
        id: "sensitivity".into(),
        title: "Slowdown by share of bandwidth".into(),
        caption:
            "Sensitivity models: the slowdown of a job alone with a share of the bandwidth. Weights are \
                  computed from them."
                .into(),
        x: Axis { label: "bandwidth".into(), unit: "%".into(), scale: Scale::Linear },
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series,
        ..Figure::default()
    }
}
