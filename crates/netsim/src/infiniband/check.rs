//! [`ModelsError`]: reasons for which models do not fit a fabric, and the ranges of their numbers.

use super::host::{DeviceModel, IdleState, OsTick};
use super::models::{Models, PortQos};
use super::switch::SwitchModel;
use crate::base::range::{OutOfRange, within};
use bandwise_rdma::qos::VlArbError;
use bandwise_rdma::wire::{BLOCK, Mtu, PacketKind, Segment, blocks, packet_bytes};
use bandwise_topology::{Fabric, FabricError, NodeId, Port, infiniband};
use bandwise_units::{BitRate, Bytes, Time};
use std::ops::RangeInclusive;

/// Times of one stage of a message.
pub const STAGES: RangeInclusive<Time> = Time::ZERO..=Time::from_ms(1_000);
/// Periods of the operating system's interruptions.
pub const TICKS: RangeInclusive<Time> = Time::from_ns(1)..=Time::from_ms(1_000);
/// Rates of PCIe and of the loopback.
pub const RATES: RangeInclusive<BitRate> =
    BitRate::from_bps(10_000_000)..=BitRate::from_gbps(100_000);
/// Maximum payload sizes of PCIe.
pub const PCIE_PAYLOADS: RangeInclusive<Bytes> = Bytes::new(64)..=Bytes::from_kib(4);
/// Bytes around a payload of PCIe.
pub const PCIE_OVERHEADS: RangeInclusive<Bytes> = Bytes::ZERO..=Bytes::from_kib(4);
/// Largest inline payloads.
pub const INLINE: RangeInclusive<Bytes> = Bytes::ZERO..=Bytes::from_kib(4);
/// Sizes of a host's buffer for payload that waits to be sent, per lane.
pub const TX_BUFFERS: RangeInclusive<Bytes> = Bytes::ZERO..=Bytes::from_kib(1 << 20);

/// Returns the sizes of a lane's buffer behind a link. The buffer holds a packet of the MTU with
/// all headers, or the receiver would never send a credit. A port counts 2^16 - 1 credits.
pub fn lane_buffers(mtu: Mtu) -> RangeInclusive<Bytes> {
    let largest = blocks(packet_bytes(PacketKind::WriteImm, Segment::only(mtu.get())));
    let of_blocks = |count: u64| Bytes::new(count * u64::from(BLOCK));
    of_blocks(largest.into())..=of_blocks(u16::MAX.into())
}

/// Reason for which models do not fit a fabric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// A number is out of its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// A node has more ports than InfiniBand allows.
    #[error("{0} (allowed: {allowed})", allowed = .0.allowed())]
    Ports(FabricError),
    /// An arbitration table is unusable.
    #[error(transparent)]
    VlArb(#[from] VlArbError),
    /// The operating system's interruptions leave programs no time.
    #[error("a tick that takes {steal} of each {period} leaves programs no time")]
    Tick {
        /// Length of an interruption.
        steal: Time,
        /// Time between interruptions.
        period: Time,
    },
    /// An idle state is not entered later than the one before it, or is left as fast.
    #[error(
        "an idle state must be entered later than the one before it, and take longer to leave \
         (allowed: after more than {}, exit over {})",
        .0.after, .0.exit
    )]
    IdleStates(IdleState),
    /// A model belongs to a node that does not exist or is of the other kind.
    #[error("there is no {} of number {}", if *is_switch { "switch" } else { "host" }, .node.0)]
    NoSuchNode {
        /// The node.
        node: NodeId,
        /// True for the model of a switch.
        is_switch: bool,
    },
    /// Tables belong to a port that does not exist.
    #[error("tables of {0}, which does not exist")]
    NoSuchPort(String),
}

impl Models {
    /// Checks that a [`Simulation`](super::Simulation) of this fabric can run.
    ///
    /// # Errors
    ///
    /// Returns the first reason for which it can't.
    pub fn check(&self, fabric: &Fabric) -> Result<(), ModelsError> {
        infiniband::check_ports(fabric).map_err(ModelsError::Ports)?;
        let devices = || std::iter::once(&self.device).chain(self.devices.values());
        devices().try_for_each(DeviceModel::check)?;
        let mtu = devices().map(|device| device.mtu).max().unwrap_or(self.device.mtu);
        self.switch.check(mtu)?;
        self.switches.values().try_for_each(|switch| switch.check(mtu))?;
        for (&node, is_switch) in self
            .switches
            .keys()
            .map(|node| (node, true))
            .chain(self.devices.keys().map(|node| (node, false)))
        {
            if node.index() >= fabric.nodes().len() || fabric.is_switch(node) != is_switch {
                return Err(ModelsError::NoSuchNode { node, is_switch });
            }
        }
        self.qos.vlarb.validate()?;
        for of_port in &self.qos.ports {
            of_port.vlarb.as_ref().map_or(Ok(()), |table| table.validate())?;
            of_port.check(fabric)?;
        }
        Ok(())
    }
}

impl SwitchModel {
    fn check(&self, mtu: Mtu) -> Result<(), ModelsError> {
        within("latency", self.latency, STAGES, "")?;
        within("credit-delay", self.credit_delay, STAGES, "")?;
        within("buffer", self.buffer, lane_buffers(mtu), "")?;
        if let Some(hiccup) = self.hiccup {
            within("one-in", hiccup.one_in, 1..=u32::MAX, "")?;
            within("up-to", hiccup.up_to, STAGES, "")?;
        }
        Ok(())
    }
}

impl DeviceModel {
    fn check(&self) -> Result<(), ModelsError> {
        for (name, stage) in [
            ("cpu-wqe", self.cpu_wqe),
            ("cpu-inline", self.cpu_inline),
            ("cpu-completion", self.cpu_completion),
            ("cpu-poll", self.cpu_poll),
            ("interrupt", self.interrupt),
            ("mmio", self.mmio),
            ("doorbell-gap", self.doorbell_gap),
            ("dma-read", self.dma_read),
            ("dma-write", self.dma_write),
            ("dma-flush", self.dma_flush),
            ("tx", self.tx),
            ("rx", self.rx),
            ("issue-gap", self.issue_gap),
            ("qp-gap", self.qp_gap),
        ] {
            within(name, stage, STAGES, "")?;
        }
        within("pcie-rate", self.pcie_rate, RATES, "")?;
        within("loopback-rate", self.loopback_rate, RATES, "")?;
        within("pcie-payload", self.pcie_payload, PCIE_PAYLOADS, "")?;
        within("pcie-overhead", self.pcie_overhead, PCIE_OVERHEADS, "")?;
        within("inline-max", self.inline_max, INLINE, "")?;
        within("tx-buffer", self.tx_buffer, TX_BUFFERS, "")?;
        within("rx-buffer", self.rx_buffer, lane_buffers(self.mtu), "")?;
        if let Some(tick @ OsTick { period, steal }) = self.os_tick {
            within("period", period, TICKS, "")?;
            if !tick.leaves_time() {
                return Err(ModelsError::Tick { steal, period });
            }
        }
        for state in &self.idle_states {
            within("after", state.after, STAGES, "")?;
            within("exit", state.exit, STAGES, "")?;
        }
        let pairs = self.idle_states.iter().zip(self.idle_states.iter().skip(1));
        match pairs.into_iter().find(|(lighter, state)| !state.is_deeper_than(lighter)) {
            Some((before, _)) => Err(ModelsError::IdleStates(*before)),
            None => Ok(()),
        }
    }
}

impl PortQos {
    fn check(&self, fabric: &Fabric) -> Result<(), ModelsError> {
        let node = self.node;
        if node.index() >= fabric.nodes().len() {
            return Err(ModelsError::NoSuchPort(format!("node {}", node.0)));
        }
        for number in self.input.into_iter().chain(self.output) {
            if !(1..=fabric.port_count(node)).contains(&number) {
                let port = fabric.describe(Port { node, number });
                return Err(ModelsError::NoSuchPort(port));
            }
        }
        Ok(())
    }
}
