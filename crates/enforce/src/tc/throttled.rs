//! [`Throttled`]: a device of this host with a temporary rate limit.

use super::write::{Target, write};
use super::{Namespaces, Reach};
use crate::htb::{Root, is_throttle, throttle};
use bandwise_switches::Fault;
use bandwise_units::BitRate;

/// A device in the network namespace of this program with a temporary rate limit. The device has the kernel's default
/// before and after. A device with any other configuration is refused.
#[derive(Debug)]
pub struct Throttled<R = Namespaces> {
    device: String,
    reach: R,
}

impl<R: Reach> Throttled<R> {
    /// Opens a device. Also returns `true` if a killed process has left it limited.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the device can't be read, or another program has configured it.
    pub fn open(device: &str, reach: R) -> Result<(Self, bool), Fault> {
        let mut throttled = Throttled { device: device.to_owned(), reach };
        let there = throttled.read()?;
        Ok((throttled, there != Root::Kernel))
    }

    /// Limits everything that the device sends.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the rate is out of range or the kernel refuses it.
    pub fn limit(&mut self, rate: BitRate) -> Result<(), Fault> {
        let tree = throttle(rate)
            .map_err(|why| Fault::Unfit { port: self.device.clone(), why: why.to_string() })?;
        self.write(&Root::Saba(tree))
    }

    /// Restores the kernel's default.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the device can't be read or written.
    pub fn restore(&mut self) -> Result<(), Fault> {
        self.write(&Root::Kernel)
    }

    /// Reads the device, if it may be written.
    fn read(&mut self) -> Result<Root, Fault> {
        let port = self.device.clone();
        match self.reach.visit(None, &self.device, &[]) {
            Ok(Root::Saba(tree)) if !is_throttle(&tree) => {
                let what = "the HTB classes of a controller or a lab".to_owned();
                Err(Fault::Taken { port, what })
            }
            Ok(Root::Hardware(there)) => {
                let switch = &there.switch;
                let why = format!(
                    "it is a port of switch {switch}, which forwards in hardware: a limit has no effect"
                );
                Err(Fault::Unfit { port, why })
            }
            Ok(Root::Other(what)) => Err(Fault::Taken { port, what }),
            Ok(there) => Ok(there),
            Err(super::Reason(reason)) => Err(Fault::Unreadable { port, reason }),
        }
    }

    fn write(&mut self, wanted: &Root) -> Result<(), Fault> {
        let before = self.read()?;
        let target = Target { name: &self.device, namespace: None, device: &self.device };
        write(&mut self.reach, target, &before, wanted).map(drop)
    }
}
