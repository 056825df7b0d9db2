//! [`Temporary`]: a lab as long as a command needs it.

use super::parts::Lab;
use super::record::{Record, lock};
use super::{down, up};
use crate::interrupt::Interrupt;
use crate::output::note;
use anyhow::Result;

/// A lab that is taken away when this is.
#[derive(Debug)]
pub struct Temporary {
    record: Option<Record>,
    lab: Lab,
}

impl Temporary {
    /// Three hosts with links of 200 Mbit/s, in a lab with a name that nobody else gives.
    pub fn up(interrupt: &Interrupt) -> Result<Self> {
        let name = format!("bench-{}", std::process::id());
        let lab = Lab { name, hosts: 3, rate_bps: 200_000_000, others: 0.1 };
        let record = up::raise(lab.clone(), interrupt)?;
        Ok(Temporary { record: Some(record), lab })
    }

    /// What it consists of.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        if let Err(error) = lock().and_then(|_locked| down::take(record, false)) {
            note(format_args!("the lab {:?} stays: {error:#}", self.lab.name));
        }
    }
}
