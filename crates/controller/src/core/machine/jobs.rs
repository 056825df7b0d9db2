//! [`Jobs`]: applications that are registered in parts, and are one to the controller of Saba.

use crate::core::change::Application;
use bandwise_saba::controller::ApplicationId;
use std::collections::BTreeMap;

/// Which parts of jobs there are.
#[derive(Debug, Clone, Default)]
pub(super) struct Jobs {
    /// Of each part, by what the whole is known.
    wholes: BTreeMap<ApplicationId, ApplicationId>,
    /// How many parts a whole has.
    parts: BTreeMap<ApplicationId, u32>,
}

impl Jobs {
    /// Somebody has registered. By what the controller of Saba is to know them, if it does not yet.
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

    /// By what the controller of Saba knows a registration.
    pub(super) fn whole(&self, id: ApplicationId) -> ApplicationId {
        self.wholes.get(&id).copied().unwrap_or(id)
    }

    /// A registration is gone. What is gone with it, if it was the last part.
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
