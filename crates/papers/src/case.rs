//! [`Case`]: the runs of an experiment, and the numbers that items read from them.

use crate::repeated::{Repeated, ResultsOf};

/// The runs of an experiment, and the numbers that items read from them.
#[derive(Debug)]
pub(crate) struct Case<S: Repeated> {
    /// Name, shown as progress.
    pub name: String,
    /// Experiment, which runs once with each seed.
    pub scenario: S,
    /// Numbers that are read from the results.
    pub readings: Vec<Reading<ResultsOf<S>>>,
}

/// A number that is read from a run.
pub(crate) struct Reading<R> {
    /// Item to which the number belongs.
    pub item: &'static str,
    /// Case of the item.
    pub case: String,
    /// Name of the number.
    pub metric: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Function that reads the number from the results.
    pub read: Read<R>,
}

/// A function that reads a number from results; `None` if the results lack it.
pub(crate) type Read<R> = Box<dyn Fn(&R) -> Option<f64> + Send + Sync>;

impl<R> std::fmt::Debug for Reading<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.item, self.case, self.metric)
    }
}
