//! [`Snapshot`]: the serialisable state of a core between two inputs.

use super::waiting::{Waiting, Writing};
use super::{Core, InvalidRecord};
use crate::core::batch::Batch;
use crate::core::change::Change;
use crate::core::discovery::DiscoverySchedule;
use crate::core::group::{Group, Holding};
use crate::core::leases::Leases;
use crate::core::ports::Ports;
use crate::core::profiles::Profiles;
use crate::core::request::{Answer, ClientId, Refusal, Ticket};
use crate::core::rules::Rules;
use crate::core::state::State;
use bandwise_saba::controller::Settings;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// The serialisable state of a core between two inputs, without its rules. Derived state is left out: the state of
/// Saba's controller follows from the stored records and the ports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    now: Duration,
    /// The records, including those of an unfinished write.
    records: Vec<Change>,
    writing: Option<SavedWrite>,
    waiting: VecDeque<Waiting>,
    writes: u64,
    revision: u64,
    ports: Ports,
    leases: Leases,
    holding: Holding,
    leaving: BTreeSet<Group>,
    discovery: DiscoverySchedule,
}

/// An unfinished write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedWrite {
    changes: Vec<Change>,
    undo: Vec<Change>,
    answers: Vec<(Ticket, Result<Answer, Refusal>)>,
    dropped: Vec<ClientId>,
    moved: u32,
    taken: Vec<Waiting>,
}

impl From<&Writing> for SavedWrite {
    fn from(Writing { batch, taken }: &Writing) -> Self {
        let Batch { changes, undo, answers, dropped, moved, .. } = batch.clone();
        SavedWrite { changes, undo, answers, dropped, moved, taken: taken.clone() }
    }
}

impl SavedWrite {
    fn again(self, rules: &Rules) -> Writing {
        let SavedWrite { changes, undo, answers, dropped, moved, taken } = self;
        let mut batch = Batch::new(rules);
        (batch.changes, batch.undo, batch.answers) = (changes, undo, answers);
        (batch.dropped, batch.moved) = (dropped, moved);
        Writing { batch, taken }
    }
}

impl Core {
    /// Returns a snapshot. All outputs have to be polled before.
    pub fn snapshot(&self) -> Snapshot {
        debug_assert!(self.out.is_empty(), "outputs are not part of a snapshot");
        Snapshot {
            now: self.now,
            records: self.state.records().collect(),
            writing: self.writing.as_ref().map(SavedWrite::from),
            waiting: self.waiting.clone(),
            writes: self.writes,
            revision: self.revision,
            ports: self.ports.clone(),
            leases: self.leases.clone(),
            holding: self.holding.clone(),
            leaving: self.leaving.clone(),
            discovery: self.discovery.clone(),
        }
    }

    /// Returns a core that continues from a snapshot.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidRecord`] if Saba's controller refuses a record of the snapshot.
    pub fn resumed(
        rules: Rules,
        settings: Settings,
        profiles: Profiles,
        snapshot: Snapshot,
    ) -> Result<Self, InvalidRecord> {
        let state = State::of(snapshot.records);
        let writing = snapshot.writing.map(|written| written.again(&rules));
        // Saba's controller does not know the changes of an unfinished write.
        let mut stored = state.clone();
        if let Some(writing) = &writing {
            writing.batch.clone().take_back(&mut stored);
        }
        let mut core = Core::new(rules, settings, profiles, stored, snapshot.now)?;
        core.state = state;
        (core.ports, core.leases) = (snapshot.ports, snapshot.leases);
        core.find_ports();
        // The commands are dropped: the snapshot has the wanted configuration of each port.
        core.controller.settle();
        (core.writing, core.waiting) = (writing, snapshot.waiting);
        (core.writes, core.revision) = (snapshot.writes, snapshot.revision);
        (core.holding, core.leaving) = (snapshot.holding, snapshot.leaving);
        core.discovery = snapshot.discovery;
        Ok(core)
    }
}
