//! [`Profiles`]: the sensitivity table as the core uses it.

use super::request::Refusal;
use bandwise_saba::controller::{Coordinates, Grouping, SharedTable};
use bandwise_saba::mapping::{PriorityLevel, Scaling};
use bandwise_saba::sensitivity::{
    Conditions, Dataset, DatasetError, Kind, Model, Quality, Setting, Warning,
};
use bandwise_saba::table::{Application, Table};
use std::collections::BTreeMap;
use std::num::{NonZeroU16, NonZeroU32};
use std::sync::Arc;

/// The parameters of the clustering of applications into priority levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clustering {
    /// The maximum number of levels: that of distinguishable marks.
    pub levels: NonZeroU16,
    /// The seed of the initial centroids of K-means.
    pub seed: u64,
}

/// The profiled applications and their priority levels.
///
/// Levels are computed from the whole table ahead of time (Saba 4.3.4), as in a distributed controller, and not from
/// the registered applications. So an application's level does not depend on earlier registrations, and a connection
/// that is opened twice, before and after a restart of the controller, has one level.
#[derive(Debug, Clone)]
pub struct Profiles {
    table: Table,
    shared: Arc<SharedTable>,
}

impl Profiles {
    /// Computes the priority levels of the applications of a sensitivity table.
    pub fn new(table: Table, clustering: Clustering) -> Self {
        let Clustering { levels, seed } = clustering;
        let model = |entry: &bandwise_saba::table::Entry| {
            Model::fit(&entry.samples, Kind::Monotone).expect("only a polynomial can fail")
        };
        let models: BTreeMap<Application, Model> =
            table.iter().map(|(name, entry)| (name.clone(), model(entry))).collect();
        let (coordinates, scaling) = (Coordinates::Slowdowns, Scaling::None);
        let grouping = Grouping { levels, coordinates, scaling, seed };
        let shared = SharedTable::new(models, &grouping);
        let shared = Arc::new(shared.expect("slowdowns are coordinates of any model"));
        Profiles { table, shared }
    }

    /// Returns the levels and the order in which they merge.
    pub fn shared(&self) -> &Arc<SharedTable> {
        &self.shared
    }

    /// Returns the doubts about the models themselves, whatever the conditions of a run, with the applications' names.
    pub fn doubts(&self) -> impl Iterator<Item = (&Application, Warning)> {
        self.table.iter().flat_map(|(name, entry)| {
            let known = self.shared.known(name);
            let quality = known.map(|(model, _)| Quality::of(model, &entry.samples, None));
            quality
                .into_iter()
                .flat_map(move |of| of.warnings.into_iter().map(move |of| (name, of)))
        })
    }

    /// Returns an application's level, and the doubts about its model under the conditions of this run.
    pub(super) fn registered(
        &self,
        name: &str,
        nodes: Option<u32>,
        dataset: Option<&str>,
    ) -> Result<(PriorityLevel, Vec<String>), Refusal> {
        let bad =
            |what: String, allowed: &str| Refusal::BadSetting { what, allowed: allowed.into() };
        let one_or_more = |nodes| {
            let refused = || bad("0 nodes".into(), "a whole number from 1 on");
            NonZeroU32::new(nodes).ok_or_else(refused)
        };
        let amount = |text: &str| {
            text.parse::<Dataset>().map_err(|error| bad(error.to_string(), DatasetError::ALLOWED))
        };
        let used = Setting {
            nodes: nodes.map(one_or_more).transpose()?,
            dataset: dataset.map(amount).transpose()?,
        };
        let unknown = || Refusal::UnknownApplication(name.to_owned());
        let entry = self.table.get(name).ok_or_else(unknown)?;
        let called = Application::try_from(name).map_err(|_| unknown())?;
        let (model, level) = self.shared.known(&called).ok_or_else(unknown)?;
        let conditions = Conditions { measured: &entry.setting, used: &used };
        let quality = Quality::of(model, &entry.samples, Some(conditions));
        Ok((level, quality.warnings.iter().map(ToString::to_string).collect()))
    }
}
