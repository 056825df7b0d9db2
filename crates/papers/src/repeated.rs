//! [`Repeated`]: an experiment that runs several times, each time with another seed.

use bandwise_scenario::Experiment;
use bandwise_scenario::ethernet::EthernetScenario;
use bandwise_scenario::infiniband::InfinibandScenario;

/// Number of runs of a full evaluation, as in `rperf`: "we run the test three times … graphs plot
/// the average values".
const RUNS: u64 = 3;

/// An experiment that runs several times, each time with another seed.
pub(crate) trait Repeated: Sync {
    /// The experiment of a run.
    type Experiment: Experiment<Results: Send + Sync>;

    /// Returns the number of runs.
    fn runs(&self, quick: bool) -> u64 {
        if quick { 1 } else { RUNS }
    }

    /// Returns the experiment of the run with a seed.
    ///
    /// # Errors
    ///
    /// Returns an error if a random scenario is impossible.
    fn with_seed(&self, seed: u64) -> Result<Self::Experiment, String>;
}

/// The results of a run.
pub(crate) type ResultsOf<R> = <<R as Repeated>::Experiment as Experiment>::Results;

impl Repeated for InfinibandScenario {
    type Experiment = InfinibandScenario;

    fn with_seed(&self, seed: u64) -> Result<InfinibandScenario, String> {
        Ok(self.clone().with_seed(seed))
    }
}

impl Repeated for EthernetScenario {
    type Experiment = EthernetScenario;

    fn with_seed(&self, seed: u64) -> Result<EthernetScenario, String> {
        Ok(self.clone().with_seed(seed))
    }
}
