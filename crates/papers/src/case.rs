//! [`Case`]: runs that items take numbers from.

use crate::repeated::{Repeated, ResultsOf};

/// Runs that items take numbers from.
#[derive(Debug)]
pub(crate) struct Case<S: Repeated> {
    /// Name, for progress.
    pub name: String,
    /// Experiment; it runs once with each seed.
    pub scenario: S,
    /// Numbers that are taken from it.
    pub readings: Vec<Reading<ResultsOf<S>>>,
}

/// A number that is taken from a run.
pub(crate) struct Reading<R> {
    /// Item that it belongs to.
    pub item: &'static str,
    /// Case of the item.
    pub case: String,
    /// Name of the number.
    pub metric: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Function that takes it out of the results.
    pub read: Read<R>,
}

/// A function that takes a number out of results; `None` if they lack it.
pub(crate) type Read<R> = Box<dyn Fn(&R) -> Option<f64> + Send + Sync>;

impl<R> std::fmt::Debug for Reading<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.item, self.case, self.metric)
    }
}
