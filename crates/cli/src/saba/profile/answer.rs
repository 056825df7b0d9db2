//! [`ProfileAnswer`]: the runs of a profile and their models.

use super::flags::Settings;
use crate::answer::{Answer, Stats, fraction, seconds};
use bandwise_profiler::{
    Campaign, FittedModel, Measured, Outcome, ProfileResults, Purpose, Run, Unusable, Verdict,
};
use bandwise_report::Report;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Model;
use bandwise_units::Time;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The runs of a profile and their models.
#[derive(Debug, Serialize)]
pub(super) struct ProfileAnswer {
    schema: u32,
    pub(super) application: String,
    pub(super) command: Vec<String>,
    pub(super) links: String,
    pub(super) runs: Vec<RunRow>,
    left: usize,
    given_up: Vec<f64>,
    pub(super) shares: Vec<ShareRow>,
    verdict: Option<VerdictRow>,
    pub(super) models: Vec<ModelRow>,
    pub(super) doubts: Vec<String>,
    /// The sensitivity table with the new entry.
    pub(super) table: Option<String>,
    stats: Stats,
    #[serde(skip)]
    pub(super) journal: PathBuf,
    #[serde(skip)]
    pub(super) seed: u64,
    #[serde(skip)]
    pub(super) is_flat: bool,
    /// The reason for which there is no model.
    #[serde(skip)]
    pub(super) unusable: Option<Unusable>,
}

/// A run.
#[derive(Debug, Serialize)]
pub(super) struct RunRow {
    #[serde(serialize_with = "fraction")]
    pub(super) share: Share,
    pub(super) purpose: Purpose,
    #[serde(rename = "time_s", serialize_with = "seconds")]
    pub(super) time: Time,
    pub(super) outcome: Outcome,
}

/// The samples with one share.
#[derive(Debug, Serialize)]
pub(super) struct ShareRow {
    #[serde(serialize_with = "fraction")]
    pub(super) share: Share,
    pub(super) runs: u32,
    pub(super) mean_s: f64,
    #[serde(rename = "least_s", serialize_with = "seconds")]
    pub(super) least: Time,
    #[serde(rename = "most_s", serialize_with = "seconds")]
    pub(super) most: Time,
    pub(super) slowdown: f64,
    pub(super) within: Option<f64>,
}

/// The verdict on the samples.
#[derive(Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
enum VerdictRow {
    Unknown,
    Enough,
    Noisy { share: f64, within: f64, repeats: u32 },
}

/// A model of the samples.
#[derive(Debug, Serialize)]
pub(super) struct ModelRow {
    #[serde(rename = "kind")]
    pub(super) name: &'static str,
    pub(super) r_squared: f64,
    #[serde(flatten)]
    parameters: Parameters,
    #[serde(skip)]
    pub(super) model: Model,
}

/// The parameters of a model.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Parameters {
    Monotone { knots: Vec<Knot> },
    Polynomial { coefficients: [f64; 4] },
}

/// A point of a monotone model.
#[derive(Debug, Serialize)]
struct Knot {
    share: f64,
    slowdown: f64,
}

impl ProfileAnswer {
    /// Returns the answer for the runs so far. `table` is the sensitivity table if the new entry
    /// was added to it.
    pub(super) fn new(
        settings: &Settings,
        campaign: &Campaign,
        results: ProfileResults,
        table: Option<&Path>,
    ) -> Self {
        let unusable = results.unusable();
        let judged = results.judged;
        let verdict = judged.as_ref().map(|judged| VerdictRow::from(judged.verdict));
        let measured = judged.into_iter().flat_map(|judged| judged.measured);
        ProfileAnswer {
            schema: 1,
            application: settings.application.as_str().to_owned(),
            command: settings.words(),
            links: settings.profile.links.to_string(),
            runs: campaign.runs().iter().map(RunRow::from).collect(),
            left: campaign.left(),
            given_up: campaign.given_up().iter().map(|next| next.share.get()).collect(),
            shares: measured.map(ShareRow::from).collect(),
            verdict,
            models: results.models.into_iter().map(ModelRow::from).collect(),
            doubts: results.doubts.iter().map(ToString::to_string).collect(),
            table: table.map(|path| path.display().to_string()),
            stats: Stats::HERE,
            journal: settings.journal.clone(),
            seed: settings.plan.seed(),
            is_flat: results.is_flat,
            unusable,
        }
    }
}

impl Answer for ProfileAnswer {
    fn text(&self) -> String {
        super::tables::text(self)
    }

    fn report(&self) -> Option<Report> {
        Some(super::report::report(self))
    }
}

impl From<&Run> for RunRow {
    fn from(run: &Run) -> Self {
        let Run { share, purpose, time, outcome } = run.clone();
        RunRow { share, purpose, time, outcome }
    }
}

impl From<Measured> for ShareRow {
    fn from(measured: Measured) -> Self {
        let Measured { share, runs, mean_s, least, most, slowdown, within } = measured;
        ShareRow { share, runs, mean_s, least, most, slowdown, within }
    }
}

impl From<Verdict> for VerdictRow {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Unknown => VerdictRow::Unknown,
            Verdict::Enough => VerdictRow::Enough,
            Verdict::Noisy { share, within, repeats } => {
                VerdictRow::Noisy { share: share.get(), within, repeats }
            }
        }
    }
}

impl From<FittedModel> for ModelRow {
    fn from(fitted: FittedModel) -> Self {
        let FittedModel { name, model, r_squared } = fitted;
        let knot = |&(share, slowdown): &(Share, f64)| Knot { share: share.get(), slowdown };
        let parameters = match &model {
            Model::Monotone(monotone) => {
                Parameters::Monotone { knots: monotone.knots().iter().map(knot).collect() }
            }
            Model::Polynomial(polynomial) => {
                Parameters::Polynomial { coefficients: polynomial.coefficients() }
            }
        };
        ModelRow { name, r_squared, parameters, model }
    }
}

impl ModelRow {
    /// Returns the slowdown with a share, also beyond the measured ones.
    pub(super) fn slowdown(&self, share: Share) -> f64 {
        self.model.predict(share).even_extrapolated()
    }
}
