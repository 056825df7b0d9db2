//! [`Finding`]: a number of an item, from several runs.

/// A number of an item, with one value for each run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Item.
    pub item: String,
    /// Case of the item.
    pub case: String,
    /// Name of the number.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Values of the runs, in the order of seeds.
    pub runs: Vec<f64>,
}

impl Finding {
    /// Returns the average over the runs.
    pub fn value(&self) -> f64 {
        self.runs.iter().sum::<f64>() / self.runs.len() as f64
    }

    /// Returns the smallest value.
    pub fn least(&self) -> f64 {
        self.runs.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the largest value.
    pub fn most(&self) -> f64 {
        self.runs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}
