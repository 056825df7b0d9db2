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
    /// Returns the finding with these names.
    pub(crate) fn find<'a>(
        findings: &'a [Finding],
        item: &str,
        case: &str,
        metric: &str,
    ) -> Option<&'a Finding> {
        let is_it = |f: &&Finding| (&*f.item, &*f.case, &*f.metric) == (item, case, metric);
        findings.iter().find(is_it)
    }

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
