//! Sensitivity models: slowdown by bandwidth, from completion times at several shares (Saba 4.2).

mod isotonic;
mod least_squares;
mod model;
mod monotone;
mod polynomial;
mod prediction;
mod quality;
mod samples;
mod setting;

pub use model::{Kind, Model};
pub use monotone::Monotone;
pub(crate) use monotone::hyperbola;
pub use polynomial::{Degree, FitError, Polynomial};
pub use prediction::Prediction;
pub use quality::{Conditions, Quality, Warning};
pub use samples::{Point, Sample, Samples, SamplesError};
pub use setting::{Dataset, DatasetError, Setting};
