//! [`write`]: writing a device, reading it back, and rolling back.

use super::reach::Reach;
use super::wire::Reason;
use crate::ets::InHardware;
use crate::htb::{Change, Root, changes};
use bandwise_switches::{Fault, Left};

/// The device to write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    /// The port's name for people.
    pub(super) name: &'a str,
    pub(super) namespace: Option<&'a str>,
    pub(super) device: &'a str,
}

/// Changes a device from `before` to `wanted`, reads the device back, and returns its
/// configuration. Restores `before` if the write fails or another configuration is read back.
///
/// # Errors
///
/// Returns a [`Fault`] that states the failed write and, if the restoration failed too, its
/// failure.
pub(super) fn write(
    reach: &mut impl Reach,
    target: Target,
    before: &Root,
    wanted: &Root,
) -> Result<Root, Fault> {
    let Target { name, namespace, device } = target;
    let port = name.to_owned();
    match reach.visit(namespace, device, &changes(before, wanted)) {
        Ok(after) if after.is(wanted) => Ok(after),
        Ok(after) => {
            let line = |change: &Change| format!("tc {}", change.line(device));
            let missing: Vec<String> = changes(&after, wanted).iter().map(line).collect();
            let what = match is_untaken(&after) {
                true => "the kernel has it, and the hardware has not taken it".to_owned(),
                false => format!("{} had no effect", missing.join(", ")),
            };
            let left = roll_back(reach, target, before);
            Err(Fault::Differs { port, what, left })
        }
        Err(Reason(reason)) => {
            let left = roll_back(reach, target, before);
            Err(Fault::Refused { port, reason, left })
        }
    }
}

/// Returns `true` if the kernel has bands that the hardware has not taken.
pub(super) fn is_untaken(root: &Root) -> bool {
    matches!(root, Root::Hardware(there) if matches!(there.there, InHardware::Bands { is_taken: false, .. }))
}

/// Restores the former configuration from any current one.
fn roll_back(reach: &mut impl Reach, target: Target, before: &Root) -> Left {
    let mut restore = || {
        let now = reach.visit(target.namespace, target.device, &[])?;
        let after = reach.visit(target.namespace, target.device, &changes(&now, before))?;
        if after.is(before) {
            Ok(())
        } else {
            Err(Reason("it reads back another configuration".into()))
        }
    };
    match restore() {
        Ok(()) => Left::AsBefore,
        Err(Reason(why)) => Left::Otherwise(why),
    }
}
