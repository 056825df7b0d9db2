//! [`DeviceModel`]: the parameters of a host. `presets.rs` has their values for each device.

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
    /// The preset from which the model comes.
    pub preset: &'static str,
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
