//! [`Settings`]: the settings of a controller.

use super::SharedTable;
use crate::Share;
use crate::mapping::{Basis, MAX_WEIGHT, Scaling};
use crate::sensitivity::Model;
use crate::weights::{Effort, Floors};
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;

/// The settings of a controller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The part of each port that is shared: `C_Saba` (Saba 4.3.1).
    pub part: Share,
    /// The lower bounds of shares.
    pub floors: Floors,
    /// The effort for the optimum at each port.
    pub effort: Effort,
    /// The source of weights.
    pub weighting: Weighting,
    /// The fraction of an equal part that each [`Tenant`](super::Tenant) at a port gets at least, by
    /// [`Weighting::Sensitivity`]. With `None`, tenants are not told apart.
    pub guaranteed: Option<Share>,
    /// The largest weight that ports accept.
    pub most_weight: NonZeroU8,
}

impl Default for Settings {
    /// Returns the settings for whole ports by eq. 4.2, in weights of InfiniBand. A tenant gets at
    /// least half of an equal part.
    fn default() -> Self {
        Settings {
            part: Share::ALL,
            floors: Floors::default(),
            effort: Effort::default(),
            weighting: Weighting::default(),
            guaranteed: Some(Share::known(0.5)),
            most_weight: NonZeroU8::new(MAX_WEIGHT).expect("255"),
        }
    }
}

/// The source of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// The share of each application by eq. 4.2. A queue has the sum of its applications.
    #[default]
    Sensitivity,
    /// Equal weights of all queues. As a control, it shows the gain of separate queues alone.
    EqualQueues,
}

/// The source of applications' levels.
#[derive(Debug, Clone)]
pub enum Levels {
    /// Grouping at each registration and end: the centralised controller.
    Registered(Grouping),
    /// A table made ahead of time: the distributed controller (Saba 4.3.4).
    Shared(Arc<SharedTable>),
}

/// The grouping of applications into levels (Saba 4.3.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping {
    /// The number of levels: service levels, 16 in InfiniBand.
    pub levels: NonZeroU16,
    /// The coordinates of models.
    pub coordinates: Coordinates,
    /// The scaling of distances.
    pub scaling: Scaling,
    /// The seed of K-means.
    pub seed: u64,
}

/// The coordinates of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coordinates {
    /// The slowdowns at the shares at which all were measured, for models of any kind.
    #[default]
    Slowdowns,
    /// The coefficients, as published. Models that are not polynomials are refused.
    Coefficients,
}

impl Coordinates {
    /// Returns the basis for these models.
    pub(super) fn basis(self, models: &[&Model]) -> Basis {
        match self {
            Coordinates::Slowdowns => Basis::measured(models),
            Coordinates::Coefficients => Basis::Coefficients,
        }
    }
}
