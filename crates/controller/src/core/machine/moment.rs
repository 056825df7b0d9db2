//! [`Moment`]: all that a core is between two inputs, written down for another to go on from.

use super::requests::{Waiting, Writing};
use super::{Core, Unfit};
use crate::core::batch::Batch;
use crate::core::change::Change;
use crate::core::discovery::DiscoverySchedule;
use crate::core::group::{Group, Holding};
use crate::core::input::Ticket;
use crate::core::leases::Leases;
use crate::core::ports::Ports;
use crate::core::profiles::Profiles;
use crate::core::request::{Answer, ClientId, Refusal};
use crate::core::rules::Rules;
use crate::core::state::State;
use bandwise_saba::controller::{Event, Settings};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// All that a core is between two inputs, beside what it goes by. What follows from the rest is not in it: what the
/// controller of Saba knows follows from what is stored and which ports there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    now: Duration,
    /// Who is there, with what is being stored.
    records: Vec<Change>,
    writing: Option<Written>,
    waiting: VecDeque<Waiting>,
    writes: u64,
    revision: u64,
    ports: Ports,
    leases: Leases,
    holding: Holding,
    leaving: BTreeSet<Group>,
    discovery: DiscoverySchedule,
}

/// What is being stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    changes: Vec<Change>,
    undo: Vec<Change>,
    answers: Vec<(Ticket, Result<Answer, Refusal>)>,
    dropped: Vec<ClientId>,
    moved: u32,
    taken: Vec<Waiting>,
}

impl From<&Writing> for Written {
    fn from(Writing { batch, taken }: &Writing) -> Self {
        let Batch { changes, undo, answers, dropped, moved, .. } = batch.clone();
        Written { changes, undo, answers, dropped, moved, taken: taken.clone() }
    }
}

impl Written {
    fn again(self, rules: &Rules) -> Writing {
        let Written { changes, undo, answers, dropped, moved, taken } = self;
        let mut batch = Batch::new(rules);
        (batch.changes, batch.undo, batch.answers) = (changes, undo, answers);
        (batch.dropped, batch.moved) = (dropped, moved);
        Writing { batch, taken }
    }
}

impl Core {
    /// What it is now; all that it has said was polled.
    pub fn moment(&self) -> Moment {
        debug_assert!(self.out.is_empty(), "what was said is no part of it");
        Moment {
            now: self.now,
            records: self.state.records().collect(),
            writing: self.writing.as_ref().map(Written::from),
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

    /// A core that goes on as the one would have of which this is the moment.
    pub fn resumed(
        rules: Rules,
        settings: Settings,
        profiles: Profiles,
        moment: Moment,
    ) -> Result<Self, Unfit> {
        let state = State::of(moment.records);
        let writing = moment.writing.map(|written| written.again(&rules));
        // Of what is being stored the controller of Saba has not heard.
        let mut stored = state.clone();
        if let Some(writing) = &writing {
            writing.batch.clone().take_back(&mut stored);
        }
        let mut core = Core::new(rules, settings, profiles, stored, moment.now)?;
        core.state = state;
        for (&port, known) in moment.ports.all.iter().filter(|of| of.1.is_there) {
            let Some(queues) = known.queues else { continue };
            let event = Event::PortFound { port, queues, revision: known.revision };
            core.controller.handle(event).expect("each port is found once");
        }
        // Ports were told before; what each is to be stands with it.
        core.controller.settle();
        (core.writing, core.waiting) = (writing, moment.waiting);
        (core.writes, core.revision) = (moment.writes, moment.revision);
        (core.ports, core.leases) = (moment.ports, moment.leases);
        (core.holding, core.leaving) = (moment.holding, moment.leaving);
        core.discovery = moment.discovery;
        Ok(core)
    }
}
