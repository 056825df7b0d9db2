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
    /// How deep a core sleeps that waits for an interrupt, and what waking it takes besides.
    pub idle_states: Vec<IdleState>,
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

/// An idle state of a core (ACPI: a C-state). A core that sleeps is in the last of its host's states
/// whose `after` has passed: the operating system chooses by how long it expects the sleep to be, and
/// is right here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleState {
    /// The shortest sleep for which it is entered (target residency).
    pub after: Time,
    /// From the interrupt to the first instruction (exit latency).
    pub exit: Time,
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
    ///
    /// From data sheets where there is one. The stages of the host can't be told apart by the
    /// paper's figures, which see their sums: their order of size is that of published PCIe
    /// measurements, and the sums are fitted by hand so that figure 6's four medians miss by about
    /// the same (15%). papers/rperf/README.md says what was fitted to what.
    pub fn connectx4_56g() -> Self {
        DeviceModel {
            // Figure 6: some tens of ns for what takes some tens of instructions.
            cpu_wqe: Time::from_ns(50),
            cpu_inline: Time::from_ns(10),
            cpu_completion: Time::from_ns(20),
            // Figure 4: back to back, RPerf's tail is a polling period above its median.
            cpu_poll: Time::from_ns(10),
            // Interrupt, scheduler and wake-up of a sleeping thread; no figure depends on it.
            interrupt: Time::from_us(4),
            // The paper's programs poll.
            idle_states: Vec::new(),
            // Figure 6: perftest's tail is 1.9 us above its median at 64 B. Linux ticks 250 times
            // a second; with other interrupts this is twice that.
            os_tick: Some(OsTick { period: Time::from_ms(2), steal: Time::from_ns(3_100) }),
            // Figure 6.
            mmio: Time::from_ns(80),
            // Two 64-byte write-combining stores in a row; with the loopback's rate, figure 4.
            doorbell_gap: Time::from_ns(10),
            // Figure 6; direct measurements of DMA reads on such hosts give 0.4 to 0.6 us.
            dma_read: Time::from_ns(450),
            dma_write: Time::from_ns(280),
            // Figure 6: what qperf's WRITE takes beyond everything else.
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
            // As the switch's: no figure depends on more.
            tx_buffer: Bytes::from_kib(32),
            rx_buffer: Bytes::from_kib(32),
            mtu: Mtu::MAX,
            // What the mlx5 driver allows on a reliable connection by default.
            inline_max: Bytes::new(236),
            congestion_control: None,
        }
    }

    /// ConnectX-3 at FDR, the older card: 35 million messages a second (data sheet), a longer
    /// pipeline, the same PCIe 3.0 x8. Its pipeline and its rate a queue pair are the newer card's
    /// scaled by a third, until measurements of it are held against the model.
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
