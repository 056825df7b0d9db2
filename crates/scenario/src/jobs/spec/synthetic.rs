//! `[synthetic]`: generated workloads, with names as those of the table.

use crate::reader::values::{Given, number, within};
use bandwise_input::{InputError, Source};
use bandwise_workload::job::{MAX_SYNTHETIC, WORKLOADS, Workload, synthetic};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct SyntheticSpec {
    #[serde(deserialize_with = "number")]
    count: Given<u64>,
}

/// "20 distinct synthetic workloads" (Saba 4.6.1).
const COUNT: u32 = 20;

/// The workloads that jobs can name.
pub(super) struct Known {
    synthetic: Vec<Workload>,
}

impl SyntheticSpec {
    /// Returns the workloads of the table, and the generated ones that the document states.
    pub(super) fn resolve(&self, source: &Source, seed: u64) -> Result<Known, InputError> {
        let count = match &self.count {
            Some(given) => within(source, "count", given, 1..=u64::from(MAX_SYNTHETIC))? as u32,
            None => COUNT,
        };
        Ok(Known { synthetic: synthetic(seed, count) })
    }
}

impl Known {
    /// Returns the workload with a name.
    pub(super) fn by_name(&self, name: &str) -> Option<Workload> {
        let made_up = || self.synthetic.iter().find(|workload| workload.name == name).cloned();
        Workload::by_name(name).or_else(made_up)
    }

    /// Returns the names of all workloads.
    pub(super) fn names(&self) -> String {
        format!("{}, or the synthetic W1 to W{}", WORKLOADS.join(", "), self.synthetic.len())
    }
}
