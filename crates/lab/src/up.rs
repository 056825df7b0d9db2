//! [`up`]: construction of a lab.

use crate::down::remove;
use crate::namespaces::{self, Identity};
use crate::parts::SWITCH;
use crate::record::{Made, Record, lock};
use crate::{Lab, LabError, Result};
use bandwise_saba::controller::PortConfig;
use bandwise_switches::{Switches, Wanted};

/// Makes a complete lab, or nothing. `is_interrupted` is called between steps and returns whether
/// to stop.
///
/// # Errors
///
/// Returns [`LabError::Exists`] if there is a lab of that name, [`LabError::RolledBack`] with the
/// cause if a step fails, or [`LabError::Leftover`] if parts can't be removed after that.
pub fn up(lab: Lab, is_interrupted: &dyn Fn() -> bool) -> Result<Record> {
    let _locked = lock()?;
    let mut record = Record::create(lab)?;
    let Err(error) = make(&mut record, is_interrupted) else { return Ok(record) };
    // Ctrl-C at the terminal also ends the program `ip`.
    let source = Box::new(if is_interrupted() { LabError::Interrupted } else { error });
    // No command runs in an incomplete lab.
    Err(match remove(record, false) {
        Ok(_) => LabError::RolledBack(source),
        Err(left) => LabError::Leftover { left: left.into(), source },
    })
}

fn make(record: &mut Record, is_interrupted: &dyn Fn() -> bool) -> Result<()> {
    let check_interrupt = || if is_interrupted() { Err(LabError::Interrupted) } else { Ok(()) };
    let lab = record.lab.clone();
    for node in lab.nodes() {
        check_interrupt()?;
        let name = lab.namespace(&node);
        if Identity::of(&name)?.is_some() {
            return Err(LabError::Foreign(name));
        }
        record.namespaces.push(Made { name: name.clone(), identity: None });
        record.save()?;
        if let Err(error) = namespaces::add(&name) {
            // An existing namespace was made by another program in the meantime.
            record.namespaces.pop();
            return Err(error);
        }
        let identity = Identity::of(&name)?;
        record.namespaces.last_mut().expect("pushed").identity = identity;
        record.save()?;
    }
    namespaces::configure(&lab.namespace(SWITCH), &lab.switch_lines())?;
    for (number, host) in (1..).zip(lab.host_names()) {
        check_interrupt()?;
        namespaces::configure(&lab.namespace(&host), &Lab::host_lines(number))?;
    }
    let mut switches = lab.switches()?;
    for port in switches.discover()? {
        check_interrupt()?;
        let plan = switches.plan(port.id, &Wanted::Shared(PortConfig::default()))?;
        switches.apply(&plan)?;
    }
    record.is_complete = true;
    record.save()
}
