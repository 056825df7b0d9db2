//! [`SharingPolicy`]: the rule by which jobs share links.

use bandwise_flowsim::MAX_QUEUES;

/// The rule by which jobs share links. Besides Saba there are controls, which separate the gain of
/// weights from that of queues and of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SharingPolicy {
    /// One queue with max-min fairness among flows: the aim of congestion control, without its loss
    /// of throughput and without blocking (Saba 2.5).
    FairFlows,
    /// One queue at each host without congestion control: waiting flows block later ones, which
    /// costs throughput. InfiniBand lies between this policy and `FairFlows`.
    Blocking,
    /// A queue for each job, with equal weights: the ideal max-min fairness of Saba 4.6.4.
    FairJobs,
    /// Saba: queues by sensitivity (Saba 4.3.3), weights by eq. 4.2.
    Saba,
    /// Saba without the floors of models: a share may be below the smallest measured one. The floor
    /// against starvation remains.
    SabaNoFloor,
    /// Saba with a controller instance for each switch. Levels are those of workloads profiled in
    /// advance (Saba 4.3.4, and 4.6.4, study 7).
    SabaDistributed,
    /// The queues of `Saba` with equal weights: the part of Saba's gain that is due to isolation.
    EqualWeights,
    /// Saba with a queue for each job, on ports without a limit of queues (Saba 4.6.4, study 8).
    SabaUnlimited,
    /// A queue for each job, with weights from the scenario (as in Saba 3.3).
    GivenWeights,
    /// A reserved part of each link for each job, by the weights from the scenario: static
    /// reservations (Saba 2.5). The part stays unused while the job does not send.
    Reserved,
    /// A guaranteed part of each link for each job, the same as under `Reserved`. Unused parts go
    /// to other jobs by weight: minimum guarantees (Saba 2.5).
    Guaranteed,
    /// The job with the fewest bytes left in its stage first: the gain of order alone.
    SmallestFirst,
    /// The flow with the fewest bytes left first (pFabric).
    Srpt,
    /// Homa at the level of flows: each receiver grants the messages with the fewest bytes left.
    Homa,
    /// Varys: the stage whose busiest link would end first has the highest priority.
    Sebf,
    /// Sincronia's order of stages.
    Sincronia,
}

impl SharingPolicy {
    /// All policies.
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

    /// Returns the name in flags and JSON.
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

    /// Returns the name in tables.
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
    /// Returns the most jobs that the policy can distinguish.
    pub(super) const fn most_jobs(self) -> usize {
        match self {
            SharingPolicy::SabaUnlimited | SharingPolicy::GivenWeights => MAX_QUEUES,
            SharingPolicy::Reserved | SharingPolicy::Guaranteed => MOST_PARTS,
            _ => usize::MAX,
        }
    }
}

/// Most jobs with a part of a link each: a link has one more queue for flows without a part.
const MOST_PARTS: usize = MAX_QUEUES - 1;

/// The error for a policy that can't distinguish this number of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} needs a queue for each job, and {jobs} jobs are too many", .policy.as_str())]
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
