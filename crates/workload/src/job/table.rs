//! [`Workload`]: what a job does at a scale; the ten of Saba's table 2.1.
//!
//! **What is known.** Saba's chapters 3 and 4.2 say of workloads alone, on 8 servers with 56 Gbps
//! links: how much longer some take at 75, 25 and 10% of the bandwidth, that ten of them take 2.1
//! times as long at 25% on average, from 1.1 to 3.4, and which are alike (figure 4.7). The models here
//! are the simplest that meet what is said of a workload, and the average; nothing in them comes from
//! what workloads do to each other. What is assumed besides is said at each.
//!
//! **What can't be met.** A job of stages takes a time that is convex in 1 / bandwidth, for each stage
//! takes the longer of two times of which one is proportional to it. LR's 1.3, 3.4 and 4.5 at 75, 25
//! and 10% are not: the first two mean 8.2 at 10%. And TS takes 1.20 times as long by its 165 and 138
//! seconds (3.4), but 1.1 and 1.0 by the text of 3.2; here it is 1.19 between 75 and 25%.

use super::{Job, Pattern, Stage};
use bandwise_units::{BitRate, Bytes, Time};

/// How many instances workloads were profiled with (Saba 3.1).
pub const PROFILE_INSTANCES: u32 = 8;

/// The links on which they were: 56 Gbps (Saba 3.1).
pub const REFERENCE_RATE: BitRate = BitRate::from_gbps(56);

/// How much more or less data than when profiled a job may have.
pub const DATA_SCALES: std::ops::RangeInclusive<f64> = 0.001..=1_000.0;

/// How many instances a job may have.
pub const INSTANCE_SCALES: std::ops::RangeInclusive<u32> = 1..=4_096;

/// The part of the time alone, at the scale of profiling, that neither more data nor more instances
/// change: starting up, planning. Assumed.
const FIXED: f64 = 0.05;

/// What a workload does, when 8 instances have 56 Gbps each, as parts of the time that it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Its name in Saba's table 2.1, abbreviated as there.
    pub name: String,
    /// What it stands for.
    pub about: String,
    /// How long it takes, s.
    pub seconds: f64,
    /// The part in which it communicates, and does nothing else.
    pub exposed: f64,
    /// The part in which it could communicate with nothing to wait for, while it computes.
    pub hidden: f64,
    /// The part in which it computes meanwhile.
    pub behind: f64,
    /// The part of what is exposed that is a broadcast, of a model or the like, instead of a shuffle.
    pub broadcast: f64,
    /// How often it computes and communicates.
    pub rounds: u32,
}

/// How large a job of a workload is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Instances, 1 to 4,096; 8 when profiled.
    pub instances: u32,
    /// Data, as a multiple of what it was profiled with: 0.001 to 1,000.
    pub data: f64,
}

impl Default for Scale {
    /// As profiled.
    fn default() -> Self {
        Scale { instances: PROFILE_INSTANCES, data: 1.0 }
    }
}

/// Why there is no job of such a scale.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// Too many instances, or none.
    #[error("a job of {0} instances; allowed: 1 to 4096")]
    Instances(u32),
    /// Too much data, too little, or no number.
    #[error("{0} times the data; allowed: 0.001 to 1000")]
    Data(f64),
}

/// Name, what it stands for, seconds, exposed, hidden, behind, broadcast, rounds.
type Row = (&'static str, &'static str, f64, f64, f64, f64, f64, u32);

/// The workloads of table 2.1. By column:
///
/// - Seconds: LR's 172 s at 75% are 136 s at 100%, TS has 138 s at 75%, which changes nothing by 3.2.
///   The others are assumed to be like these two: nothing is said of them.
/// - Exposed: see each below. Where one number is known at most, all is exposed, so that the time
///   grows in proportion to 1 / bandwidth.
/// - Broadcast: machine learning broadcasts its model and shuffles (2.1.2 says so of LR); that it is
///   half of each is assumed.
/// - Rounds: "hundreds of iterations" (LR, 2.1.2), "fewer communication phases" (TS, 3.4) and nothing
///   else. Fewer than hundreds here, as no rival changes its mind within a stage.
const TABLE: [Row; 10] = [
    // 3.4 at 25% (3.2), which makes it 1.27 at 75% (1.3 in 3.2, 1.28 in chapter 3's introduction).
    ("LR", "Logistic Regression", 136.0, 0.8, 0.0, 0.0, 0.5, 40),
    // In LR's group of figure 4.7, below its 3.4: with GBT's 3.0 what the average asks for.
    ("RF", "Random Forest", 135.0, 0.733, 0.0, 0.0, 0.5, 20),
    ("GBT", "Gradient Boosted Trees", 135.0, 0.667, 0.0, 0.0, 0.5, 20),
    // The group between: 2.3, 2.15 and 2.0 at 25%.
    ("SVM", "Support Vector Machines", 135.0, 0.433, 0.0, 0.0, 0.5, 20),
    ("NI", "Nutch Indexing", 135.0, 0.383, 0.0, 0.0, 0.0, 4),
    ("NW", "NWeight", 135.0, 0.333, 0.0, 0.0, 0.0, 8),
    // 1.4 at 25% (chapter 4's introduction).
    ("PR", "PageRank", 135.0, 0.133, 0.0, 0.0, 0.0, 8),
    // 1.2 at 25%, 2.2 at 10% (4.2.2): six times the bandwidth less costs what no exposed part could,
    // so all is hidden, up to 2.8 times less bandwidth.
    ("SQL", "SQL", 135.0, 0.0, 1.0 / 6.0, 2.8 / 6.0, 0.0, 4),
    // In the group of TS, PR and SQL; 1.25 at 25%, in the midst of theirs.
    ("WC", "WordCount", 135.0, 0.083, 0.0, 0.0, 0.0, 2),
    // Some is overlapped (3.4); 1.01 at 75%, 1.21 at 25%.
    ("TS", "TeraSort", 138.0, 0.03, 0.06, 0.122, 0.0, 2),
];

/// The names of the workloads of table 2.1, most sensitive first by the models here.
pub const WORKLOADS: [&str; 10] = ["LR", "RF", "GBT", "SVM", "NI", "NW", "PR", "SQL", "WC", "TS"];

impl Workload {
    /// A workload of table 2.1 by its abbreviation, in any case.
    pub fn by_name(name: &str) -> Option<Workload> {
        let row = TABLE.iter().find(|row| row.0.eq_ignore_ascii_case(name))?;
        let &(name, about, seconds, exposed, hidden, behind, broadcast, rounds) = row;
        let (name, about) = (name.to_owned(), about.to_owned());
        Some(Workload { name, about, seconds, exposed, hidden, behind, broadcast, rounds })
    }

    /// A job of it.
    ///
    /// Computing is divided among the instances and grows with the data, as does what is shuffled;
    /// what is broadcast is a model, as large for any data and any number of instances.
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
            |part: f64| Bytes::new((part * a_round * REFERENCE_RATE.as_bps() as f64 / 8.0) as u64);
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
