//! What came of the runs, for people.

use super::flags::Settings;
use bandwise_profiler::{Campaign, Judged, Measured, Outcome, Purpose, Run, Verdict, judge};
use bandwise_report::model::{Cell, Table};
use bandwise_report::text as tables;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Degree, Kind, Model, Quality, Samples, SamplesError, Warning};
use bandwise_units::Time;
use std::path::Path;

/// What was measured, and what it is worth.
#[derive(Debug)]
pub(super) struct Answer {
    /// What models are made of.
    pub samples: Result<Samples, SamplesError>,
    /// Those, judged.
    pub judged: Option<Judged>,
    /// Models of them: what the controller uses, and the polynomial of the paper.
    pub models: Vec<(&'static str, Model)>,
    /// No slowdown differs from 1 by more than its interval.
    pub is_flat: bool,
    /// What makes samples or models doubtful.
    pub doubts: Vec<String>,
}

impl Answer {
    /// The answer of runs, where each slowdown must be known to a part of itself.
    pub fn of(campaign: &Campaign, within: f64) -> Self {
        let samples = Samples::new(campaign.samples());
        let judged = samples.as_ref().ok().map(|samples| judge(samples, within));
        let is_flat = judged.as_ref().is_some_and(|judged| {
            let is_one = |of: &Measured| of.within.is_some_and(|w| (of.slowdown - 1.0).abs() <= w);
            judged.measured.iter().all(is_one)
        });
        let (mut models, mut doubts) = (Vec::new(), Vec::new());
        if let Ok(samples) = &samples {
            let kinds =
                [("monotone", Kind::Monotone), ("polynomial", Kind::Polynomial(Degree::THREE))];
            for (name, kind) in kinds {
                // Of three shares no polynomial of degree 3 can be made.
                let Ok(model) = Model::fit(samples, kind) else { continue };
                let warnings = Quality::of(&model, samples, None).warnings;
                // Where nothing but noise differs, there is nothing to explain.
                let tells = |warning: &&Warning| {
                    !(is_flat && matches!(warning, Warning::LowRSquared { .. }))
                };
                let told = warnings.iter().filter(tells);
                doubts.extend(told.map(|warning| format!("{name}: {warning}")));
                models.push((name, model));
            }
        }
        if let Some(Judged { rises: Some((less, more)), .. }) = judged {
            doubts.push(format!(
                "{more} of the bandwidth was slower than {less}, by more than noise explains: something else differed"
            ));
        }
        if judged.as_ref().is_some_and(|judged| judged.verdict == Verdict::Unknown) {
            doubts.push("each share was run once: how noisy runs are is not known".into());
        }
        let given_up = campaign.given_up().len();
        if given_up > 0 {
            let runs = if given_up == 1 { "run" } else { "runs" };
            doubts.push(format!("{given_up} {runs} failed each time and are missing"));
        }
        Answer { samples, judged, models, is_flat, doubts }
    }

    /// Whether models can be made of it.
    pub fn is_fit(&self) -> bool {
        self.judged.as_ref().is_some_and(|judged| !matches!(judged.verdict, Verdict::Noisy { .. }))
    }

    /// Why they can't.
    pub fn why_unfit(&self) -> String {
        match (&self.samples, &self.judged) {
            (Err(error), _) => format!("{error}, where {} is needed", error.allowed()),
            (_, Some(Judged { verdict: Verdict::Noisy { share, within, repeats }, .. })) => {
                format!(
                    "samples are too noisy: the slowdown at {share} is known to {:.0}% alone; with runs as noisy as \
                 these, --repeat {repeats} would do",
                    within * 100.0
                )
            }
            _ => String::new(),
        }
    }
}

/// All of it.
pub(super) fn text(
    settings: &Settings,
    campaign: &Campaign,
    answer: &Answer,
    stored: Option<&Path>,
) -> String {
    let parts = tables_of(settings, campaign, answer);
    let parts = parts.iter().map(tables::table).collect::<Vec<_>>().join("\n");
    let closing = closing(settings, answer, stored).into_iter().map(|line| format!("{line}\n"));
    format!("{parts}\n{}", closing.collect::<String>())
}

/// What is to be said below tables.
pub(super) fn closing(settings: &Settings, answer: &Answer, stored: Option<&Path>) -> Vec<String> {
    let explains = |((name, model), samples): (&(&str, Model), &Samples)| {
        let r_squared = model.r_squared(samples);
        format!("The {name} model explains R² = {r_squared:.3} of what was measured.")
    };
    let mut lines: Vec<String> = match answer.is_flat {
        true => vec![
            "It loses nothing that these runs show: no slowdown differs from 1 by more than noise."
                .into(),
        ],
        false => answer.models.iter().zip(answer.samples.iter().cycle()).map(explains).collect(),
    };
    lines.extend(answer.doubts.iter().map(|doubt| format!("Doubtful: {doubt}.")));
    lines.extend(
        stored.map(|path| format!("{} is in {}.", settings.application.as_str(), path.display())),
    );
    lines
}

/// What each share came to, and runs that failed.
pub(super) fn tables_of(settings: &Settings, campaign: &Campaign, answer: &Answer) -> Vec<Table> {
    let runs = campaign.runs();
    let warm_ups = runs.iter().filter(|run| run.purpose == Purpose::WarmUp).count();
    let failed: Vec<&Run> = runs.iter().filter(|run| run.outcome != Outcome::Success).collect();
    let count = |number: usize, one: &str| match number {
        1 => format!("1 {one}"),
        more => format!("{more} {one}s"),
    };
    let caption = format!(
        "{}: {}, {} of them to warm up, {} failed.",
        settings.links,
        count(runs.len(), "run"),
        warm_ups,
        failed.len()
    );
    let mut header: Vec<String> =
        ["bandwidth", "runs", "mean", "shortest", "longest", "slowdown", "± (95%)"]
            .map(String::from)
            .into();
    header.extend(answer.models.iter().map(|(name, _)| (*name).to_owned()));
    let measured = answer.judged.iter().flat_map(|judged| &judged.measured);
    let mut all = vec![Table {
        title: format!("What {} loses", settings.application.as_str()),
        caption,
        header,
        rows: measured.map(|measured| row(measured, answer)).collect(),
    }];
    if !failed.is_empty() {
        let row = |run: &&Run| {
            let purpose = match run.purpose {
                Purpose::WarmUp => "warm-up",
                Purpose::Sample => "sample",
            };
            vec![
                Cell::text(run.share.to_string()),
                Cell::text(purpose),
                Cell::number(run.time.as_s_f64(), "s"),
                Cell::text(outcome(&run.outcome)),
            ]
        };
        all.push(Table {
            title: "Runs that failed".into(),
            caption: format!("What they printed is in {}.out.", settings.journal.display()),
            header: ["bandwidth", "purpose", "after", "how"].map(String::from).into(),
            rows: failed.iter().map(row).collect(),
        });
    }
    all
}

fn row(measured: &Measured, answer: &Answer) -> Vec<Cell> {
    let within = match measured.within {
        Some(within) => Cell::number(within, ""),
        None => Cell::text(""),
    };
    let mut cells = vec![
        Cell::text(measured.share.to_string()),
        Cell::number(measured.runs.into(), ""),
        Cell::number(measured.mean_s, "s"),
        Cell::number(measured.least.as_s_f64(), "s"),
        Cell::number(measured.most.as_s_f64(), "s"),
        Cell::number(measured.slowdown, ""),
        within,
    ];
    cells.extend(
        answer.models.iter().map(|(_, model)| Cell::number(slowdown(model, measured.share), "")),
    );
    cells
}

/// What a model says of a share that was measured.
pub(super) fn slowdown(model: &Model, share: Share) -> f64 {
    model.predict(share).even_extrapolated()
}

/// How a run ended.
pub fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Success => "ended well".into(),
        Outcome::Code(code) => format!("ended with code {code}"),
        Outcome::Signal(signal) => format!("ended by signal {signal}"),
        Outcome::Late => "took longer than --timeout".into(),
    }
}

/// How long a run took.
pub(super) fn seconds(time: Time) -> String {
    format!("{:.3} s", time.as_s_f64())
}

/// A time that nobody wants to the millisecond.
pub(super) fn duration(time: Time) -> String {
    let seconds = time.as_s_f64().round() as u64;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
