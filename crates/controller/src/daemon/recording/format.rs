//! The lines of a recording: a [`Beginning`], and a [`Line`] for each input.

use crate::core::{Change, Clustering, Core, Group, Input, Profiles, Rules, Snapshot, State};
use bandwise_input::Source;
use bandwise_saba::table::read;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU16;
use std::time::Duration;

/// The initial state of a core: the first line of each part of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Beginning {
    /// The format version of the recording.
    pub recording: u32,
    /// The version of the program that made the recording.
    pub version: String,
    /// The core's parameters.
    pub rules: Rules,
    /// The random seed of K-means.
    pub seed: u64,
    /// The number of distinguishable priority levels.
    pub levels: NonZeroU16,
    /// The text of the sensitivity table.
    pub table: String,
    /// The stored records at the start.
    pub stored: Vec<Change>,
    /// The controller's name and the store's revision, if several controllers share the store.
    pub shared: Option<(Group, u64)>,
    /// The core's state, if the part continues another file. It replaces `stored`.
    pub snapshot: Option<Box<Snapshot>>,
}

/// The format version of recordings.
pub(super) const FORM: u32 = 8;

/// The begin of the first line of a recording, before its format version.
pub(super) const FIRST: &str = "{\"recording\":";

/// An input, and a hash of the outputs that followed.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::daemon) struct Line {
    pub(in crate::daemon) at_ns: u64,
    pub(in crate::daemon) input: Input,
    /// The hash of the outputs, in hexadecimal digits.
    pub(in crate::daemon) outputs: String,
}

impl Beginning {
    /// Returns the initial state of a core.
    pub fn new(rules: Rules, clustering: Clustering, table: String, stored: &State) -> Self {
        let Clustering { levels, seed } = clustering;
        let (recording, version) = (FORM, env!("CARGO_PKG_VERSION").to_owned());
        let stored = stored.records().collect();
        let (shared, snapshot) = (None, None);
        Beginning { recording, version, rules, seed, levels, table, stored, shared, snapshot }
    }

    /// Returns a core in this state.
    ///
    /// # Errors
    ///
    /// Returns a message if the table or a record is invalid.
    pub fn core(&self) -> Result<Core, String> {
        let table = read::any(&Source::new("the table", &self.table)).map_err(|e| e.to_string())?;
        let clustering = Clustering { levels: self.levels, seed: self.seed };
        let profiles = Profiles::new(table, clustering);
        let (rules, settings) = (self.rules, self.rules.sharing());
        if let Some(snapshot) = &self.snapshot {
            let core = Core::resumed(rules, settings, profiles, (**snapshot).clone());
            return core.map_err(|error| error.to_string());
        }
        let stored = State::of(self.stored.clone());
        let core = Core::new(rules, settings, profiles, stored, Duration::ZERO);
        let core = core.map_err(|error| error.to_string())?;
        Ok(match &self.shared {
            Some((own, revision)) => core.shared(own.clone(), *revision),
            None => core,
        })
    }
}
