//! [`DevicePreset`]: the known hosts, one commented table per device, shared by all figures.

use super::device::{DeviceModel, OsTick};
use crate::infiniband::lane_buffer;
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};

/// A host with its adapter, by name.
#[derive(Debug, Clone, Copy)]
pub struct DevicePreset {
    /// The name in files.
    pub name: &'static str,
    /// The adapter and its slot, for output.
    pub title: &'static str,
    /// The rate of the fastest link of the adapter, line coding included.
    pub link: BitRate,
    /// The PCI device IDs of the adapter, as Linux' mlx4 and mlx5 drivers list them.
    ids: &'static [u16],
    model: fn() -> DeviceModel,
}

impl DevicePreset {
    /// All presets, the slowest first.
    pub const ALL: [DevicePreset; 6] = [
        DevicePreset {
            name: "connectx3-fdr",
            title: "ConnectX-3 in PCIe 3.0 x8",
            link: FDR,
            ids: &[0x1003, 0x1007],
            model: DeviceModel::connectx3_fdr,
        },
        DevicePreset {
            name: "connectx4-56g",
            title: "ConnectX-4 at up to 56 Gbps in PCIe 3.0 x8",
            link: FDR,
            ids: &[0x1013],
            model: DeviceModel::connectx4_56g,
        },
        DevicePreset {
            name: "connectx5-edr",
            title: "ConnectX-5 in PCIe 3.0 x16",
            link: BitRate::from_gbps(100),
            ids: &[0x1017],
            model: DeviceModel::connectx5_edr,
        },
        DevicePreset {
            name: "connectx6-hdr",
            title: "ConnectX-6 in PCIe 4.0 x16",
            link: BitRate::from_gbps(200),
            ids: &[0x101b, BLUEFIELD_2],
            model: DeviceModel::connectx6_hdr,
        },
        DevicePreset {
            name: "connectx7-ndr",
            title: "ConnectX-7 in PCIe 5.0 x16",
            link: BitRate::from_gbps(400),
            ids: &[0x1021, BLUEFIELD_3],
            model: DeviceModel::connectx7_ndr,
        },
        DevicePreset {
            name: "connectx8-xdr",
            title: "ConnectX-8 in PCIe 6.0 x16",
            link: BitRate::from_gbps(800),
            ids: &[0x1023],
            model: DeviceModel::connectx8_xdr,
        },
    ];

    /// Returns the preset with a name.
    pub fn named(name: &str) -> Option<DevicePreset> {
        Self::ALL.into_iter().find(|preset| preset.name == name)
    }

    /// Returns the preset for a host with a link of this rate, and with this PCI device ID if a file
    /// states one: the adapter of that ID if it has such a link. Else it is the oldest adapter that
    /// has such a link, but not before the RPerf paper's. A link faster than all adapters has the
    /// last one, whose PCIe limits it.
    pub fn for_host(rate: BitRate, device: Option<u16>) -> DevicePreset {
        let has = |preset: &DevicePreset| device.is_some_and(|id| preset.ids.contains(&id));
        let named = Self::ALL.into_iter().find(has);
        if let Some(preset) = named.filter(|preset| rate <= preset.link) {
            return preset;
        }
        let [_, candidates @ ..] = Self::ALL;
        let last = candidates[candidates.len() - 1];
        candidates.into_iter().find(|preset| rate <= preset.link).unwrap_or(last)
    }

    /// Returns the model on the fastest link of the adapter.
    pub fn model(self) -> DeviceModel {
        (self.model)()
    }

    /// Returns the model on a link of this data rate and delay. On a slower link than the adapter's
    /// fastest, the loopback is assumed to be as fast as the link. The data rate of FDR is 64/66 of
    /// 56.25 Gbps, so a link is slower if it has less than 96% of the adapter's rate. The receive
    /// buffer is doubled until it covers the return of a credit, as a switch's is.
    pub fn model_on(self, link: BitRate, delay: Time) -> DeviceModel {
        let model = self.model();
        let is_slower = link.as_bps() / 96 < self.link.as_bps() / 100;
        let loopback = if is_slower { model.loopback_rate.min(link) } else { model.loopback_rate };
        let latency = model.receive_time(model.mtu.get());
        let rx_buffer = lane_buffer::covering([(link, delay)], latency, model.rx_buffer);
        DeviceModel { loopback_rate: loopback, rx_buffer, ..model }
    }
}

/// A BlueField-2, which integrates a ConnectX-6 Dx.
const BLUEFIELD_2: u16 = 0xa2d6;

/// A BlueField-3, which integrates a ConnectX-7.
const BLUEFIELD_3: u16 = 0xa2dc;

/// FDR with its coding of 64b/66b: 56.25 Gbps.
const FDR: BitRate = BitRate::from_bps(56_250_000_000);

impl DeviceModel {
    /// Returns whether the model has other values than its preset, beside a slower loopback, a larger
    /// receive buffer and congestion control.
    pub fn is_changed(&self) -> bool {
        let preset = self.of_preset().model();
        let loopback_rate = self.loopback_rate.min(preset.loopback_rate);
        let rx_buffer = self.rx_buffer.max(preset.rx_buffer);
        let congestion_control = self.congestion_control.clone();
        *self != DeviceModel { loopback_rate, rx_buffer, congestion_control, ..preset }
    }

    /// Returns the time of a packet with this payload in the receive buffer: until PCIe has taken it.
    pub fn receive_time(&self, payload: u32) -> Time {
        self.rx + self.pcie_goodput().time_for(Bytes::new(payload.into()))
    }

    /// Returns the preset from which the model comes.
    pub fn of_preset(&self) -> DevicePreset {
        DevicePreset::named(self.preset).expect("models come from presets")
    }

    /// Returns the usual size of a bulk flow's send buffer: as much as the preset's RNIC holds.
    pub fn bulk_buffer(&self) -> Bytes {
        self.of_preset().model().tx_buffer
    }

    /// Returns the payload rate of PCIe: the transaction-layer rate without the bytes around
    /// payloads.
    pub fn pcie_goodput(&self) -> BitRate {
        let (payload, overhead) = (self.pcie_payload.get(), self.pcie_overhead.get());
        let bps = u128::from(self.pcie_rate.as_bps()) * u128::from(payload);
        BitRate::from_bps((bps / u128::from(payload + overhead)) as u64)
    }

    /// Returns the RPerf paper's hosts: ConnectX-4 at 56 Gbps in PCIe 3.0 x8, Xeon E5-2630 v4.
    ///
    /// Values come from data sheets where there are some. The paper's figures show only sums of the
    /// host's stages. The stages' relative sizes follow published PCIe measurements; the sums are
    /// fitted by hand, so that the four medians of figure 6 miss by about the same (15%).
    /// papers/rperf/README.md lists what is fitted to what.
    pub fn connectx4_56g() -> Self {
        DeviceModel {
            preset: "connectx4-56g",
            // Figure 6: some tens of ns for some tens of instructions.
            cpu_wqe: Time::from_ns(50),
            cpu_inline: Time::from_ns(10),
            cpu_completion: Time::from_ns(20),
            // Figure 4: back to back, RPerf's tail is one polling period above its median.
            cpu_poll: Time::from_ns(10),
            // Interrupt, scheduler and wake-up of a sleeping thread; no figure depends on it.
            interrupt: Time::from_us(4),
            // The paper's programs poll.
            idle_states: Vec::new(),
            // Figure 6: perftest's tail is 1.9 us above its median at 64 B. Linux ticks 250 times a
            // second; this is twice that, to include other interrupts.
            os_tick: Some(OsTick { period: Time::from_ms(2), steal: Time::from_ns(3_100) }),
            // Figure 6.
            mmio: Time::from_ns(80),
            // Two consecutive 64-byte write-combining stores; with the loopback's rate, figure 4.
            doorbell_gap: Time::from_ns(10),
            // Figure 6; direct measurements of DMA reads on such hosts give 0.4 to 0.6 us.
            dma_read: Time::from_ns(450),
            dma_write: Time::from_ns(280),
            // Figure 6: the part of qperf's WRITE latency that nothing else explains.
            dma_flush: Time::from_ns(1_220),
            // 8 GT/s x 8 lanes x 128/130, less 3% for link-layer packets; 24 bytes of framing,
            // header and CRC around payloads of 256 (PCI Express 3.0).
            pcie_rate: BitRate::from_bps(61_000_000_000),
            pcie_payload: Bytes::new(256),
            pcie_overhead: Bytes::new(24),
            // Figure 6.
            tx: Time::from_ns(120),
            rx: Time::from_ns(120),
            // Data sheet: 150 million messages a second.
            issue_gap: Time::from_ps(6_667),
            // Figures 5 and 9: 7.1 to 8.0 million messages a second; 130 ns fill the link at 128 B.
            qp_gap: Time::from_ns(135),
            // The port before 64b/66b coding: 14.0625 Gbaud x 4.
            loopback_rate: BitRate::from_bps(56_250_000_000),
            // Same as the switch's: no figure depends on more.
            tx_buffer: Bytes::from_kib(32),
            rx_buffer: Bytes::from_kib(32),
            mtu: Mtu::MAX,
            // Default of the mlx5 driver on a reliable connection.
            inline_max: Bytes::new(236),
            congestion_control: None,
        }
    }

    /// Returns hosts with a ConnectX-3 at FDR, the older card: 35 million messages a second (data
    /// sheet), a longer pipeline, the same PCIe 3.0 x8. Its pipeline and its rate per queue pair
    /// are the newer card's scaled by a third, pending a comparison with measurements.
    pub fn connectx3_fdr() -> Self {
        DeviceModel {
            preset: "connectx3-fdr",
            tx: Time::from_ns(160),
            rx: Time::from_ns(160),
            issue_gap: Time::from_ps(28_571),
            qp_gap: Time::from_ns(190),
            ..Self::connectx4_56g()
        }
    }

    /// Returns hosts with a ConnectX-5 at EDR or 100 Gbps Ethernet.
    ///
    /// Newer hosts differ from [`connectx4_56g`](Self::connectx4_56g) by their data sheets. The
    /// stages of CPU and pipeline are the older host's, since no measurement of them is published
    /// in parts. A doorbell follows another one as soon as PCIe has passed it: 64 B, and 24 B around
    /// them. The loopback is assumed to be as fast as the link, and buffers hold as much time of the
    /// link as the older host's.
    pub fn connectx5_edr() -> Self {
        DeviceModel {
            preset: "connectx5-edr",
            // 8 GT/s x 16 lanes x 128/130 (PCI Express 3.0).
            pcie_rate: BitRate::from_bps(126_030_000_000),
            doorbell_gap: Time::from_ps(5_586),
            // Product brief of ConnectX-5: 200 million messages a second.
            issue_gap: Time::from_ps(5_000),
            loopback_rate: BitRate::from_gbps(100),
            tx_buffer: Bytes::from_kib(64),
            rx_buffer: Bytes::from_kib(64),
            ..Self::connectx4_56g()
        }
    }

    /// Returns hosts with a ConnectX-6 at HDR or 200 Gbps Ethernet. The rest is as for
    /// [`connectx5_edr`](Self::connectx5_edr).
    pub fn connectx6_hdr() -> Self {
        DeviceModel {
            preset: "connectx6-hdr",
            // 16 GT/s x 16 lanes x 128/130 (PCI Express 4.0).
            pcie_rate: BitRate::from_bps(252_060_000_000),
            doorbell_gap: Time::from_ps(2_793),
            // Product brief of ConnectX-6: 215 million messages a second.
            issue_gap: Time::from_ps(4_651),
            loopback_rate: BitRate::from_gbps(200),
            tx_buffer: Bytes::from_kib(128),
            rx_buffer: Bytes::from_kib(128),
            ..Self::connectx5_edr()
        }
    }

    /// Returns hosts with a ConnectX-7 at NDR or 400 Gbps Ethernet. The rest is as for
    /// [`connectx5_edr`](Self::connectx5_edr).
    pub fn connectx7_ndr() -> Self {
        DeviceModel {
            preset: "connectx7-ndr",
            // 32 GT/s x 16 lanes x 128/130 (PCI Express 5.0).
            pcie_rate: BitRate::from_bps(504_120_000_000),
            doorbell_gap: Time::from_ps(1_396),
            // Product brief of ConnectX-7: 330 to 370 million messages a second.
            issue_gap: Time::from_ps(3_030),
            loopback_rate: BitRate::from_gbps(400),
            tx_buffer: Bytes::from_kib(256),
            rx_buffer: Bytes::from_kib(256),
            ..Self::connectx6_hdr()
        }
    }

    /// Returns hosts with a ConnectX-8 at XDR or 800 Gbps Ethernet. Its message rate is not
    /// published; this is ConnectX-7's. The rest is as for [`connectx5_edr`](Self::connectx5_edr).
    pub fn connectx8_xdr() -> Self {
        DeviceModel {
            preset: "connectx8-xdr",
            // 64 GT/s x 16 lanes, of which 242 of the 256 bytes of a flit carry packets (PCI
            // Express 6.0).
            pcie_rate: BitRate::from_gbps(968),
            doorbell_gap: Time::from_ps(727),
            loopback_rate: BitRate::from_gbps(800),
            tx_buffer: Bytes::from_kib(512),
            rx_buffer: Bytes::from_kib(512),
            ..Self::connectx7_ndr()
        }
    }
}
