//! [`Workload`]: the behaviour of a job at a scale; the ten workloads of Saba's table 2.1.
//!
//! **Known.** Saba's chapters 3 and 4.2 describe workloads alone on 8 servers with 56 Gbps links:
//! the slowdown of some at 75, 25 and 10% of the bandwidth; that the mean slowdown of ten at 25% is
//! 2.1, from 1.1 to 3.4; and which are alike (figure 4.7). The models here are the simplest that
//! meet the facts on each workload and the mean. Nothing in them comes from interaction of
//! workloads. Further assumptions stand at each.
//!
//! **Not met.** The time of a job of stages is convex in 1 / bandwidth, because each stage takes
//! the longer of two times, one of which is proportional to it. LR's 1.3, 3.4 and 4.5 at 75, 25 and
//! 10% are not convex: the first two imply 8.2 at 10%. TS takes 1.20 times as long by its 165 and
//! 138 seconds (3.4), but 1.1 and 1.0 by the text of 3.2; here the ratio is 1.19 between 75 and
//! 25%.

use super::{Job, Pattern, Stage};
use bandwise_units::{BitRate, Bytes, Time};

/// The number of instances in profiles (Saba 3.1).
pub const PROFILE_INSTANCES: u32 = 8;

/// The link rate in Saba's profiles (Saba 3.1).
pub const REFERENCE_RATE: BitRate = BitRate::from_gbps(56);

/// The allowed factors of a job's data, relative to its profile.
pub const DATA_SCALES: std::ops::RangeInclusive<f64> = 0.001..=1_000.0;

/// The allowed numbers of instances of a job.
pub const INSTANCE_SCALES: std::ops::RangeInclusive<u32> = 1..=4_096;

/// The fraction of the time alone, at the scale of profiles, that depends neither on data nor on
/// instances: start-up and planning. Assumed.
const FIXED: f64 = 0.05;

/// A workload. Its parts are fractions of its duration with 8 instances, each with a link of `rate`.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The name, abbreviated as in Saba's table 2.1.
    pub name: String,
    /// The full name.
    pub about: String,
    /// The duration, s.
    pub seconds: f64,
    /// The rate of an instance's link in that duration.
    pub rate: BitRate,
    /// The fraction in which the job communicates and does not compute.
    pub exposed: f64,
    /// The fraction that communication hidden behind computing would take alone.
    pub hidden: f64,
    /// The fraction of computing that hides communication.
    pub behind: f64,
    /// The fraction of the exposed communication that is a broadcast, such as that of a model,
    /// instead of a shuffle.
    pub broadcast: f64,
    /// The number of rounds of computing and communicating.
    pub rounds: u32,
}

/// The scale of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The number of instances, 1 to 4,096; 8 in profiles.
    pub instances: u32,
    /// The data as a multiple of that in profiles, 0.001 to 1,000.
    pub data: f64,
}

impl Default for Scale {
    /// Returns the scale of profiles.
    fn default() -> Self {
        Scale { instances: PROFILE_INSTANCES, data: 1.0 }
    }
}

/// The reasons for which a job cannot have a scale.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// A number of instances out of range.
    #[error("a job of {0} instances; allowed: 1 to 4096")]
    Instances(u32),
    /// A factor of data out of range.
    #[error("{0} times the data; allowed: 0.001 to 1000")]
    Data(f64),
}

/// Name, full name, seconds, exposed, hidden, behind, broadcast, rounds.
type Row = (&'static str, &'static str, f64, f64, f64, f64, f64, u32);

/// The workloads of table 2.1. By column:
///
/// - Seconds: LR's 172 s at 75% are 136 s at 100%. TS has 138 s at 75%, and the same at 100% by
///   3.2. The others are assumed to be like these two.
/// - Exposed: see each below. If at most one slowdown is known, all communication is exposed, so
///   that the time grows linearly with 1 / bandwidth.
/// - Broadcast: machine learning broadcasts its model and shuffles (2.1.2 states it for LR). That
///   each has half of the bytes is assumed.
/// - Rounds: Saba states "hundreds of iterations" (LR, 2.1.2) and "fewer communication phases" (TS,
///   3.4). The models have fewer than hundreds, because no competing job changes within a stage.
const TABLE: [Row; 10] = [
    // 3.4 at 25% (3.2) implies 1.27 at 75% (1.3 in 3.2, 1.28 in chapter 3's introduction).
    ("LR", "Logistic Regression", 136.0, 0.8, 0.0, 0.0, 0.5, 40),
    // In LR's group of figure 4.7, below its 3.4. Together with GBT's 3.0 it meets the mean.
    ("RF", "Random Forest", 135.0, 0.733, 0.0, 0.0, 0.5, 20),
    ("GBT", "Gradient Boosted Trees", 135.0, 0.667, 0.0, 0.0, 0.5, 20),
    // The group between: 2.3, 2.15 and 2.0 at 25%.
    ("SVM", "Support Vector Machines", 135.0, 0.433, 0.0, 0.0, 0.5, 20),
    ("NI", "Nutch Indexing", 135.0, 0.383, 0.0, 0.0, 0.0, 4),
    ("NW", "NWeight", 135.0, 0.333, 0.0, 0.0, 0.0, 8),
    // 1.4 at 25% (chapter 4's introduction).
    ("PR", "PageRank", 135.0, 0.133, 0.0, 0.0, 0.0, 8),
    // 1.2 at 25%, 2.2 at 10% (4.2.2). No exposed part allows so little loss at a fourth of the
    // bandwidth, so all communication is hidden down to 1/2.8 of the bandwidth.
    ("SQL", "SQL", 135.0, 0.0, 1.0 / 6.0, 2.8 / 6.0, 0.0, 4),
    // In the group of TS, PR and SQL; 1.25 at 25%, in the middle of theirs.
    ("WC", "WordCount", 135.0, 0.083, 0.0, 0.0, 0.0, 2),
    // Some is overlapped (3.4); 1.01 at 75%, 1.21 at 25%.
    ("TS", "TeraSort", 138.0, 0.03, 0.06, 0.122, 0.0, 2),
];

/// The names of the workloads of table 2.1, most sensitive first by these models.
pub const WORKLOADS: [&str; 10] = ["LR", "RF", "GBT", "SVM", "NI", "NW", "PR", "SQL", "WC", "TS"];

impl Workload {
    /// Returns a workload of table 2.1 by its abbreviation, in any case.
    pub fn by_name(name: &str) -> Option<Workload> {
        let row = TABLE.iter().find(|row| row.0.eq_ignore_ascii_case(name))?;
        let &(name, about, seconds, exposed, hidden, behind, broadcast, rounds) = row;
        let (name, about) = (name.to_owned(), about.to_owned());
        let rate = REFERENCE_RATE;
        Some(Workload { name, about, seconds, rate, exposed, hidden, behind, broadcast, rounds })
    }

    /// Returns a job of this workload.
    ///
    /// Computing is divided among the instances and grows with the data, as do shuffled bytes.
    /// Broadcast bytes are a model of constant size, independent of data and instances.
    ///
    /// # Errors
    ///
    /// Returns a [`ScaleError`] if the scale is out of range.
    pub fn job(&self, scale: Scale) -> Result<Job, ScaleError> {
        let Scale { instances, data } = scale;
        if !INSTANCE_SCALES.contains(&instances) {
            return Err(ScaleError::Instances(instances));
        }
        if !DATA_SCALES.contains(&data) {
            return Err(ScaleError::Data(data));
        }
        let each = data * f64::from(PROFILE_INSTANCES) / f64::from(instances);
        let a_round = self.seconds / f64::from(self.rounds);
        let time = |part: f64| Time::from_ps((part * a_round * 1e12) as u64);
        let bytes =
            |part: f64| Bytes::new((part * a_round * self.rate.as_bps() as f64 / 8.0) as u64);
        let fixed = FIXED.min(1.0 - self.exposed - self.behind);
        let rest = 1.0 - self.exposed - self.behind - fixed;
        let stages = [
            Stage::computing(time(fixed + rest * each)),
            Stage {
                compute: time(self.behind * each),
                pattern: Pattern::Shuffle,
                overlapped: bytes(self.hidden * each),
                exposed: bytes(self.exposed * (1.0 - self.broadcast) * each),
            },
            Stage {
                compute: Time::ZERO,
                pattern: Pattern::Chain,
                overlapped: Bytes::new(0),
                exposed: bytes(self.exposed * self.broadcast),
            },
        ];
        let does = |stage: &Stage| {
            stage.compute > Time::ZERO || stage.overlapped.get() + stage.exposed.get() > 0
        };
        let stages = stages.into_iter().filter(does).collect();
        Ok(Job { instances, stages, rounds: self.rounds })
    }
}
