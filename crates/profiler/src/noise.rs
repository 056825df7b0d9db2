//! [`judge`]: the decision whether samples suffice for a model.

use crate::spread::student;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Samples;
use bandwise_units::Time;

/// The samples with one share of the bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The share.
    pub share: Share,
    /// The number of runs.
    pub runs: u32,
    /// The mean time, in seconds.
    pub mean_s: f64,
    /// The shortest time.
    pub least: Time,
    /// The longest time.
    pub most: Time,
    /// The ratio of the mean to the mean with the whole bandwidth.
    pub slowdown: f64,
    /// Half the width of the slowdown's 95% interval, or `None` if no share was run twice. It is 0
    /// for the whole bandwidth, to which slowdowns are relative.
    pub within: Option<f64>,
}

/// The verdict on samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// No share was run twice, so the noise is unknown.
    Unknown,
    /// The samples are too noisy for a model.
    Noisy {
        /// The share with the widest interval.
        share: Share,
        /// Half the width of its 95% interval, as a fraction of its slowdown.
        within: f64,
        /// The number of runs of each share that would suffice with the same noise.
        repeats: u32,
    },
    /// Each slowdown is known well enough.
    Enough,
}

/// Samples and the verdict on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The samples by share, the least first.
    pub measured: Vec<Measured>,
    /// The verdict on all samples.
    pub verdict: Verdict,
    /// Two shares of which the larger one was slower by more than noise explains. Something else
    /// than bandwidth differed between those runs.
    pub rises: Option<(Share, Share)>,
}

impl Judged {
    /// Returns `true` if no slowdown differs from 1 by more than its interval.
    pub(crate) fn is_flat(&self) -> bool {
        let is_one =
            |of: &Measured| of.within.is_some_and(|within| (of.slowdown - 1.0).abs() <= within);
        self.measured.iter().all(is_one)
    }
}

/// Judges samples. Half the 95% interval of each slowdown must be at most the fraction `wanted` of
/// it.
///
/// The noise of a run is assumed to be the same fraction of its time for all shares (a pooled
/// coefficient of variation), because a few runs do not show the noise of one share alone.
/// Student's distribution has as many degrees of freedom as there are runs beyond the first of each
/// share. A slowdown is a quotient of two means, whose relative errors add up as squares.
pub fn judge(samples: &Samples, wanted: f64) -> Judged {
    let groups: Vec<_> = samples.runs().chunk_by(|a, b| a.share == b.share).collect();
    let seconds = Time::as_s_f64;
    let (mut squares, mut freedom) = (0.0, 0u32);
    let mut means = Vec::new();
    for runs in &groups {
        let mean = runs.iter().map(|run| seconds(run.time)).sum::<f64>() / runs.len() as f64;
        squares += runs.iter().map(|run| (seconds(run.time) / mean - 1.0).powi(2)).sum::<f64>();
        freedom += runs.len() as u32 - 1;
        means.push(mean);
    }
    // Half the 95% interval of a single run, relative to its mean.
    let reach = (freedom > 0).then(|| student(freedom) * (squares / f64::from(freedom)).sqrt());
    let whole = groups.last().map_or(0.0, |runs| runs.len() as f64);
    let measured: Vec<Measured> = groups
        .iter()
        .zip(samples.points())
        .zip(means)
        .map(|((runs, point), mean_s)| {
            let parts = match point.share {
                Share::ALL => 0.0,
                _ => (1.0 / runs.len() as f64 + 1.0 / whole).sqrt(),
            };
            Measured {
                share: point.share,
                runs: point.runs,
                mean_s,
                least: runs[0].time,
                most: runs[runs.len() - 1].time,
                slowdown: point.slowdown,
                within: reach.map(|reach| reach * parts * point.slowdown),
            }
        })
        .collect();
    let widest = |a: &&Measured, b: &&Measured| part(a).total_cmp(&part(b));
    let verdict = match (reach, measured.iter().max_by(widest)) {
        (Some(reach), Some(worst)) if part(worst) > wanted => {
            let repeats = (2.0 * (reach / wanted).powi(2)).ceil() as u32;
            Verdict::Noisy { share: worst.share, within: part(worst), repeats }
        }
        (Some(_), _) => Verdict::Enough,
        (None, _) => Verdict::Unknown,
    };
    let rises = rises(&measured);
    Judged { measured, verdict, rises }
}

/// Returns half the interval of a slowdown, relative to it.
fn part(measured: &Measured) -> f64 {
    measured.within.unwrap_or(0.0) / measured.slowdown
}

/// Returns the first two neighbours with disjoint intervals of which the one with more bandwidth
/// was slower.
fn rises(measured: &[Measured]) -> Option<(Share, Share)> {
    let apart = |pair: &&[Measured]| match (pair[0].within, pair[1].within) {
        (Some(a), Some(b)) => pair[0].slowdown + a < pair[1].slowdown - b,
        _ => false,
    };
    measured.windows(2).find(apart).map(|pair| (pair[0].share, pair[1].share))
}
