//! [`Setting`]: what an application runs on, and on how much data.

use std::fmt;

/// An amount of input data, in a unit of the application's own: 10000 samples, 300 GB.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    size: f64,
    unit: String,
}

/// A text that is no amount of data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a dataset of {0:?}")]
pub struct DatasetError(pub String);

impl DatasetError {
    /// What would be allowed instead.
    pub const ALLOWED: &str =
        "a number above 0 and a unit, such as \"10000 samples\" or \"300 GB\"";
}

impl Dataset {
    /// How many of its unit there are.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// What is counted.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// So many times this, above 0.
    pub fn scaled(&self, times: f64) -> Dataset {
        Dataset { size: self.size * times, unit: self.unit.clone() }
    }

    /// How many times `other` this is, if both count the same.
    pub fn times(&self, other: &Dataset) -> Option<f64> {
        (self.unit == other.unit).then_some(self.size / other.size)
    }
}

impl std::str::FromStr for Dataset {
    type Err = DatasetError;
    fn from_str(text: &str) -> Result<Self, DatasetError> {
        let error = || DatasetError(text.to_owned());
        let (number, unit) = text.trim().split_once(' ').ok_or_else(error)?;
        let size: f64 = number.parse().map_err(|_| error())?;
        let unit = unit.trim();
        // Such as "nan of them", or a unit over two lines.
        let is_one = size.is_finite() && size > 0.0 && !unit.contains(char::is_control);
        if is_one && !unit.is_empty() {
            Ok(Dataset { size, unit: unit.to_owned() })
        } else {
            Err(error())
        }
    }
}

impl fmt::Display for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.size, self.unit)
    }
}

/// What an application was measured on, or is used with. What nobody wrote down is None.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setting {
    /// How many hosts it ran on.
    pub nodes: Option<std::num::NonZeroU32>,
    /// How much data it worked on.
    pub dataset: Option<Dataset>,
}
