//! [`PortShares`]: the division of a link as a port has it.

use crate::record::{Record, lock};
use crate::{Lab, Result, SWITCH};
use bandwise_enforce::tc::LinuxTc;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Switches, Wanted};
use bandwise_units::BitRate;

/// A port, and the shares of its link as read from the kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct PortShares {
    /// Name of the port, such as `switch to h3`.
    pub name: String,
    /// Rate of the link.
    pub rate: BitRate,
    /// Fraction of the link reserved for packets without a weight.
    pub others: f64,
    /// Queues in order of number.
    pub queues: Vec<QueueShare>,
}

/// A queue of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueShare {
    /// DSCPs of the packets in this queue.
    pub dscp: Vec<u16>,
    /// Weight among the queues of the port, in lowest terms.
    pub weight: u8,
    /// Bandwidth of the queue while all others are busy, in bits per second.
    pub least_bps: u64,
}

impl PortShares {
    fn new(lab: &Lab, switches: &LinuxTc, id: PortId, read: PortConfig) -> Result<Self> {
        let port = switches.port(id)?;
        let sum: u64 = read.weights.iter().map(|&weight| u64::from(weight)).sum();
        let queue = |(at, &weight): (u8, &u8)| {
            let dscp = read.table.iter().filter(|of| of.1 == at).map(|of| of.0.0).collect();
            let saba = port.layout.link().as_bps() as f64 * (1.0 - lab.others);
            let least_bps = (saba * f64::from(weight) / sum as f64).round() as u64;
            QueueShare { dscp, weight, least_bps }
        };
        Ok(PortShares {
            name: port.name.clone(),
            rate: port.layout.link(),
            others: lab.others,
            queues: (0..).zip(&read.weights).map(queue).collect(),
        })
    }
}

impl Record {
    /// Reads all ports.
    ///
    /// # Errors
    ///
    /// Returns an error if a namespace is not the lab's or a port can't be read.
    pub fn ports(&self) -> Result<Vec<PortShares>> {
        self.verify()?;
        let mut switches = self.lab.switches()?;
        let ports = switches.discover()?;
        let read = ports.into_iter().map(|port| {
            let config = switches.read_back(port.id)?;
            PortShares::new(&self.lab, &switches, port.id, config)
        });
        read.collect()
    }

    /// Writes the weights of the switch's port to a host, numbered from 1. Without `config`, only
    /// reads them. Returns the resulting state of the port.
    ///
    /// # Errors
    ///
    /// Returns an error if the switch's namespace is not the lab's, or the port can't be read or
    /// written.
    pub fn share_link_to(&self, host: u8, config: Option<PortConfig>) -> Result<PortShares> {
        let _locked = lock()?;
        self.namespace(SWITCH)?;
        let (port, mut switches) = (self.lab.port_to(host), self.lab.switches()?);
        let read = match config {
            Some(config) => {
                let plan = switches.plan(port, &Wanted::Shared(config))?;
                switches.apply(&plan)?.config
            }
            None => switches.read_back(port)?,
        };
        PortShares::new(&self.lab, &switches, port, read)
    }
}
