//! [`SharingPolicy`]: by which rule links are shared.

/// Who gets how much of a link. Next to Saba stand controls: without them nobody can say whether a gain
/// comes from weights, from queues, or from order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharingPolicy {
    /// One queue, in which flows share max-min fairly: what congestion control strives for, without
    /// the throughput that it and blocking cost (Saba 2.5).
    FairFlows,
    /// One queue at each host without congestion control: what waits blocks what is behind it, which
    /// costs throughput. InfiniBand lies between this and the one before.
    Blocking,
    /// A queue a job with equal weights: the ideal max-min fairness of Saba 4.6.4.
    FairJobs,
    /// Saba: queues by sensitivity (Saba 4.3.3), weights by eq. 4.2.
    Saba,
    /// Saba without floors on shares but for one that keeps who sends from starving: less than was ever
    /// measured of an application may be its share.
    SabaNoFloor,
    /// Saba by an instance for each switch, whose levels are of what was profiled ahead of time
    /// (Saba 4.3.4, and 4.6.4, study 7).
    SabaDistributed,
    /// The queues of `Saba`, of equal weights: what is left of Saba's gain then comes from apartness.
    EqualWeights,
    /// Saba with a queue a job: as if ports had as many (Saba 4.6.4, study 8).
    SabaUnlimited,
    /// A queue a job with the weights that the jobs were given by hand (as Saba 3.3 does).
    GivenWeights,
    /// A part of each link for each job, by the weights that jobs were given, and no more though the link be
    /// idle: static reservations (Saba 2.5).
    Reserved,
    /// The same parts at least, and what others don't use by the same weights: minimum guarantees (Saba 2.5).
    Guaranteed,
    /// The job with the fewest bytes left in its stage goes first: what order alone is worth.
    SmallestFirst,
    /// The flow with the fewest bytes left goes first (pFabric).
    Srpt,
    /// Homa at the level of flows: each receiver grants the messages with the fewest bytes left.
    Homa,
    /// Varys: the stage whose busiest link is done first goes first.
    Sebf,
    /// Sincronia's order of stages.
    Sincronia,
}

impl SharingPolicy {
    /// All of them.
    pub const ALL: [SharingPolicy; 16] = [
        Self::FairFlows,
        Self::Blocking,
        Self::FairJobs,
        Self::Saba,
        Self::SabaNoFloor,
        Self::SabaDistributed,
        Self::EqualWeights,
        Self::SabaUnlimited,
        Self::GivenWeights,
        Self::Reserved,
        Self::Guaranteed,
        Self::SmallestFirst,
        Self::Srpt,
        Self::Homa,
        Self::Sebf,
        Self::Sincronia,
    ];

    /// As flags and JSON have it.
    pub fn as_str(self) -> &'static str {
        match self {
            SharingPolicy::FairFlows => "fair-flows",
            SharingPolicy::Blocking => "blocking",
            SharingPolicy::FairJobs => "fair-jobs",
            SharingPolicy::Saba => "saba",
            SharingPolicy::SabaNoFloor => "saba-no-floor",
            SharingPolicy::SabaDistributed => "saba-distributed",
            SharingPolicy::EqualWeights => "equal-weights",
            SharingPolicy::SabaUnlimited => "saba-unlimited",
            SharingPolicy::GivenWeights => "given-weights",
            SharingPolicy::Reserved => "reserved",
            SharingPolicy::Guaranteed => "guaranteed",
            SharingPolicy::SmallestFirst => "smallest-first",
            SharingPolicy::Srpt => "srpt",
            SharingPolicy::Homa => "homa",
            SharingPolicy::Sebf => "sebf",
            SharingPolicy::Sincronia => "sincronia",
        }
    }

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            SharingPolicy::FairFlows => "max-min among flows",
            SharingPolicy::Blocking => "one blocking queue",
            SharingPolicy::FairJobs => "a queue a job, equal weights",
            SharingPolicy::Saba => "Saba",
            SharingPolicy::SabaNoFloor => "Saba without floors",
            SharingPolicy::SabaDistributed => "Saba, distributed",
            SharingPolicy::EqualWeights => "Saba's queues, equal weights",
            SharingPolicy::SabaUnlimited => "Saba, a queue a job",
            SharingPolicy::GivenWeights => "a queue a job, given weights",
            SharingPolicy::Reserved => "a reserved part a job",
            SharingPolicy::Guaranteed => "a guaranteed part a job",
            SharingPolicy::SmallestFirst => "smallest job first",
            SharingPolicy::Srpt => "smallest flow first",
            SharingPolicy::Homa => "Homa, of flows",
            SharingPolicy::Sebf => "Varys (SEBF)",
            SharingPolicy::Sincronia => "Sincronia",
        }
    }
}

impl SharingPolicy {
    /// Most jobs that the policy can tell apart.
    pub(super) const fn most_jobs(self) -> usize {
        match self {
            SharingPolicy::SabaUnlimited | SharingPolicy::GivenWeights => MOST_QUEUES,
            SharingPolicy::Reserved | SharingPolicy::Guaranteed => MOST_PARTS,
            _ => usize::MAX,
        }
    }
}

/// Most queues of a link (`bandwise_flowsim::LinkConfig`), and so of jobs with a queue each.
const MOST_QUEUES: usize = 256;
/// Most jobs with a part of a link each: a link has one more queue for flows without a part.
const MOST_PARTS: usize = 255;

/// The error for a policy that can't tell so many jobs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} has a queue for each job, and there are {jobs} jobs", .policy.as_str())]
pub struct TooManyJobs {
    /// Policy.
    pub policy: SharingPolicy,
    /// Number of jobs.
    pub jobs: usize,
}

impl TooManyJobs {
    /// Returns the allowed numbers of jobs.
    pub fn allowed(&self) -> String {
        format!("up to {} jobs with this policy, or other policies", self.policy.most_jobs())
    }
}

impl std::str::FromStr for SharingPolicy {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == name).ok_or(())
    }
}
