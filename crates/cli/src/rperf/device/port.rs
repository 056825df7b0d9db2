//! Flags of device and port, which server and client share.

use crate::failure::Failure;
use crate::values::number;
use bandwise_verbs::ibverbs::{Chosen, Wanted, devices};

/// The flags that select a port.
#[derive(Debug, clap::Args)]
pub(crate) struct Port {
    /// RDMA device, as `bandwise devices` lists it [default: the only one]
    #[arg(short = 'd', long, value_name = "NAME")]
    device: Option<String>,
    /// Port of the device [default: the first active one]
    #[arg(short = 'i', long, value_name = "N", value_parser = number(1..=255))]
    ib_port: Option<u64>,
    /// Index of the GID [default: on Ethernet, the first of RoCE v2 over IPv4]
    #[arg(short = 'x', long, value_name = "N", value_parser = number(0..=255))]
    gid_index: Option<u64>,
}

impl Port {
    /// Returns the selected port.
    pub(crate) fn resolve(&self) -> Result<Chosen, Failure> {
        let wanted = Wanted {
            device: self.device.clone(),
            port: self.ib_port.map(|port| port as u8),
            gid: self.gid_index.map(|index| index as u32),
        };
        let devices = devices().map_err(anyhow::Error::from)?;
        wanted.choose(&devices).map_err(|error| Failure::usage(error.message, error.allowed))
    }
}
