//! [`judge`]: whether what was measured is enough for a model.

use crate::spread::student;
use bandwise_saba::Share;
use bandwise_saba::sensitivity::Samples;
use bandwise_units::Time;

/// What was measured with a share of the bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The share.
    pub share: Share,
    /// How many runs there are.
    pub runs: u32,
    /// Their mean time, in seconds.
    pub mean_s: f64,
    /// The shortest.
    pub least: Time,
    /// The longest.
    pub most: Time,
    /// Their mean over the mean with all of the bandwidth.
    pub slowdown: f64,
    /// The slowdown's 95% interval is that much to both sides; none if no share was run twice. With all of the
    /// bandwidth it is 0, as that is what the slowdown is relative to.
    pub within: Option<f64>,
}

/// What is to be thought of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// No share was run twice: how noisy runs are is not known.
    Unknown,
    /// They are too noisy to fit a model to.
    Noisy {
        /// The share that is known least.
        share: Share,
        /// Its 95% interval is that part of its slowdown to both sides.
        within: f64,
        /// With that many runs of each share, as noisy as these, all would be known well enough.
        repeats: u32,
    },
    /// Each slowdown is known well enough.
    Enough,
}

/// Samples, and what is to be thought of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// By share, the least first.
    pub measured: Vec<Measured>,
    /// All of them together.
    pub verdict: Verdict,
    /// Two shares of which the larger one was slower by more than noise explains: something else than bandwidth
    /// differed between those runs.
    pub rises: Option<(Share, Share)>,
}

/// Judges samples: the 95% interval of each slowdown must be at most the part `wanted` of it, to both sides.
///
/// The noise of a run is taken to be a part of its time that is the same for all shares (a pooled coefficient
/// of variation): with a few runs of each share nothing could be said of one share alone. Student's
/// distribution has as many degrees of freedom as there are runs beyond the first of each share. A slowdown is a
/// quotient of two means, whose parts add up as squares.
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
    // Of the relative deviation of a run, how much 95% of the means of one run stay within.
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

/// How much of a slowdown its interval is, to both sides.
fn part(measured: &Measured) -> f64 {
    measured.within.unwrap_or(0.0) / measured.slowdown
}

/// The first two neighbours whose intervals don't meet though the one with more bandwidth was slower.
fn rises(measured: &[Measured]) -> Option<(Share, Share)> {
    let apart = |pair: &&[Measured]| match (pair[0].within, pair[1].within) {
        (Some(a), Some(b)) => pair[0].slowdown + a < pair[1].slowdown - b,
        _ => false,
    };
    measured.windows(2).find(apart).map(|pair| (pair[0].share, pair[1].share))
}
