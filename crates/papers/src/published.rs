//! Published values, from a paper's `published.csv`. Code that runs a model does not read them.

use bandwise_report::{Bound, Dependence};
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
    /// Item, case and metric of the value that counts, if this one states it again.
    #[serde(default)]
    pub repeats: Option<String>,
    /// Calculation from other values of the paper, if this one follows from them.
    #[serde(default)]
    pub derived: Option<String>,
}

/// The relative difference up to which all papers' rules agree, except for numbers with a smaller
/// absolute tolerance. Beyond it, a value agrees only by the floor of a tolerance.
const RELATIVE: f64 = 0.15;

impl Value {
    /// Returns whether `measured` agrees, with `tolerance` as a fraction of the value.
    pub fn agrees(&self, measured: f64, tolerance: f64) -> bool {
        match self.bound {
            None => (measured - self.value).abs() <= tolerance * self.value.abs(),
            Some(Bound::Most) => measured <= self.value,
            Some(Bound::Least) => measured >= self.value,
        }
    }

    /// Returns whether `measured` agrees only because `tolerance`, a fraction of the value, is larger
    /// than 15% of it.
    pub fn agrees_by_floor(&self, measured: f64, tolerance: f64) -> bool {
        let narrow = tolerance.min(RELATIVE);
        self.agrees(measured, tolerance) && !self.agrees(measured, narrow)
    }

    /// Returns the reason for which the value is not counted.
    pub fn dependence(&self) -> Option<Dependence> {
        let repeats = self.repeats.clone().map(Dependence::Repeats);
        repeats.or_else(|| self.derived.clone().map(Dependence::Derived))
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

    fn value(value: f64, bound: Option<Bound>) -> Value {
        let unit = "us".to_owned();
        let [item, case, metric, section] = [(); 4].map(|()| String::new());
        Value { item, case, metric, unit, value, bound, section, repeats: None, derived: None }
    }

    /// 0.6 us with a floor of 0.15 us: 15% are 0.09 us, so that 0.69 us agrees by itself, 0.74 us
    /// only by the floor, and 0.76 us not at all.
    #[test]
    fn floor_decides_beyond_15_percent() {
        let short = value(0.6, None);
        let verdict = |us| (short.agrees(us, 0.25), short.agrees_by_floor(us, 0.25));
        assert_eq!(verdict(0.68), (true, false));
        assert_eq!(verdict(0.74), (true, true));
        assert_eq!(verdict(0.76), (false, false));
        // 5% of 56 Gbps are 5.4% of 52.2 Gbps: no floor.
        assert!(!value(52.2, None).agrees_by_floor(54.9, 2.8 / 52.2));
    }

    #[test]
    fn bound_has_no_tolerance() {
        let (most, least) = (value(0.8, Some(Bound::Most)), value(170.0, Some(Bound::Least)));
        assert!(most.agrees(0.8, 0.0) && most.agrees(0.1, 0.0) && !most.agrees(0.81, 0.0));
        assert!(least.agrees(170.0, 0.0) && least.agrees(900.0, 0.0) && !least.agrees(169.9, 0.0));
        assert!(!most.agrees_by_floor(0.8, 0.0));
    }

    /// A repeat names the value that counts, and is the same number, to its own digits.
    #[test]
    fn repeats_are_the_same_number() {
        let mut repeats = 0;
        for paper in crate::PAPERS {
            let published = Published::parse(paper.published).unwrap();
            let key = |v: &Value| format!("{} / {} / {}", v.item, v.case, v.metric);
            for v in published.values() {
                assert!(v.repeats.is_none() || v.derived.is_none(), "{v:?}");
                let Some(place) = &v.repeats else { continue };
                let first = published.values().iter().find(|other| key(other) == *place);
                let first = first.unwrap_or_else(|| panic!("no {place}"));
                assert_eq!(first.dependence(), None, "{place} must count");
                let scale = if (&*first.unit, &*v.unit) == ("ns", "us") { 1e-3 } else { 1.0 };
                let decimals = v.value.to_string().split_once('.').map_or(0, |(_, d)| d.len());
                let half_a_digit = 0.5 * 10f64.powi(-(decimals as i32));
                assert!((first.value * scale - v.value).abs() <= half_a_digit + 1e-9, "{v:?}");
                repeats += 1;
            }
        }
        assert!(repeats > 0);
    }

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
