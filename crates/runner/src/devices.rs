//! [`Devices`]: network devices of this host, limited during a profile.

use crate::{RunnerError, Unfit};
use anyhow::{Context, Error, Result, anyhow};
use bandwise_enforce::htb::throttle;
use bandwise_enforce::tc::{Namespaces, Throttled};
use bandwise_saba::Share;
use bandwise_units::BitRate;
use rustix::thread::{CapabilitySet, capabilities};
use std::fmt;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Network devices of this host, and the rate of each.
#[derive(Debug)]
pub struct Devices {
    rate: BitRate,
    names: Vec<String>,
    devices: Vec<Throttled>,
    /// Locks against other profiles. The kernel releases them at the end of the process.
    _locks: Vec<UnixListener>,
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what {} sends, {}", self.names.join(" and "), self.rate)
    }
}

impl Devices {
    /// Opens devices that each send at `rate` and have no foreign configuration. A device that a
    /// killed run left limited is restored, and `on_restored` is called with its name.
    ///
    /// # Errors
    ///
    /// Returns an error without the capability `CAP_NET_ADMIN`, if another profile limits a device,
    /// or if a device is missing or has a foreign configuration.
    pub fn open(
        mut names: Vec<String>,
        rate: BitRate,
        on_restored: &mut dyn FnMut(&str),
    ) -> Result<Self, RunnerError> {
        let own = capabilities(None).context("capabilities of this process")?;
        if !own.effective.contains(CapabilitySet::NET_ADMIN) {
            let why = "devices can't be limited without root, or the capability CAP_NET_ADMIN";
            return Err(anyhow!(why).into());
        }
        names.sort();
        names.dedup();
        let (mut devices, mut locks) = (Vec::new(), Vec::new());
        for name in &names {
            locks.push(lock(name)?);
            let opened = Throttled::open(name, Namespaces::default());
            let (mut device, was_left) = opened.map_err(Error::from)?;
            if was_left {
                device.restore().map_err(Error::from)?;
                on_restored(name);
            }
            devices.push(device);
        }
        Ok(Devices { rate, names, devices, _locks: locks })
    }

    fn part(&self, share: Share) -> BitRate {
        BitRate::from_bps((self.rate.as_bps() as f64 * share.get()).round() as u64)
    }

    /// Checks that the devices can be limited to these shares. Changes nothing.
    pub(crate) fn check(&self, shares: &[Share]) -> Result<(), Unfit> {
        for &share in shares {
            if let Err(unfit) = throttle(self.part(share)) {
                let allowed = "shares with which a device sends 1 Mbps or more";
                return Err(Unfit::new(format!("{share} is {unfit}"), allowed));
            }
        }
        Ok(())
    }

    /// Limits each device to a share of its rate.
    pub(crate) fn limit(&mut self, share: Share) -> Result<()> {
        let rate = self.part(share);
        Ok(self.devices.iter_mut().try_for_each(|device| device.limit(rate))?)
    }

    /// Restores all devices, even if one of them fails.
    pub(crate) fn restore(&mut self) -> Result<()> {
        let restored: Vec<_> = self.devices.iter_mut().map(Throttled::restore).collect();
        Ok(restored.into_iter().collect::<Result<(), _>>()?)
    }
}

/// Locks a device of this network namespace. Abstract socket names belong to the namespace, as
/// devices do.
fn lock(device: &str) -> Result<UnixListener> {
    let name = format!("bandwise saba profile {device}");
    let address = SocketAddr::from_abstract_name(name).context(device.to_owned())?;
    UnixListener::bind_addr(&address).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("{device} is being limited by another `saba profile`"),
        _ => Error::from(error).context(device.to_owned()),
    })
}
