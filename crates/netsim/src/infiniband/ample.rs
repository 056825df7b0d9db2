//! [`Models::ample`]: hosts and switches with enough buffers and PCIe bandwidth for links of any
//! rate.

use crate::infiniband::host::DeviceModel;
use crate::infiniband::models::{Models, Qos};
use crate::infiniband::switch::{Queueing, SwitchModel};
use bandwise_topology::Fabric;
use bandwise_units::{BitRate, Bytes, Time};

/// A rate for which the buffers of the models are known to be large enough (RPerf VIII-B).
const KNOWN_RATE: BitRate = BitRate::from_gbps(56);

/// Rate of a host's PCIe relative to its link, so that PCIe limits no job; a flow-level simulation
/// has no PCIe limit either. A payload of 256 bytes has 24 bytes of overhead on PCIe, one of 4096
/// has 32 on a link.
const PCIE_BEYOND: f64 = 1.25;

impl Models {
    /// Returns models in which only the links limit what hosts send. Buffers cover the same time at
    /// the fabric's rates and cable lengths as the known ones do, and PCIe is faster than the link.
    /// Lanes have queues at outputs (Saba 4.5.2). No packet is marked.
    pub fn ample(fabric: &Fabric, qos: Qos) -> Models {
        // Time that a buffer of 32 KiB covers at the known rate, plus the cable's round trip.
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
        let known = SwitchModel::default();
        let switch = SwitchModel { buffer: buffer(known.buffer), queueing: Queueing::Voq, ..known };
        let device = DeviceModel {
            pcie_rate: BitRate::from_bps(pcie as u64),
            tx_buffer: buffer(preset.tx_buffer),
            rx_buffer: buffer(preset.rx_buffer),
            ..preset
        };
        Models::alike(switch, device, qos)
    }
}
