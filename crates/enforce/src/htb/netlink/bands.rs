//! The kernel's form of bands: the options of a qdisc `ets`, and the priorities of DSCPs.

use super::attributes::{NESTED, Unreadable, all, find, put};
use crate::ets::Bands;
use std::collections::BTreeMap;

/// TCA_ETS_NBANDS, TCA_ETS_NSTRICT, and the lists TCA_ETS_QUANTA and TCA_ETS_PRIOMAP with their elements.
const COUNT: u16 = 1;
const STRICT: u16 = 2;
const QUANTA: u16 = 3;
const QUANTUM: u16 = 4;
const PRIORITIES: u16 = 5;
const BAND: u16 = 6;

/// DCB_ATTR_IEEE, DCB_ATTR_IEEE_APP_TABLE and DCB_ATTR_IEEE_APP.
const IEEE: u16 = 13;
const TABLE: u16 = 3;
const ENTRY: u16 = 1;
/// IEEE_8021QAZ_APP_SEL_DSCP: an entry of a DSCP.
const BY_DSCP: u8 = 5;

/// Returns the options of bands, as they are written.
pub(super) fn encode(bands: &Bands) -> Vec<u8> {
    let (mut options, mut quanta, mut priorities) = (Vec::new(), Vec::new(), Vec::new());
    bands.quanta.iter().for_each(|quantum| put(&mut quanta, QUANTUM, &quantum.to_ne_bytes()));
    bands.of_priority.iter().for_each(|&band| put(&mut priorities, BAND, &[band]));
    put(&mut options, COUNT, &[bands.quanta.len() as u8]);
    put(&mut options, NESTED | QUANTA, &quanta);
    put(&mut options, NESTED | PRIORITIES, &priorities);
    options
}

/// Reads the options of bands; `None` if some are strict, as none of Saba's is.
pub(super) fn decode(options: &[u8]) -> Result<Option<Bands>, Unreadable> {
    let lacks = || Unreadable::lacks("what bands have");
    if find(options, STRICT)?.is_some_and(|strict| strict != [0]) {
        return Ok(None);
    }
    let quanta = all(find(options, QUANTA)?.ok_or_else(lacks)?, QUANTUM)
        .map(|value| Ok(u32::from_ne_bytes(*value?.first_chunk().ok_or_else(lacks)?)));
    let quanta = quanta.collect::<Result<Vec<_>, Unreadable>>()?;
    let mut of_priority = [0; 16];
    let bands = all(find(options, PRIORITIES)?.ok_or_else(lacks)?, BAND);
    for (of_priority, band) in of_priority.iter_mut().zip(bands) {
        *of_priority = *band?.first().ok_or_else(lacks)?;
    }
    Ok(Some(Bands { quanta, of_priority }))
}

/// Reads the priority of each DSCP that has one. The largest counts, as for the kernel.
pub(super) fn priorities(attributes: &[u8]) -> Result<BTreeMap<u8, u8>, Unreadable> {
    let ieee = find(attributes, IEEE)?.unwrap_or_default();
    let mut priorities = BTreeMap::new();
    for entry in all(find(ieee, TABLE)?.unwrap_or_default(), ENTRY) {
        // `struct dcb_app`: selector, priority, and what the selector selects.
        let &[selector, priority, low, high] =
            entry?.first_chunk().ok_or_else(|| Unreadable::lacks("an entry of DCB"))?;
        let dscp = u8::try_from(u16::from_ne_bytes([low, high])).ok();
        if let Some(dscp) = dscp.filter(|_| selector == BY_DSCP) {
            let there = priorities.entry(dscp).or_insert(priority);
            *there = priority.max(*there);
        }
    }
    Ok(priorities)
}
