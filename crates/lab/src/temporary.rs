//! [`Temporary`]: a lab that lives as long as its owner.

use crate::down::remove;
use crate::record::{Record, lock};
use crate::{Lab, LabError, Result, up};

/// A lab that is removed when this value is dropped.
#[derive(Debug)]
pub struct Temporary {
    record: Option<Record>,
    lab: Lab,
    on_leftover: fn(&Lab, LabError),
}

impl Temporary {
    /// Makes a lab. `on_leftover` is called if the lab can't be removed later.
    ///
    /// # Errors
    ///
    /// Returns an error if the lab can't be made, as [`up`] does.
    pub fn up(
        lab: Lab,
        is_interrupted: &dyn Fn() -> bool,
        on_leftover: fn(&Lab, LabError),
    ) -> Result<Self> {
        let record = up(lab.clone(), is_interrupted)?;
        Ok(Temporary { record: Some(record), lab, on_leftover })
    }

    /// Returns the description of the lab.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(record) = self.record.take() else { return };
        if let Err(error) = lock().and_then(|_locked| remove(record, false)) {
            (self.on_leftover)(&self.lab, error);
        }
    }
}
