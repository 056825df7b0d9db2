//! Parameters of hosts: one commented table per device, shared by all figures.

use bandwise_rdma::ib_congestion::SourceSettings;
use bandwise_rdma::wire::Mtu;
use bandwise_units::{BitRate, Bytes, Time};

/// A host with its RNIC: times and sizes of every stage of a message.
///
/// The stages follow the execution sequences in figure 1 of the RPerf paper. The program posts by
/// MMIO; the RNIC reads the WQE and the payload by DMA and sends. The remote RNIC acknowledges
/// before (SEND) or after (WRITE) its DMA write. The RNIC writes a CQE by DMA, and polling finds
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceModel {
    /// CPU time to build one WQE.
    pub cpu_wqe: Time,
    /// CPU time to copy each 64 bytes of inline payload into the WQE.
    pub cpu_inline: Time,
    /// CPU time to handle one completion, reading the clock included.
    pub cpu_completion: Time,
    /// Period of a program's polling loop.
    pub cpu_poll: Time,
    /// Time from a completion in memory to a sleeping program: interrupt and wake-up.
    pub interrupt: Time,
    /// Idle states of a core that waits for an interrupt, with their exit latencies.
    pub idle_states: Vec<IdleState>,
    /// Interruptions of every core by the operating system.
    pub os_tick: Option<OsTick>,
    /// Time from the CPU's doorbell write until the RNIC sees it.
    pub mmio: Time,
    /// Time between two doorbell writes of one program.
    pub doorbell_gap: Time,
    /// Latency of a DMA read of zero bytes, from request to completion.
    pub dma_read: Time,
    /// Latency of a DMA write of zero bytes, until the CPU can see it.
    pub dma_write: Time,
    /// Extra latency of a WRITE before its acknowledgement: the RNIC ensures that the data is
    /// placed.
    pub dma_flush: Time,
    /// PCIe transaction-layer rate in each direction.
    pub pcie_rate: BitRate,
    /// PCIe maximum payload size.
    pub pcie_payload: Bytes,
    /// PCIe bytes around each payload: header, framing, CRC.
    pub pcie_overhead: Bytes,
    /// RNIC pipeline latency from available payload to the port.
    pub tx: Time,
    /// RNIC pipeline latency from the last bit received to acting on the packet.
    pub rx: Time,
    /// Smallest time between packets that the RNIC starts, over all queue pairs.
    pub issue_gap: Time,
    /// Smallest time between messages of one queue pair.
    pub qp_gap: Time,
    /// Rate of a host's path to itself through its own RNIC.
    pub loopback_rate: BitRate,
    /// Payload fetched and not yet sent, per lane.
    pub tx_buffer: Bytes,
    /// Receive buffer per lane, advertised as credits.
    pub rx_buffer: Bytes,
    /// Path MTU.
    pub mtu: Mtu,
    /// Largest inline payload.
    pub inline_max: Bytes,
    /// Reaction of flows to BECN (IBTA A10); off by default.
    pub congestion_control: Option<SourceSettings>,
}

/// Interruptions of a core by the operating system, timer tick and others combined: the core is
/// unavailable for `steal` in every `period`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OsTick {
    /// Time between interruptions.
    pub period: Time,
    /// Length of an interruption.
    pub steal: Time,
}

impl OsTick {
    /// Returns whether programs have time between interruptions.
    pub fn leaves_time(&self) -> bool {
        self.steal < self.period
    }
}

/// An idle state of a core (ACPI: a C-state). A sleeping core is in the last of its host's states
/// whose `after` has passed. The operating system chooses the state by the expected length of the
/// sleep; this model assumes that it expects correctly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleState {
    /// Shortest sleep for which the state is entered (target residency).
    pub after: Time,
    /// Time from the interrupt to the first instruction (exit latency).
    pub exit: Time,
}

impl IdleState {
    /// Returns whether this state is entered later than a lighter one and takes longer to leave.
    /// One of the two would be useless otherwise.
    pub fn is_deeper_than(&self, lighter: &IdleState) -> bool {
        self.after > lighter.after && self.exit > lighter.exit
    }
}

/// Names of the presets, for messages.
pub const PRESETS: &[&str] = &["connectx4-56g", "connectx3-fdr"];

impl DeviceModel {
    /// Returns a preset by name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "connectx4-56g" => Some(Self::connectx4_56g()),
            "connectx3-fdr" => Some(Self::connectx3_fdr()),
            _ => None,
        }
    }

    /// Returns the RPerf paper's hosts: ConnectX-4 at 56 Gbps in PCIe 3.0 x8, Xeon E5-2630 v4.
    ///
    /// Values come from data sheets where there are some. The paper's figures show only sums of the
    /// host's stages. The stages' relative sizes follow published PCIe measurements; the sums are
    /// fitted by hand, so that the four medians of figure 6 miss by about the same (15%).
    /// papers/rperf/README.md lists what is fitted to what.
    pub fn connectx4_56g() -> Self {
        DeviceModel {
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
            tx: Time::from_ns(160),
            rx: Time::from_ns(160),
            issue_gap: Time::from_ps(28_571),
            qp_gap: Time::from_ns(190),
            ..Self::connectx4_56g()
        }
    }
}
