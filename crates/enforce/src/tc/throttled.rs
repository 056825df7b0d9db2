//! [`Throttled`]: a device of this machine that sends less for a while.

use super::write::{Place, write};
use super::{Namespaces, Reach};
use crate::Fault;
use crate::htb::{Root, is_throttle, throttle};
use bandwise_units::BitRate;

/// A device in this program's own network namespace that sends less for a while. What the kernel gives a device by itself
/// stands there before and after; a device with anything else is left alone.
#[derive(Debug)]
pub struct Throttled<R = Namespaces> {
    device: String,
    reach: R,
}

impl<R: Reach> Throttled<R> {
    /// A device that nobody else has configured; and whether somebody who was killed has left it throttled.
    pub fn open(device: &str, reach: R) -> Result<(Self, bool), Fault> {
        let mut throttled = Throttled { device: device.to_owned(), reach };
        let there = throttled.read()?;
        Ok((throttled, there != Root::Kernel))
    }

    /// Limits all that it sends.
    pub fn limit(&mut self, rate: BitRate) -> Result<(), Fault> {
        let tree = throttle(rate)
            .map_err(|why| Fault::Unfit { port: self.device.clone(), why: why.to_string() })?;
        self.write(&Root::Saba(tree))
    }

    /// The device as the kernel has it by itself.
    pub fn restore(&mut self) -> Result<(), Fault> {
        self.write(&Root::Kernel)
    }

    /// What stands there, if it may be written.
    fn read(&mut self) -> Result<Root, Fault> {
        let port = self.device.clone();
        match self.reach.visit(None, &self.device, &[]) {
            Ok(Root::Saba(tree)) if !is_throttle(&tree) => {
                let what = "a tree by which a controller or a lab shares it".to_owned();
                Err(Fault::Taken { port, what })
            }
            Ok(Root::Other(what)) => Err(Fault::Taken { port, what }),
            Ok(there) => Ok(there),
            Err(super::Trouble(said)) => Err(Fault::Unreadable { port, said }),
        }
    }

    fn write(&mut self, wanted: &Root) -> Result<(), Fault> {
        let before = self.read()?;
        let place = Place { name: &self.device, namespace: None, device: &self.device };
        write(&mut self.reach, place, &before, wanted).map(drop)
    }
}
