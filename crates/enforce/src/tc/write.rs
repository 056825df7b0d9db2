//! [`write`]: written, read back, rolled back.

use super::reach::Reach;
use super::wire::Trouble;
use crate::htb::{Change, Root, changes};
use crate::{Fault, Left};

/// Where it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// What people call it.
    pub(super) name: &'a str,
    pub(super) namespace: Option<&'a str>,
    pub(super) device: &'a str,
}

/// Changes a device from `before` to `wanted`, reads it back, and returns what it read. Restores `before` if the write
/// fails or reads back otherwise.
///
/// # Errors
///
/// Returns a [`Fault`] that says what could not be written, and what could not be restored.
pub(super) fn write(
    reach: &mut impl Reach,
    place: Place,
    before: &Root,
    wanted: &Root,
) -> Result<Root, Fault> {
    let Place { name, namespace, device } = place;
    let port = name.to_owned();
    match reach.visit(namespace, device, &changes(before, wanted)) {
        Ok(after) if after.is(wanted) => Ok(after),
        Ok(after) => {
            let line = |change: &Change| format!("tc {}", change.line(device));
            let missing: Vec<String> = changes(&after, wanted).iter().map(line).collect();
            let what = format!("{} is still to be done", missing.join(", "));
            let left = roll_back(reach, place, before);
            Err(Fault::Differs { port, what, left })
        }
        Err(Trouble(said)) => {
            let left = roll_back(reach, place, before);
            Err(Fault::Refused { port, said, left })
        }
    }
}

/// Puts back what stood there before, whatever stands there now.
fn roll_back(reach: &mut impl Reach, place: Place, before: &Root) -> Left {
    let mut put_back = || {
        let now = reach.visit(place.namespace, place.device, &[])?;
        let after = reach.visit(place.namespace, place.device, &changes(&now, before))?;
        if after.is(before) { Ok(()) } else { Err(Trouble("it reads back otherwise".into())) }
    };
    match put_back() {
        Ok(()) => Left::AsBefore,
        Err(Trouble(why)) => Left::Otherwise(why),
    }
}
