//! [`Limited`]: a lab whose links temporarily have less bandwidth.

use crate::record::{Record, lock};
use crate::root::needs_root;
use crate::{Lab, Result};
use bandwise_enforce::htb::Unfit;
use bandwise_saba::Share;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Switches, Wanted};
use bandwise_units::BitRate;
use std::fmt;

/// A lab, and the weights that its ports had at the opening.
#[derive(Debug)]
pub struct Limited {
    lab: Lab,
    before: Vec<(PortId, PortConfig)>,
}

/// An error for a share to which links can't be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{share} is {unfit}")]
pub struct UnfitShare {
    /// The share.
    pub share: Share,
    /// The reason.
    pub unfit: Unfit,
}

impl fmt::Display for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lab {}, {}", self.lab.name, BitRate::from_bps(self.lab.rate_bps))
    }
}

impl Limited {
    /// Opens a complete lab and reads the weights of its ports. Changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error without root, without such a lab, or if a port can't be read.
    pub fn open(name: &str) -> Result<Self> {
        needs_root()?;
        let lab = Record::open(name)?.lab;
        let mut switches = lab.switches()?;
        let ports = switches.discover()?;
        let read = ports.into_iter().map(|port| Ok((port.id, switches.read_back(port.id)?)));
        let before = read.collect::<Result<Vec<_>>>()?;
        Ok(Limited { lab, before })
    }

    /// Returns a copy of the lab with a share of its links' rate.
    fn with(&self, share: Share) -> Lab {
        let rate_bps = (self.lab.rate_bps as f64 * share.get()).round() as u64;
        Lab { rate_bps, ..self.lab.clone() }
    }

    /// Checks that the links can be limited to these shares. Changes nothing.
    ///
    /// # Errors
    ///
    /// Returns the first share that leaves a link less than 1 Mbps.
    pub fn check(&self, shares: &[Share]) -> std::result::Result<(), UnfitShare> {
        shares.iter().try_for_each(|&share| {
            self.with(share).rate().map(drop).map_err(|unfit| UnfitShare { share, unfit })
        })
    }

    /// Limits all links to a share of their rate. Weights are unchanged.
    ///
    /// # Errors
    ///
    /// Returns an error if the lab is gone or a port can't be written.
    pub fn limit(&self, share: Share) -> Result<()> {
        let _locked = lock()?;
        Record::open(&self.lab.name)?.verify()?;
        let mut switches = self.with(share).switches()?;
        for (port, config) in &self.before {
            let plan = switches.plan(*port, &Wanted::Shared(config.clone()))?;
            switches.apply(&plan)?;
        }
        Ok(())
    }

    /// Restores the full rate of all links.
    ///
    /// # Errors
    ///
    /// Returns an error as [`Limited::limit`] does.
    pub fn restore(&self) -> Result<()> {
        self.limit(Share::ALL)
    }
}
