//! What a host is made of, in numbers: one commented table a device, which every figure shares.

use bandwise_rdma::cc::SourceSettings;
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};

/// A host with its RNIC: the times and sizes of every stage that a message passes.
///
/// The stages follow the execution sequences of the RPerf paper's figure 1: the program posts by
/// MMIO, the RNIC reads the WQE and the payload by DMA, sends, the remote RNIC answers before
/// (SEND) or after (WRITE) its DMA write, and a CQE is written by DMA and found by polling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceModel {
    /// CPU time to build one WQE.
    pub cpu_wqe: Time,
    /// CPU time to copy each 64 bytes of inline payload into the WQE.
    pub cpu_inline: Time,
    /// CPU time to handle one completion, reading the clock included.
    pub cpu_completion: Time,
    /// How often a polling program looks at its completion queue.
    pub cpu_poll: Time,
    /// From a completion in memory to a program that sleeps for it: interrupt and wake-up.
    pub interrupt: Time,
    /// What the operating system takes from every core.
    pub os_tick: Option<OsTick>,
    /// From the CPU's doorbell write to the RNIC seeing it.
    pub mmio: Time,
    /// Between two doorbell writes of one program.
    pub doorbell_gap: Time,
    /// A DMA read of nothing: request to completion.
    pub dma_read: Time,
    /// A DMA write of nothing: until the CPU can see it.
    pub dma_write: Time,
    /// What a WRITE adds before its acknowledgement: the RNIC makes sure the data is placed.
    pub dma_flush: Time,
    /// PCIe transaction-layer rate, each direction.
    pub pcie_rate: BitRate,
    /// PCIe maximum payload size.
    pub pcie_payload: Bytes,
    /// PCIe bytes around each payload: header, framing, CRC.
    pub pcie_overhead: Bytes,
    /// RNIC pipeline from payload at hand to the port.
    pub tx: Time,
    /// RNIC pipeline from the last bit in to acting on the packet.
    pub rx: Time,
    /// Least time between packets that the RNIC starts on, over all queue pairs.
    pub issue_gap: Time,
    /// Least time between messages of one queue pair.
    pub qp_gap: Time,
    /// Rate of the path from a host to itself through its own RNIC.
    pub loopback_rate: BitRate,
    /// Payload fetched and not yet sent, a lane.
    pub tx_buffer: Bytes,
    /// Receive buffer, a lane: what the port advertises as credits.
    pub rx_buffer: Bytes,
    /// Path MTU.
    pub mtu: Mtu,
    /// Largest inline payload.
    pub inline_max: Bytes,
    /// How flows react to BECN (IBTA A10); off by default.
    pub congestion_control: Option<SourceSettings>,
}

/// What the operating system takes from a core, its timer tick and other interrupts taken as one:
/// every `period`, the core is away for `steal`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OsTick {
    /// Between ticks.
    pub period: Time,
    /// Length of one.
    pub steal: Time,
}

/// Names of the presets, for messages.
pub const PRESETS: &[&str] = &["connectx4-56g", "connectx3-fdr"];

impl DeviceModel {
    /// A preset by name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "connectx4-56g" => Some(Self::connectx4_56g()),
            "connectx3-fdr" => Some(Self::connectx3_fdr()),
            _ => None,
        }
    }

    /// The RPerf paper's hosts: ConnectX-4 at 56 Gbps in PCIe 3.0 x8, Xeon E5-2630 v4.
    pub fn connectx4_56g() -> Self {
        DeviceModel {
            cpu_wqe: Time::from_ns(50),
            cpu_inline: Time::from_ns(10),
            cpu_completion: Time::from_ns(20),
            cpu_poll: Time::from_ns(10),
            interrupt: Time::from_us(4),
            os_tick: Some(OsTick { period: Time::from_ms(2), steal: Time::from_ns(3_100) }),
            mmio: Time::from_ns(80),
            doorbell_gap: Time::from_ns(10),
            dma_read: Time::from_ns(450),
            dma_write: Time::from_ns(280),
            dma_flush: Time::from_ns(1_220),
            pcie_rate: BitRate::from_bps(61_000_000_000),
            pcie_payload: Bytes::new(256),
            pcie_overhead: Bytes::new(24),
            tx: Time::from_ns(120),
            rx: Time::from_ns(120),
            issue_gap: Time::from_ps(6_667),
            qp_gap: Time::from_ns(135),
            loopback_rate: BitRate::from_bps(56_250_000_000),
            tx_buffer: Bytes::from_kib(32),
            rx_buffer: Bytes::from_kib(32),
            mtu: Mtu::MAX,
            inline_max: Bytes::new(236),
            congestion_control: None,
        }
    }

    /// ConnectX-3 at FDR, the isolation study's older card: half the message rate, a longer
    /// pipeline, the same PCIe 3.0 x8.
    pub fn connectx3_fdr() -> Self {
        DeviceModel {
            tx: Time::from_ns(160),
            rx: Time::from_ns(160),
            issue_gap: Time::from_ps(28_571),
            qp_gap: Time::from_ns(190),
            ..Self::connectx4_56g()
        }
    }
}
