//! [`Kept`]: a file with the tables of ports before they were written.

use crate::failure::Failure;
use crate::output;
use bandwise_enforce::infiniband::{ArbitrationEntry, PortAt, Tables};
use bandwise_files::FileError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The saved tables of ports.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    schema: u32,
    /// The ports by GUID and number.
    ports: BTreeMap<String, Port>,
}

/// Arbitration entries as pairs of lane and weight, and lanes by service level for each input port.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Port {
    low: Vec<(u8, u8)>,
    high: Vec<(u8, u8)>,
    lanes: BTreeMap<u8, [u8; 16]>,
}

const SCHEMA: u32 = 1;
/// The largest file in bytes: the tables of a port take about 1 kB.
const LARGEST: u64 = 64 << 20;

impl Kept {
    /// Reads a file. A missing file has no ports.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        bandwise_files::check_place(file)?;
        if !file.exists() {
            return Ok(Kept { schema: SCHEMA, ports: BTreeMap::new() });
        }
        let text = bandwise_files::text(file, LARGEST)?;
        let is_lane = |vl: &u8| *vl < 16;
        let is_sound = |port: &Port| {
            port.low.iter().chain(&port.high).all(|(vl, _)| is_lane(vl))
                && port.lanes.values().flatten().all(is_lane)
        };
        let kept = serde_json::from_str(&text).ok();
        let kept =
            kept.filter(|kept: &Kept| kept.schema == SCHEMA && kept.ports.values().all(is_sound));
        Ok(kept.ok_or_else(|| {
            FileError::new(file, "is not a file written by --keep", "such a file, or none yet")
        })?)
    }

    /// Writes the file as a whole.
    pub(super) fn write(&self, file: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).map_err(anyhow::Error::from)?;
        output::write(file, &format!("{text}\n"))
    }

    /// Returns the saved tables of a port.
    pub(super) fn of(&self, at: PortAt) -> Option<Tables> {
        let port = self.ports.get(&key(at))?;
        let entries = |entries: &[(u8, u8)]| {
            entries.iter().map(|&(vl, weight)| ArbitrationEntry { vl, weight }).collect()
        };
        Some(Tables {
            mappings: port.lanes.clone(),
            low: entries(&port.low),
            high: entries(&port.high),
        })
    }

    /// Adds the tables of a port, unless the port has saved tables already.
    pub(super) fn add(&mut self, at: PortAt, tables: &Tables) {
        let entries = |entries: &[ArbitrationEntry]| {
            entries.iter().map(|entry| (entry.vl, entry.weight)).collect()
        };
        let port = || Port {
            low: entries(&tables.low),
            high: entries(&tables.high),
            lanes: tables.mappings.clone(),
        };
        self.ports.entry(key(at)).or_insert_with(port);
    }
}

fn key(at: PortAt) -> String {
    format!("{}:{}", at.node, at.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kept_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        let new = Kept::read(&path).unwrap();
        new.write(&path).unwrap();
        assert!(Kept::read(&path).unwrap().ports.is_empty());
        let wrong = "is not a file written by --keep (allowed: such a file, or none yet)";
        for text in ["", "{\"schema\":2,\"ports\":{}}", "[]"] {
            std::fs::write(&path, text).unwrap();
            let failure = Kept::read(&path).unwrap_err();
            assert!(failure.line().ends_with(wrong), "{}", failure.line());
        }
        let failure = Kept::read(Path::new("/dev/zero")).unwrap_err();
        assert!(failure.line().contains("/dev/zero: is a device"), "{}", failure.line());
    }
}
