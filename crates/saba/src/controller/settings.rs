//! [`Settings`]: what a controller goes by.

use super::SharedTable;
use crate::Share;
use crate::mapping::{Basis, MAX_WEIGHT, Scaling};
use crate::sensitivity::Model;
use crate::weights::{Effort, Floors};
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;

/// How ports are shared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The part of each port that is shared: `C_Saba` (Saba 4.3.1).
    pub part: Share,
    /// What nobody goes below.
    pub floors: Floors,
    /// How much to work for the optimum at each port.
    pub effort: Effort,
    /// Where weights come from.
    pub weighting: Weighting,
    /// The largest weight that ports take.
    pub most_weight: NonZeroU8,
}

impl Default for Settings {
    /// All of each port by eq. 4.2, in weights of InfiniBand.
    fn default() -> Self {
        Settings {
            part: Share::ALL,
            floors: Floors::default(),
            effort: Effort::default(),
            weighting: Weighting::default(),
            most_weight: NonZeroU8::new(MAX_WEIGHT).expect("255"),
        }
    }
}

/// Where weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// Each application's share by eq. 4.2, each queue's the sum of its applications'.
    #[default]
    Sensitivity,
    /// All queues of a port are alike. The control: what is left of the gain comes from apartness.
    EqualQueues,
}

/// Who has which level.
#[derive(Debug, Clone)]
pub enum Levels {
    /// Grouped anew whenever an application is registered or gone: the centralised controller.
    Registered(Grouping),
    /// As a table says that was made ahead of time: the distributed controller (Saba 4.3.4).
    Shared(Arc<SharedTable>),
}

/// How applications are put into levels (Saba 4.3.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping {
    /// How many levels there are: service levels, 16 in InfiniBand.
    pub levels: NonZeroU16,
    /// In which coordinates models are near each other.
    pub coordinates: Coordinates,
    /// What distances are measured in.
    pub scaling: Scaling,
    /// What the starts of K-means are drawn from.
    pub seed: u64,
}

/// In which coordinates models are near each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coordinates {
    /// Slowdowns at the shares that all were measured at, of models of any kind.
    #[default]
    Slowdowns,
    /// Coefficients, as published; other models than polynomials are refused.
    Coefficients,
}

impl Coordinates {
    /// The basis for these models.
    pub(super) fn basis(self, models: &[&Model]) -> Basis {
        match self {
            Coordinates::Slowdowns => Basis::measured(models),
            Coordinates::Coefficients => Basis::Coefficients,
        }
    }
}
