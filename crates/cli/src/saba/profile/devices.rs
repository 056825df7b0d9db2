//! [`Devices`]: what this host's own devices send, limited for a while.

use crate::failure::Failure;
use crate::output::note;
use anyhow::{Context, Result, anyhow};
use bandwise_enforce::htb::throttle;
use bandwise_enforce::tc::{Namespaces, Throttled};
use bandwise_saba::Share;
use bandwise_units::BitRate;
use rustix::thread::{CapabilitySet, capabilities};
use std::fmt;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Devices of this host, and what each carries.
#[derive(Debug)]
pub(super) struct Devices {
    rate: BitRate,
    names: Vec<String>,
    devices: Vec<Throttled>,
    /// That nobody else limits them meanwhile. The kernel lets go of it, however this program ends.
    _locks: Vec<UnixListener>,
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what {} sends, {}", self.names.join(" and "), self.rate)
    }
}

impl Devices {
    /// Devices that nobody else has configured, each of which sends so much. One that was left limited, by who was
    /// killed, is put back.
    pub fn open(mut names: Vec<String>, rate: BitRate) -> Result<Self, Failure> {
        let may = capabilities(None).context("capabilities of this process")?;
        if !may.effective.contains(CapabilitySet::NET_ADMIN) {
            let why = "devices can't be limited without root, or the capability CAP_NET_ADMIN";
            return Err(anyhow!(why).into());
        }
        names.sort();
        names.dedup();
        let (mut devices, mut locks) = (Vec::new(), Vec::new());
        for name in &names {
            locks.push(lock(name)?);
            let opened = Throttled::open(name, Namespaces::default());
            let (mut device, was_left) = opened.map_err(anyhow::Error::from)?;
            if was_left {
                device.restore().map_err(anyhow::Error::from)?;
                note(format_args!(
                    "{name} was left limited by a run that was killed; it is put back"
                ));
            }
            devices.push(device);
        }
        Ok(Devices { rate, names, devices, _locks: locks })
    }

    fn part(&self, share: Share) -> BitRate {
        BitRate::from_bps((self.rate.as_bps() as f64 * share.get()).round() as u64)
    }

    /// Refuses shares that a device can't be limited to. Changes nothing.
    pub fn check(&self, shares: &[Share]) -> Result<(), Failure> {
        for &share in shares {
            if let Err(unfit) = throttle(self.part(share)) {
                let allowed = "shares with which a device sends 1 Mbps or more";
                return Err(Failure::usage(format!("--at: {share} is {unfit}"), allowed));
            }
        }
        Ok(())
    }

    /// Limits what all send to a share of it.
    pub fn limit(&mut self, share: Share) -> Result<()> {
        let rate = self.part(share);
        Ok(self.devices.iter_mut().try_for_each(|device| device.limit(rate))?)
    }

    /// All as they were, also those behind one that can't be.
    pub fn restore(&mut self) -> Result<()> {
        let restored: Vec<_> = self.devices.iter_mut().map(Throttled::restore).collect();
        Ok(restored.into_iter().collect::<Result<(), _>>()?)
    }
}

/// Nobody else has it in this network namespace, whose own these names are.
fn lock(device: &str) -> Result<UnixListener> {
    let name = format!("bandwise saba profile {device}");
    let address = SocketAddr::from_abstract_name(name).context(device.to_owned())?;
    UnixListener::bind_addr(&address).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("{device} is being limited by another `saba profile`"),
        _ => anyhow::Error::from(error).context(device.to_owned()),
    })
}
