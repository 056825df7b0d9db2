//! The arbitration table of a port, as written by a subnet manager.

use super::{Vl, VlError};

/// An arbitration entry: a lane and its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VlArbEntry {
    /// The lane.
    pub vl: Vl,
    /// Amount that the lane may send before the next entry, in units of 64 bytes; 0 skips the
    /// entry.
    pub weight: u8,
}

/// A text that is not an arbitration entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VlArbEntryError {
    /// The form is wrong.
    #[error("{0:?} is not LANE:WEIGHT, such as 1:64, with a weight of 0 to 255")]
    Form(String),
    /// The lane does not carry data.
    #[error(transparent)]
    Lane(#[from] VlError),
}

impl std::str::FromStr for VlArbEntry {
    type Err = VlArbEntryError;
    /// Reads `LANE:WEIGHT`, as in OpenSM's options.
    fn from_str(text: &str) -> Result<Self, VlArbEntryError> {
        let form = || VlArbEntryError::Form(text.to_owned());
        let (vl, weight) = text.split_once(':').ok_or_else(form)?;
        let vl: u8 = vl.trim().parse().map_err(|_| form())?;
        let weight = weight.trim().parse().map_err(|_| form())?;
        Ok(VlArbEntry { vl: Vl::try_from(vl)?, weight })
    }
}

impl std::fmt::Display for VlArbEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.vl.get(), self.weight)
    }
}

impl TryFrom<String> for VlArbEntry {
    type Error = VlArbEntryError;
    fn try_from(text: String) -> Result<Self, VlArbEntryError> {
        text.parse()
    }
}

impl From<VlArbEntry> for String {
    fn from(entry: VlArbEntry) -> String {
        entry.to_string()
    }
}

/// The arbitration table of a port (IBTA 7.6.9.2): two lists of entries, the first of which
/// precedes the second up to a limit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VlArbTable {
    /// Entries of high priority.
    pub high: Vec<VlArbEntry>,
    /// Entries of low priority.
    pub low: Vec<VlArbEntry>,
    /// Amount that high priority may send before one low-priority packet, in units of 4096 bytes; 0
    /// is a single packet, 255 is unlimited.
    pub high_limit: u8,
}

/// Reason why an arbitration table is unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VlArbError {
    /// A list is longer than the specification allows.
    #[error("the {list} priority list has {len} entries: at most 64 are allowed")]
    Length {
        /// Name of the list: `high` or `low`.
        list: &'static str,
        /// Length of the list.
        len: usize,
    },
    /// No lane could ever send.
    #[error("no entry of the arbitration table has a weight: at least one must be 1 to 255")]
    NoWeight,
}

impl VlArbTable {
    /// Largest number of entries in a list (IBTA 7.6.9.2).
    pub const MAX_ENTRIES: usize = 64;

    /// Returns a table with one low-priority entry of equal `weight` for each of `vls`.
    pub fn even(vls: impl IntoIterator<Item = Vl>, weight: u8) -> Self {
        let low = vls.into_iter().map(|vl| VlArbEntry { vl, weight }).collect();
        VlArbTable { high: Vec::new(), low, high_limit: 0 }
    }

    /// Checks that a port can use the table. The type of lanes ensures their range.
    ///
    /// # Errors
    ///
    /// A list with more than 64 entries, or no entry with a weight.
    pub fn validate(&self) -> Result<(), VlArbError> {
        for (list, entries) in [("high", &self.high), ("low", &self.low)] {
            if entries.len() > Self::MAX_ENTRIES {
                return Err(VlArbError::Length { list, len: entries.len() });
            }
        }
        if self.high.iter().chain(&self.low).all(|entry| entry.weight == 0) {
            return Err(VlArbError::NoWeight);
        }
        Ok(())
    }

    /// Returns the lanes of the set `vls` (bits) that no entry with a weight serves; their packets
    /// would wait forever.
    pub fn unserved(&self, vls: u16) -> u16 {
        let entries = self.high.iter().chain(&self.low);
        let served = entries.filter(|e| e.weight > 0).fold(0, |set, e| set | e.vl.bit());
        vls & !served
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(high: &[&str], low: &[&str]) -> VlArbTable {
        let read = |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        VlArbTable { high: read(high), low: read(low), high_limit: 0 }
    }

    #[test]
    fn entries_have_opensm_syntax() {
        let entry: VlArbEntry = "3:255".parse().unwrap();
        assert_eq!((entry.vl.get(), entry.weight, entry.to_string().as_str()), (3, 255, "3:255"));
        for bad in ["3", "3:256", "15:1", ":1", "3:", "-1:4"] {
            assert!(bad.parse::<VlArbEntry>().is_err(), "{bad:?} must not parse");
        }
    }

    #[test]
    fn unusable_tables_are_refused() {
        assert_eq!(table(&["0:0"], &["1:0"]).validate(), Err(VlArbError::NoWeight));
        assert_eq!(table(&[], &[]).validate(), Err(VlArbError::NoWeight));
        assert_eq!(table(&[], &["0:1"; 64]).validate(), Ok(()));
        assert_eq!(
            table(&["0:1"; 65], &[]).validate().unwrap_err().to_string(),
            "the high priority list has 65 entries: at most 64 are allowed"
        );
    }

    #[test]
    fn lanes_without_an_entry_are_returned() {
        assert_eq!(table(&["1:4"], &["0:4", "2:0"]).unserved(0b1111), 0b1100);
    }
}
