//! [`Setting`]: the number of nodes and the dataset of an application.

use bandwise_input::is_printable;
use bandwise_units::Bytes;
use std::fmt;

/// An amount of input data in a unit of the application: 10000 samples, 300 GB.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    size: f64,
    unit: String,
}

/// The error for a text that is not an amount of data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a dataset of {0:?}")]
pub struct DatasetError(pub String);

impl DatasetError {
    /// The allowed values.
    pub const ALLOWED: &str =
        "a number above 0 and a unit, such as \"10000 samples\" or \"300 GB\"";
}

impl Dataset {
    /// Returns the number of units.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Returns the unit.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Returns this amount multiplied by a factor above 0.
    pub fn scaled(&self, times: f64) -> Dataset {
        Dataset { size: self.size * times, unit: self.unit.clone() }
    }

    /// Returns the ratio to another amount, if both are of bytes, in any units, or have one unit.
    pub fn times(&self, other: &Dataset) -> Option<f64> {
        let units = if self.unit == other.unit {
            1.0
        } else {
            let bytes = |of: &Dataset| Bytes::of_unit(&of.unit).map(|unit| unit.get() as f64);
            bytes(self)? / bytes(other)?
        };
        Some(self.size / other.size * units)
    }
}

impl std::str::FromStr for Dataset {
    type Err = DatasetError;
    fn from_str(text: &str) -> Result<Self, DatasetError> {
        let error = || DatasetError(text.to_owned());
        let (number, unit) = text.trim().split_once(' ').ok_or_else(error)?;
        let size: f64 = number.parse().map_err(|_| error())?;
        let unit = unit.trim();
        // Refuses "nan of them" and units over two lines.
        let is_one = size.is_finite() && size > 0.0 && unit.chars().all(is_printable);
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

/// The conditions of a measurement or a use. Unknown values are `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setting {
    /// The number of hosts.
    pub nodes: Option<std::num::NonZeroU32>,
    /// The amount of data.
    pub dataset: Option<Dataset>,
}
