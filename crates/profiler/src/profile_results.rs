//! [`ProfileResults`]: the samples of a campaign, models of them, and doubts about both.

use crate::{Campaign, Judged, Verdict, judge};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Degree, Kind, Model, Quality, Samples, SamplesError, Warning};
use std::fmt;

/// The results of a campaign.
#[derive(Debug)]
pub struct ProfileResults {
    /// The samples, or the reason for which they make no model.
    pub samples: Result<Samples, SamplesError>,
    /// The samples with the verdict on them.
    pub judged: Option<Judged>,
    /// Models of the samples: that of the controller, and the polynomial of the paper.
    pub models: Vec<FittedModel>,
    /// Set if no slowdown differs from 1 by more than its interval.
    pub is_flat: bool,
    /// Doubts about samples and models.
    pub doubts: Vec<Doubt>,
}

/// A model of the samples.
#[derive(Debug)]
pub struct FittedModel {
    /// The name of its kind.
    pub name: &'static str,
    /// The model.
    pub model: Model,
    /// The part of the samples' variance that it explains.
    pub r_squared: f64,
}

/// A reason to doubt samples or a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// A model has a property that sensitivities rarely have.
    Model {
        /// The name of the model's kind.
        name: &'static str,
        /// The property.
        warning: Warning,
    },
    /// A run with more bandwidth was slower, by more than noise explains.
    Rise {
        /// The smaller share.
        less: Share,
        /// The larger share, with which runs took longer.
        more: Share,
    },
    /// No share was run twice, so the noise is unknown.
    UnknownNoise,
    /// This number of runs failed as often as the plan allows.
    GivenUp(usize),
}

/// The reason for which samples make no model.
#[derive(Debug, Clone, PartialEq)]
pub enum Unusable {
    /// The samples are too few, or incomplete.
    Samples(SamplesError),
    /// The samples are too noisy.
    Noisy {
        /// The share with the widest interval.
        share: Share,
        /// Half the width of its 95% interval, as a fraction of its slowdown.
        within: f64,
        /// The number of runs of each share that would suffice with the same noise.
        repeats: u32,
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Model { name, warning } => write!(f, "{name}: {warning}"),
            Doubt::Rise { less, more } => write!(
                f,
                "{more} of the bandwidth was slower than {less}, by more than noise explains: something else differed"
            ),
            Doubt::UnknownNoise => {
                f.write_str("each share was run once: how noisy runs are is not known")
            }
            Doubt::GivenUp(1) => f.write_str("1 run failed each time and are missing"),
            Doubt::GivenUp(runs) => write!(f, "{runs} runs failed each time and are missing"),
        }
    }
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Samples(error) => write!(f, "{error}, where {} is needed", error.allowed()),
            Unusable::Noisy { share, within, repeats } => write!(
                f,
                "samples are too noisy: the slowdown at {share} is known to {:.0}% alone; with runs as noisy as \
                 these, --repeat {repeats} would do",
                within * 100.0
            ),
        }
    }
}

impl ProfileResults {
    /// Returns the results of a campaign. Half the 95% interval of each slowdown must be at most the
    /// fraction `within` of it.
    pub fn of(campaign: &Campaign, within: f64) -> Self {
        let samples = Samples::new(campaign.samples());
        let judged = samples.as_ref().ok().map(|samples| judge(samples, within));
        let is_flat = judged.as_ref().is_some_and(Judged::is_flat);
        let models = samples.as_ref().map(fit).unwrap_or_default();
        let mut doubts = Vec::new();
        if let Ok(samples) = &samples {
            doubts.extend(models.iter().flat_map(|fitted| warnings(fitted, samples, is_flat)));
        }
        if let Some(Judged { rises: Some((less, more)), .. }) = judged {
            doubts.push(Doubt::Rise { less, more });
        }
        if judged.as_ref().is_some_and(|judged| judged.verdict == Verdict::Unknown) {
            doubts.push(Doubt::UnknownNoise);
        }
        let given_up = campaign.given_up().len();
        if given_up > 0 {
            doubts.push(Doubt::GivenUp(given_up));
        }
        ProfileResults { samples, judged, models, is_flat, doubts }
    }

    /// Returns the reason for which the samples make no model, if there is one.
    pub fn unusable(&self) -> Option<Unusable> {
        if let Err(error) = &self.samples {
            return Some(Unusable::Samples(*error));
        }
        match self.judged.as_ref()?.verdict {
            Verdict::Noisy { share, within, repeats } => {
                Some(Unusable::Noisy { share, within, repeats })
            }
            Verdict::Unknown | Verdict::Enough => None,
        }
    }
}

/// Returns the models that these samples suffice for. Three shares make no polynomial of degree 3.
fn fit(samples: &Samples) -> Vec<FittedModel> {
    let kinds = [("monotone", Kind::Monotone), ("polynomial", Kind::Polynomial(Degree::THREE))];
    let fitted = |(name, kind)| {
        let model = Model::fit(samples, kind).ok()?;
        let r_squared = model.r_squared(samples);
        Some(FittedModel { name, model, r_squared })
    };
    kinds.into_iter().filter_map(fitted).collect()
}

/// Returns the doubts about a model. A flat model has no variance to explain, so a low R² says
/// nothing about it.
fn warnings(fitted: &FittedModel, samples: &Samples, is_flat: bool) -> Vec<Doubt> {
    let all = Quality::of(&fitted.model, samples, None).warnings;
    let counts = |warning: &Warning| !(is_flat && matches!(warning, Warning::LowRSquared { .. }));
    let doubt = |warning| Doubt::Model { name: fitted.name, warning };
    all.into_iter().filter(counts).map(doubt).collect()
}
