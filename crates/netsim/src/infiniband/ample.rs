//! [`Models::ample`]: hosts and switches that let links of any rate share them as their tables say.

use crate::infiniband::host::DeviceModel;
use crate::infiniband::models::{Models, Qos};
use crate::infiniband::switch::{Queueing, SwitchModel};
use bandwise_topology::Fabric;
use bandwise_units::{BitRate, Bytes, Time};

/// A rate at which the buffers of the models are known to be large enough (RPerf VIII-B).
const KNOWN_RATE: BitRate = BitRate::from_gbps(56);

/// What a host's PCIe carries beyond its link: it does not limit jobs, as it does not with rates
/// alone. Payloads of 256 bytes have 24 of overhead there, those of 4096 have 32 on a link.
const PCIE_BEYOND: f64 = 1.25;

impl Models {
    /// A fabric whose links limit what its hosts send, and nothing else does: buffers that last as long at its
    /// rates and over its cables as those that are known, and a PCIe beyond the link. Lanes have their queues at
    /// outputs (Saba 4.5.2); nothing is marked.
    pub fn ample(fabric: &Fabric, qos: Qos) -> Models {
        // What a buffer of 32 KiB lasts at the known rate, and what a cable takes besides.
        let delay = fabric.links().iter().map(|link| link.delay).max().unwrap_or(Time::ZERO);
        let fastest = fabric.links().iter().map(|link| link.rate).max().unwrap_or(KNOWN_RATE);
        let buffer = |known: Bytes| {
            let lasts = KNOWN_RATE.time_for(known) + delay * 2;
            let bytes = fastest.max(KNOWN_RATE).as_bps() as f64 / 8.0 * lasts.as_s_f64();
            // Credits count blocks of 64 bytes in 16 bits.
            Bytes::new((bytes as u64).clamp(known.get(), u64::from(u16::MAX) * 64))
        };
        let preset = DeviceModel::connectx4_56g();
        let of_hosts = fabric.hosts().iter().filter_map(|&host| {
            Some(fabric.peer(fabric.host_port(host))?.1.rate.as_bps() as f64 * PCIE_BEYOND)
        });
        let pcie = of_hosts.fold(preset.pcie_rate.as_bps() as f64, f64::max);
        let known = SwitchModel::usual();
        Models {
            switch: SwitchModel { buffer: buffer(known.buffer), queueing: Queueing::Voq, ..known },
            device: DeviceModel {
                pcie_rate: BitRate::from_bps(pcie as u64),
                tx_buffer: buffer(preset.tx_buffer),
                rx_buffer: buffer(preset.rx_buffer),
                ..preset
            },
            qos,
        }
    }
}
