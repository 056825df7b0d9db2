//! [`Limited`]: a lab whose links carry less for a while.

use super::parts::Lab;
use super::record::{Record, lock};
use super::root;
use crate::failure::Failure;
use anyhow::Result;
use bandwise_enforce::{Switches, Wanted};
use bandwise_saba::Share;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_units::BitRate;
use std::fmt;

/// A lab, and what its ports had.
#[derive(Debug)]
pub struct Limited {
    lab: Lab,
    before: Vec<(PortId, PortConfig)>,
}

impl fmt::Display for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lab {}, {}", self.lab.name, BitRate::from_bps(self.lab.rate_bps))
    }
}

impl Limited {
    /// A lab that is there, as it is.
    pub fn open(name: &str) -> Result<Self, Failure> {
        root::needs_root()?;
        let lab = Record::open(name)?.lab;
        let mut switches = lab.switches().map_err(anyhow::Error::from)?;
        let ports = switches.discover().map_err(anyhow::Error::from)?;
        let read = ports.into_iter().map(|port| Ok((port.id, switches.read_back(port.id)?)));
        let before = read.collect::<Result<Vec<_>>>()?;
        Ok(Limited { lab, before })
    }

    /// The same lab with a share of what its links carry.
    fn with(&self, share: Share) -> Lab {
        let rate_bps = (self.lab.rate_bps as f64 * share.get()).round() as u64;
        Lab { rate_bps, ..self.lab.clone() }
    }

    /// Refuses shares that the links can't be limited to. Changes nothing.
    pub fn check(&self, shares: &[Share]) -> Result<(), Failure> {
        for &share in shares {
            if let Err(unfit) = self.with(share).rate() {
                let allowed = "shares with which a link of the lab has 1 Mbps or more";
                return Err(Failure::usage(format!("--at: {share} is {unfit}"), allowed));
            }
        }
        Ok(())
    }

    /// Limits all links to a share of what they carry. Who shares them by which weights stays as it was.
    pub fn limit(&self, share: Share) -> Result<()> {
        let _locked = lock()?;
        let record = Record::open(&self.lab.name)?;
        for node in self.lab.nodes() {
            record.namespace(&node)?;
        }
        let mut switches = self.with(share).switches()?;
        for (port, config) in &self.before {
            let plan = switches.plan(*port, &Wanted::Shared(config.clone()))?;
            switches.apply(&plan)?;
        }
        Ok(())
    }

    /// The links as they were.
    pub fn restore(&self) -> Result<()> {
        self.limit(Share::ALL)
    }
}
