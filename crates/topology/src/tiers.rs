//! Cables between switches that differ from those of hosts.

use crate::{Fabric, FabricError, LONGEST_DELAY, SLOWEST_LINK};
use bandwise_units::{BitRate, Time};

impl Fabric {
    /// Returns the fabric with another rate and delay of each cable between two switches. The cables of
    /// hosts stay as they are.
    ///
    /// # Errors
    ///
    /// Returns a [`FabricError`] if there is such a cable, and the rate is below [`SLOWEST_LINK`] or the
    /// delay above [`LONGEST_DELAY`].
    pub fn with_uplinks(mut self, rate: BitRate, delay: Time) -> Result<Fabric, FabricError> {
        let uplinks: Vec<usize> = (0..self.links.len()).filter(|&at| self.is_uplink(at)).collect();
        let Some(&first) = uplinks.first() else { return Ok(self) };
        let [from, to] = self.links[first].ends.map(|end| self.describe(end));
        if rate < SLOWEST_LINK {
            return Err(FabricError::Rate { from, to, rate });
        }
        if delay > LONGEST_DELAY {
            return Err(FabricError::Delay { from, to, delay });
        }
        for at in uplinks {
            (self.links[at].rate, self.links[at].delay) = (rate, delay);
        }
        Ok(self)
    }

    /// Returns whether a cable joins two switches.
    fn is_uplink(&self, link: usize) -> bool {
        self.links[link].ends.iter().all(|end| self.is_switch(end.node))
    }
}
