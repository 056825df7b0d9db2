//! [`Doubt`]: a reason to doubt a model in its use.

use super::{JobsScenario, Outlook, SharedJob};
use bandwise_saba::sensitivity::{Conditions, Dataset, Prediction, Quality, Setting, Warning};
use std::fmt;
use std::num::NonZeroU32;

/// A reason to doubt a model, for the jobs that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// Application of the model.
    pub application: String,
    /// Names of the jobs.
    pub jobs: Vec<String>,
    /// Warning of the worst-affected job.
    pub warning: Warning,
}

/// Most names of jobs or models in a message.
const NAMED: usize = 3;

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.jobs.iter().map(String::as_str).collect();
        let named = few(&names, names.len());
        write!(f, "the model of {}, for {named}: {}", self.application, self.warning)
    }
}

impl Doubt {
    /// Returns the doubts as text. Of the doubts of one kind about several models, only the worst
    /// is described; the others are counted.
    pub fn texts(doubts: &[Doubt]) -> Vec<String> {
        let mut kinds: Vec<Vec<&Doubt>> = Vec::new();
        for doubt in doubts {
            match kinds.iter_mut().find(|kind| is_of_a_kind(&kind[0].warning, &doubt.warning)) {
                Some(kind) => kind.push(doubt),
                None => kinds.push(vec![doubt]),
            }
        }
        let text = |kind: &Vec<&Doubt>| {
            // The first of equally bad doubts is described.
            let mut sorted = kind.clone();
            sorted.sort_by(|a, b| badness(&b.warning).total_cmp(&badness(&a.warning)));
            let others: Vec<&str> =
                sorted[1..].iter().map(|doubt| doubt.application.as_str()).collect();
            match others.len() {
                0 => sorted[0].to_string(),
                n => {
                    format!(
                        "{}; models of {} are affected too, by as much or less",
                        sorted[0],
                        few(&others, n)
                    )
                }
            }
        };
        kinds.iter().map(text).collect()
    }
}

/// Returns the first few of `count` names.
fn few(names: &[&str], count: usize) -> String {
    let named = names[..count.min(NAMED)].join(", ");
    match count.saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

impl JobsScenario {
    /// Returns the doubts about the models of jobs: their fit, use with other nodes or data than in
    /// the measurement (Saba 4.6.3), and use below the smallest measured share. For each kind and
    /// application, only the worst is kept, in the order of jobs.
    pub fn doubts(&self, outlook: &Outlook) -> Vec<Doubt> {
        let mut doubts: Vec<Doubt> = Vec::new();
        for (job, outlook) in self.jobs.iter().zip(&outlook.jobs) {
            let mut warnings = job.quality(self.model).warnings;
            let lowest =
                [outlook.saba, outlook.equal].into_iter().min_by_key(|promise| promise.share);
            if let Some(promise) = lowest
                && let Prediction::Extrapolated { least, .. } = promise.slowdown
            {
                warnings.push(Warning::Extrapolated { share: promise.share, least });
            }
            for warning in warnings {
                let application = job.application.as_str();
                let is_same = |other: &&mut Doubt| {
                    other.application == application && is_of_a_kind(&other.warning, &warning)
                };
                match doubts.iter_mut().find(is_same) {
                    Some(known) => {
                        known.jobs.push(job.name.clone());
                        if badness(&warning) > badness(&known.warning) {
                            known.warning = warning;
                        }
                    }
                    None => doubts.push(Doubt {
                        application: application.to_owned(),
                        jobs: vec![job.name.clone()],
                        warning,
                    }),
                }
            }
        }
        doubts
    }
}

impl SharedJob {
    /// Returns the quality of the model in the job's setting.
    pub fn quality(&self, kind: bandwise_saba::sensitivity::Kind) -> Quality {
        // The measured amount may be unknown, but its multiple is known.
        let as_measured = || "1 x what was measured".parse().expect("a number and a unit");
        let dataset: Dataset = self.profile.setting.dataset.clone().unwrap_or_else(as_measured);
        let used = Setting {
            nodes: NonZeroU32::new(self.job.instances),
            dataset: Some(dataset.scaled(self.data)),
        };
        let measured = Setting { dataset: Some(dataset), ..self.profile.setting.clone() };
        let conditions = Conditions { measured: &measured, used: &used };
        Quality::of(&self.model(kind), &self.profile.samples, Some(conditions))
    }
}

/// Returns whether two warnings differ only in size. Too many nodes and too few are different kinds.
fn is_of_a_kind(a: &Warning, b: &Warning) -> bool {
    let is_more = |warning: &Warning| match *warning {
        Warning::Nodes { times } | Warning::Dataset { times } => times > 1.0,
        _ => false,
    };
    std::mem::discriminant(a) == std::mem::discriminant(b) && is_more(a) == is_more(b)
}

/// Returns a number that is larger for a worse warning of one kind.
fn badness(warning: &Warning) -> f64 {
    match *warning {
        Warning::LowRSquared { r_squared } => -r_squared,
        Warning::FewShares { shares } => -(shares as f64),
        Warning::Rises { .. } => 0.0,
        Warning::Nodes { times } | Warning::Dataset { times } => times.max(1.0 / times),
        Warning::Extrapolated { share, least } => least.get() / share.get(),
    }
}
