//! The folder of `--resume`: a file for each finished point, named by its fingerprint.

use super::point::Finished;
use crate::failure::Failure;
use crate::output::{note, write};
use anyhow::Context;
use bandwise_input::reason;
use bandwise_scenario::ethernet::Fingerprint;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A folder with finished points.
pub(crate) struct Store {
    folder: PathBuf,
    /// The fingerprint of this program. Two builds of a version may have different results.
    build: Fingerprint,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Stored {
    schema: u32,
    version: String,
    /// The point as text, for readers of the file.
    point: String,
    finished: Finished,
}

impl Store {
    /// Opens a folder, which is created if it is missing.
    pub(super) fn open(path: PathBuf) -> Result<Self, Failure> {
        std::fs::create_dir_all(&path).map_err(|e| {
            let message = format!("--resume {}: {}", path.display(), reason(&e));
            Failure::usage(message, "a folder that exists or can be made")
        })?;
        let program = std::env::current_exe().and_then(std::fs::read);
        let program = program.context("--resume: can't read the executable")?;
        Ok(Store { folder: path, build: Fingerprint::default().and(&program) })
    }

    /// Returns the name of a point's file, for the fingerprint of its inputs.
    pub(super) fn key(&self, point: Fingerprint) -> Fingerprint {
        point.and(self.build.to_string().as_bytes())
    }

    /// Returns the stored results of a point, if this build stored some.
    pub(super) fn find(&self, fingerprint: Fingerprint) -> Option<Finished> {
        let path = self.path(fingerprint);
        let text = std::fs::read_to_string(&path).ok()?;
        match serde_json::from_str::<Stored>(&text) {
            Ok(stored) => Some(stored.finished),
            Err(_) => {
                note(format_args!("{}: can't be read, the point is run again", path.display()));
                None
            }
        }
    }

    /// Stores a point. The file appears as a whole or not at all.
    pub(super) fn keep(
        &self,
        fingerprint: Fingerprint,
        point: &str,
        finished: &Finished,
    ) -> Result<(), Failure> {
        let (point, finished) = (point.to_owned(), finished.clone());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let stored = Stored { schema: 1, version, point, finished };
        let text = serde_json::to_string_pretty(&stored).expect("texts and numbers are JSON");
        write(&self.path(fingerprint), &format!("{text}\n"))
    }

    fn path(&self, fingerprint: Fingerprint) -> PathBuf {
        self.folder.join(format!("{fingerprint}.json"))
    }
}
