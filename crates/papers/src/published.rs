//! Published values, from a paper's `published.csv`. Code that runs a model does not read them.

use serde::Deserialize;

/// A published value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Value {
    /// Figure or table, as the paper numbers it.
    pub item: String,
    /// Case of the item.
    pub case: String,
    /// Name of the number.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Value.
    pub value: f64,
    /// Bound, if the paper says "at most" or "at least".
    pub bound: Option<Bound>,
    /// Section that states it.
    pub section: String,
}

/// The meaning of a published value that is a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// "At most", "less than".
    Most,
    /// "At least", "over".
    Least,
}

impl Value {
    /// Returns whether `measured` agrees, with `tolerance` as a fraction of the value.
    pub fn agrees(&self, measured: f64, tolerance: f64) -> bool {
        match self.bound {
            None => (measured - self.value).abs() <= tolerance * self.value.abs(),
            Some(Bound::Most) => measured <= self.value,
            Some(Bound::Least) => measured >= self.value,
        }
    }
}

/// All published values of a paper, in the file's order.
#[derive(Debug, Clone)]
pub struct Published(Vec<Value>);

impl Published {
    /// Reads the CSV of a paper.
    ///
    /// # Errors
    ///
    /// Returns an error if a line has other columns, or if a value is no number.
    pub fn parse(text: &str) -> Result<Self, csv::Error> {
        csv::Reader::from_reader(text.as_bytes()).deserialize().collect::<Result<_, _>>().map(Self)
    }

    /// Returns all values.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// Returns the value of an item, case, metric and unit.
    pub fn find(&self, item: &str, case: &str, metric: &str, unit: &str) -> Option<&Value> {
        let key = (item, case, metric, unit);
        self.0.iter().find(|v| (&*v.item, &*v.case, &*v.metric, &*v.unit) == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_are_readable_and_unique() {
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
