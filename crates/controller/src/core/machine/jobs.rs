//! [`Jobs`]: applications that are registered in parts, and count as one for Saba's controller.

use crate::core::change::Application;
use bandwise_saba::controller::ApplicationId;
use std::collections::BTreeMap;

/// The registered parts of jobs.
#[derive(Debug, Clone, Default)]
pub(super) struct Jobs {
    /// The id of the whole job, by the id of each part.
    wholes: BTreeMap<ApplicationId, ApplicationId>,
    /// The number of parts, by the id of the whole job.
    parts: BTreeMap<ApplicationId, u32>,
}

impl Jobs {
    /// Adds a registration. Returns the id to register with Saba's controller, if the controller does not know it yet.
    pub(super) fn registered(
        &mut self,
        id: ApplicationId,
        of: &Application,
    ) -> Option<ApplicationId> {
        let Some(job) = &of.job else { return Some(id) };
        self.wholes.insert(id, job.whole);
        let parts = self.parts.entry(job.whole).or_default();
        *parts += 1;
        (*parts == 1).then_some(job.whole)
    }

    /// Returns the id by which Saba's controller knows a registration.
    pub(super) fn whole(&self, id: ApplicationId) -> ApplicationId {
        self.wholes.get(&id).copied().unwrap_or(id)
    }

    /// Removes a registration. Returns the id to remove from Saba's controller, if this was the last part.
    pub(super) fn gone(&mut self, id: ApplicationId) -> Option<ApplicationId> {
        let Some(whole) = self.wholes.remove(&id) else { return Some(id) };
        let parts = self.parts.remove(&whole).unwrap_or(1) - 1;
        if parts > 0 {
            self.parts.insert(whole, parts);
            return None;
        }
        Some(whole)
    }
}
