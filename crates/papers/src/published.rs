//! What was published: read from a paper's `published.csv`, for setting beside ours. Nothing that
//! runs a model reads it.

use serde::Deserialize;

/// A published number.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Value {
    /// The figure or table, as the paper numbers it.
    pub item: String,
    /// Which of its runs.
    pub case: String,
    /// Which of the run's numbers.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The number.
    pub value: f64,
    /// Whether the paper says "at most" or "at least" of it.
    pub bound: Option<Bound>,
    /// Where the paper's text gives it.
    pub section: String,
}

/// What a published number is if not the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// "At most", "less than".
    Most,
    /// "At least", "over".
    Least,
}

impl Value {
    /// Whether `measured` agrees, given how far it may be off as a fraction of the value.
    pub fn agrees(&self, measured: f64, tolerance: f64) -> bool {
        match self.bound {
            None => (measured - self.value).abs() <= tolerance * self.value.abs(),
            Some(Bound::Most) => measured <= self.value,
            Some(Bound::Least) => measured >= self.value,
        }
    }
}

/// All of a paper's published numbers, in its order.
#[derive(Debug, Clone)]
pub struct Published(Vec<Value>);

impl Published {
    /// Reads the CSV that comes with a paper.
    pub fn parse(text: &str) -> Result<Self, csv::Error> {
        csv::Reader::from_reader(text.as_bytes()).deserialize().collect::<Result<_, _>>().map(Self)
    }

    /// All of them.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The one for that item, case, metric and unit.
    pub fn find(&self, item: &str, case: &str, metric: &str, unit: &str) -> Option<&Value> {
        let key = (item, case, metric, unit);
        self.0.iter().find(|v| (&*v.item, &*v.case, &*v.metric, &*v.unit) == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_has_readable_published_values_with_no_doubles() {
        for paper in crate::PAPERS {
            let published = Published::parse(paper.published).unwrap();
            for (i, v) in published.values().iter().enumerate() {
                assert!(v.value.is_finite(), "{v:?}");
                assert!(paper.items.iter().any(|(item, _)| *item == v.item), "{v:?}");
                let first = published.find(&v.item, &v.case, &v.metric, &v.unit).unwrap();
                assert!(std::ptr::eq(first, &published.values()[i]), "twice: {v:?}");
            }
        }
    }
}
