//! [`Fingerprint`]: an identity of runs with equal results.

use super::EthernetScenario;
use std::fmt::{self, Write};

/// A hash of everything that a run depends on. Runs with equal fingerprints need to run only once.
/// Fingerprints of two builds of the program can't be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(u128);

/// Formats the fingerprint so that it can be part of a file name.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

// FNV-1a with 128 bits (draft-eastlake-fnv), which is not resistant to deliberate collisions.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Returns the fingerprint of no input.
impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(BASIS)
    }
}

impl Fingerprint {
    /// Returns the fingerprint with further input.
    #[must_use]
    pub fn and(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
        self
    }
}

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        *self = self.and(text.as_bytes());
        Ok(())
    }
}

impl EthernetScenario {
    /// Returns the fingerprint of everything that results depend on, without the title. For a list
    /// of flows, the fingerprint has only the name: the reader of the list adds its content.
    pub fn fingerprint(&self) -> Fingerprint {
        let EthernetScenario {
            title: _,
            fabric,
            transport: _,
            model,
            workload,
            limit,
            warmup,
            storm,
            seed,
        } = self;
        let mut fingerprint = Fingerprint::default();
        let written =
            write!(fingerprint, "{fabric:?}{model:?}{workload:?}{limit:?}{warmup}{storm}{seed}");
        written.expect("a fingerprint takes anything");
        fingerprint
    }
}
