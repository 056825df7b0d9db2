//! [`Fingerprint`]: whether two runs would give the same.

use super::EthernetScenario;
use std::fmt::{self, Write};

/// A number made of everything that a run depends on, so that equal ones need to be run once. For
/// comparing within one build of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(u128);

/// As a file can be called.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

// FNV-1a with 128 bits (draft-eastlake-fnv). Nobody makes scenarios that meet on purpose.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// That of nothing.
impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(BASIS)
    }
}

impl Fingerprint {
    /// The same with more that a run depends on.
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
    /// What its results depend on: everything but what it is called. Of a list of flows it knows the
    /// name alone; who reads the list adds what is in it.
    pub fn fingerprint(&self) -> Fingerprint {
        let EthernetScenario {
            title: _,
            fabric,
            transport: _,
            model,
            workload,
            limit,
            warm_up,
            storm,
            seed,
        } = self;
        let mut fingerprint = Fingerprint::default();
        let written =
            write!(fingerprint, "{fabric:?}{model:?}{workload:?}{limit:?}{warm_up}{storm}{seed}");
        written.expect("a fingerprint takes anything");
        fingerprint
    }
}
