//! A network: a fabric of Ethernet switches and hosts, and flows through it.

use super::capture::{Chosen, Sighting};
use super::classes::Classes;
use super::core::{Core, latency};
use super::features::{Classed, Lossy, Messages, Plain, Telemetered};
use super::flow::{Finished, Opened};
use super::host::HostModel;
use super::routing::Routing;
use super::switch::{Buffering, Pfc, PortCounters, SwitchModel};
use crate::engine::{APART, Executor, Sequential};
use bandwise_topology::{Fabric, Port};
use bandwise_units::{Bytes, Time};
use std::num::NonZeroUsize;

/// How the parts of a network behave.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkModel {
    /// Every switch.
    pub switch: SwitchModel,
    /// Ports of switches that have other thresholds, where inputs have buffers of their own.
    pub thresholds: Vec<(Port, Pfc)>,
    /// Every host.
    pub host: HostModel,
    /// Traffic classes of all.
    pub classes: Classes,
    /// Which of several equal paths packets take.
    pub routing: Routing,
}

impl NetworkModel {
    /// Whether a packet that has no room is lost, always, and nobody is told to stop.
    fn is_lossy(&self) -> bool {
        self.thresholds.is_empty()
            && matches!(&self.switch.buffering, Buffering::PerInput(inputs) if inputs.pfc.is_none())
    }
}

/// What a run counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that arrived at a host, acknowledgements included.
    pub packets_delivered: u64,
    /// Links crossed by packets, those that were dropped then included.
    pub packet_hops: u64,
    /// Packets dropped for want of room.
    pub packets_dropped: u64,
    /// Data packets sent again.
    pub packets_retransmitted: u64,
    /// Times that a sender heard nothing for too long.
    pub timeouts: u64,
    /// Packets marked (ECN).
    pub packets_marked: u64,
    /// Times that a port told its sender to stop.
    pub pauses: u64,
    /// For how long in all.
    pub paused: Time,
    /// The most that any buffer held: that of an input and class, or all of a switch's.
    pub peak_buffer: Bytes,
    /// Events handled.
    pub events: u64,
}

/// A path leads over more switches than a packet can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the path leads over more than {} switches", super::packet::MAX_SWITCHES)]
pub struct PathTooLong;

/// A network with flows, of the features that its model asks for.
#[derive(Debug)]
pub struct Network(Kind);

#[derive(Debug)]
enum Kind {
    Plain(Core<Plain>),
    Lossy(Core<Lossy>),
    Classed(Core<Classed>),
    Telemetered(Core<Telemetered>),
    Messages(Core<Messages>),
}

/// Calls a method of whichever network it is.
macro_rules! each {
    ($self:expr, $network:ident, $call:expr) => {
        match $self {
            Kind::Plain($network) => $call,
            Kind::Lossy($network) => $call,
            Kind::Classed($network) => $call,
            Kind::Telemetered($network) => $call,
            Kind::Messages($network) => $call,
        }
    };
}

impl Network {
    /// Builds it. Hosts are known by their rank among `fabric.hosts()`; `seed` decides which of
    /// several equal paths a flow takes.
    pub fn new(fabric: &Fabric, model: &NetworkModel, seed: u64) -> Self {
        Self::parted(fabric, model, seed, NonZeroUsize::MIN, APART)
    }

    /// The same in so many parts, which a executor of as many hands runs at the same time
    /// ([`Network::run_by`]), with links of at least `apart` between partitions. Both change only
    /// how long a run takes.
    pub fn parted(
        fabric: &Fabric,
        model: &NetworkModel,
        seed: u64,
        shards: NonZeroUsize,
        apart: Time,
    ) -> Self {
        Network(if let Some(homa) = &model.host.homa {
            assert!(homa.priorities.count() <= model.classes.count, "a class for each priority");
            Kind::Messages(Core::parted(fabric, model, seed, shards, apart))
        } else if model.host.congestion.algorithm.needs_telemetry() {
            Kind::Telemetered(Core::parted(fabric, model, seed, shards, apart))
        } else if model.classes.count > 1 {
            Kind::Classed(Core::parted(fabric, model, seed, shards, apart))
        } else if model.is_lossy() && fabric.links().iter().all(|link| latency(link) >= apart) {
            Kind::Lossy(Core::parted(fabric, model, seed, shards, apart))
        } else {
            Kind::Plain(Core::parted(fabric, model, seed, shards, apart))
        })
    }

    /// Takes a flow between two hosts, which must not start in the past.
    pub fn open(&mut self, flow: &Opened) -> Result<(), PathTooLong> {
        each!(&mut self.0, network, network.open(flow))
    }

    /// From now on, sees the packets of these ports and flows; flows that are opened already are not
    /// seen. Of Homa's control packets it sees those to senders alone.
    pub fn capture(&mut self, chosen: Chosen) {
        each!(&mut self.0, network, network.capture(chosen))
    }

    /// Sees nothing any more.
    pub fn end_capture(&mut self) {
        each!(&mut self.0, network, network.end_capture())
    }

    /// Hands out what was seen since the last time, in order, as far as nothing earlier can follow;
    /// with `ended` all of it.
    pub fn take_sightings(&mut self, ended: bool, take: impl FnMut(Sighting)) {
        each!(&mut self.0, network, network.take_sightings(ended, take))
    }

    /// Runs until simulated time `end`. False if nothing is due any more.
    pub fn run(&mut self, end: Time) -> bool {
        self.run_by(&Sequential, end)
    }

    /// The same, with a executor.
    pub fn run_by(&mut self, executor: &impl Executor, end: Time) -> bool {
        each!(&mut self.0, network, network.run_by(executor, end))
    }

    /// Hands out the flows that were completely received since the last time, by receiver and
    /// time.
    pub fn take_finished(&mut self, take: impl FnMut(Finished)) {
        each!(&mut self.0, network, network.take_finished(take))
    }

    /// How long a flow takes if nobody else sends.
    pub fn alone(&self, src: u32, dst: u32, bytes: u64) -> Time {
        each!(&self.0, network, network.alone(src, dst, bytes))
    }

    /// Simulated time so far.
    pub fn now(&self) -> Time {
        each!(&self.0, network, network.now())
    }

    /// Flows that were opened and have not ended.
    pub fn open_flows(&self) -> usize {
        each!(&self.0, network, network.open_flows())
    }

    /// Packets in the buffers of switches.
    pub fn packets_buffered(&self) -> usize {
        each!(&self.0, network, network.packets_buffered())
    }

    /// What each port with a cable counted, switches first. Hosts never tell anybody to stop, and
    /// drop nothing: of theirs it is what they sent.
    pub fn ports(&self) -> impl Iterator<Item = (Port, PortCounters)> + use<> {
        each!(&self.0, network, network.ports().collect::<Vec<_>>()).into_iter()
    }

    /// Output ports that wait for each other for ever, in this order: each was told to stop, and may
    /// go on only once the next one does.
    pub fn deadlock(&self) -> Option<Vec<Port>> {
        each!(&self.0, network, network.deadlock())
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        each!(&self.0, network, network.counters())
    }
}
