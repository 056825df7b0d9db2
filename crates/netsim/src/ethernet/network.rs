//! A network: a fabric of Ethernet switches and hosts, with flows between hosts.

use super::capture::{CaptureFilter, CaptureRecord};
use super::classes::Classes;
use super::core::{Core, latency};
use super::feature_sets::{Basic, Classed, Large, Lossy, Telemetered, WithHoma};
use super::flow::{FinishedFlow, FlowSpec};
use super::host_model::HostModel;
use super::packet::PortBits;
use super::routing::Routing;
use super::switch::{Buffering, Pfc, PortCounters, SwitchModel};
use crate::engine::{Executor, MIN_PARTITION_LATENCY, Sequential};
use bandwise_topology::{Fabric, Port};
use bandwise_units::{Bytes, Time};
use std::num::NonZeroUsize;

/// Models of all parts of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkModel {
    /// Model of every switch.
    pub switch: SwitchModel,
    /// Switch ports with PFC thresholds of their own; requires a buffer per input.
    pub thresholds: Vec<(Port, Pfc)>,
    /// Time that hosts and switches take to obey a PFC frame: real ones finish packets that are in
    /// their pipelines.
    pub pause_response: Time,
    /// Model of every host.
    pub host: HostModel,
    /// Traffic classes of the whole network.
    pub classes: Classes,
    /// Choice among several equal paths.
    pub routing: Routing,
}

impl NetworkModel {
    /// Returns whether packets without room are always dropped and no sender is ever paused.
    fn is_lossy(&self) -> bool {
        self.thresholds.is_empty()
            && matches!(&self.switch.buffering, Buffering::PerInput(inputs) if inputs.pfc.is_none())
    }
}

/// Counters of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that arrived at a host, acknowledgements included.
    pub packets_delivered: u64,
    /// Links crossed by packets, including packets dropped afterwards.
    pub packet_hops: u64,
    /// Packets dropped because a buffer was full.
    pub packets_dropped: u64,
    /// Data packets retransmitted.
    pub packets_retransmitted: u64,
    /// Timeouts of senders.
    pub timeouts: u64,
    /// Packets marked (ECN).
    pub packets_marked: u64,
    /// Number of pauses of a sender by a port.
    pub pauses: u64,
    /// Total duration of those pauses.
    pub paused: Time,
    /// Peak occupancy of any buffer: of an input and class, or of a switch's shared buffer.
    pub peak_buffer: Bytes,
    /// Events handled.
    pub events: u64,
}

/// A path crosses more switches than a packet's route field can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the path crosses more than {most} switches")]
pub struct PathTooLong {
    /// Most switches of a path ([`PortBits::max_switches`](super::packet::PortBits::max_switches)).
    pub most: usize,
}

/// A network with flows, compiled for the features that its model requires.
#[derive(Debug)]
pub struct Network(Variant);

#[derive(Debug)]
enum Variant {
    Basic(Core<Basic>),
    Lossy(Core<Lossy>),
    Classed(Core<Classed>),
    Telemetered(Core<Telemetered>),
    WithHoma(Core<WithHoma>),
    LargeBasic(Core<Large<Basic>>),
    LargeLossy(Core<Large<Lossy>>),
    LargeClassed(Core<Large<Classed>>),
    LargeTelemetered(Core<Large<Telemetered>>),
    LargeWithHoma(Core<Large<WithHoma>>),
}

/// Calls a method of the network, whatever its features.
macro_rules! each {
    ($self:expr, $network:ident, $call:expr) => {
        match $self {
            Variant::Basic($network) => $call,
            Variant::Lossy($network) => $call,
            Variant::Classed($network) => $call,
            Variant::Telemetered($network) => $call,
            Variant::WithHoma($network) => $call,
            Variant::LargeBasic($network) => $call,
            Variant::LargeLossy($network) => $call,
            Variant::LargeClassed($network) => $call,
            Variant::LargeTelemetered($network) => $call,
            Variant::LargeWithHoma($network) => $call,
        }
    };
}

impl Network {
    /// Builds a network. Hosts are numbered by their rank among `fabric.hosts()`. `seed` decides
    /// which of several equal paths a flow takes.
    ///
    /// # Panics
    ///
    /// If [`NetworkModel::check`] refuses the fabric and the model.
    pub fn new(fabric: &Fabric, model: &NetworkModel, seed: u64) -> Self {
        Self::partitioned(fabric, model, seed, NonZeroUsize::MIN, MIN_PARTITION_LATENCY)
    }

    /// Builds a network in `shards` shards, which an executor with as many workers runs in parallel
    /// ([`Network::run_by`]). Links of at least `min_latency` separate partitions. Both affect only
    /// the duration of a run.
    ///
    /// # Panics
    ///
    /// If [`NetworkModel::check`] refuses the fabric and the model.
    pub fn partitioned(
        fabric: &Fabric,
        model: &NetworkModel,
        seed: u64,
        shards: NonZeroUsize,
        min_latency: Time,
    ) -> Self {
        /// Builds the variant for the fabric's switches.
        macro_rules! build {
            ($small:ident, $large:ident) => {
                if PortBits::of(fabric) == PortBits::SMALL {
                    Variant::$small(Core::partitioned(fabric, model, seed, shards, min_latency))
                } else {
                    Variant::$large(Core::partitioned(fabric, model, seed, shards, min_latency))
                }
            };
        }
        let separates_all = || fabric.links().iter().all(|link| latency(link) >= min_latency);
        Network(if let Some(homa) = &model.host.homa {
            assert!(
                homa.priorities.count() <= model.classes.count,
                "Homa needs a traffic class for each priority"
            );
            build!(WithHoma, LargeWithHoma)
        } else if model.host.congestion.algorithm.needs_telemetry() {
            build!(Telemetered, LargeTelemetered)
        } else if model.classes.count > 1 {
            build!(Classed, LargeClassed)
        } else if model.is_lossy() && separates_all() {
            build!(Lossy, LargeLossy)
        } else {
            build!(Basic, LargeBasic)
        })
    }

    /// Opens a flow between two hosts, which must not start in the past.
    ///
    /// # Errors
    ///
    /// The flow's path crosses more switches than a packet can name.
    ///
    /// # Panics
    ///
    /// If the network does not have the flow's traffic class.
    pub fn open(&mut self, flow: &FlowSpec) -> Result<(), PathTooLong> {
        each!(&mut self.0, network, network.open(flow))
    }

    /// Captures the packets of the filter's ports and flows from now on. Flows opened before are
    /// not captured. Of Homa's control packets, only those to senders are captured.
    pub fn capture(&mut self, filter: CaptureFilter) {
        each!(&mut self.0, network, network.capture(filter))
    }

    /// Ends the capture.
    pub fn end_capture(&mut self) {
        each!(&mut self.0, network, network.end_capture())
    }

    /// Passes the records since the last call to `take`, in order, as far as no earlier one can
    /// follow. Passes all records if `ended`.
    pub fn take_records(&mut self, ended: bool, take: impl FnMut(CaptureRecord)) {
        each!(&mut self.0, network, network.take_records(ended, take))
    }

    /// Runs until simulated time `end`. Returns `false` if nothing remains due.
    pub fn run(&mut self, end: Time) -> bool {
        self.run_by(&Sequential, end)
    }

    /// Runs until simulated time `end` on an executor. Returns `false` if nothing remains due.
    pub fn run_by(&mut self, executor: &impl Executor, end: Time) -> bool {
        each!(&mut self.0, network, network.run_by(executor, end))
    }

    /// Passes the flows completed since the last call to `take`, ordered by receiver, then by time.
    pub fn take_finished(&mut self, take: impl FnMut(FinishedFlow)) {
        each!(&mut self.0, network, network.take_finished(take))
    }

    /// Returns the duration of a flow in an empty network.
    pub fn alone(&self, src: u32, dst: u32, bytes: u64) -> Time {
        each!(&self.0, network, network.alone(src, dst, bytes))
    }

    /// Returns the simulated time.
    pub fn now(&self) -> Time {
        each!(&self.0, network, network.now())
    }

    /// Returns the number of flows that were opened and have not ended.
    pub fn open_flows(&self) -> usize {
        each!(&self.0, network, network.open_flows())
    }

    /// Returns the number of packets in the buffers of switches.
    pub fn packets_buffered(&self) -> usize {
        each!(&self.0, network, network.packets_buffered())
    }

    /// Returns the counters of each port with a cable, switches first. Hosts never pause a sender
    /// and drop nothing, so theirs count only packets sent.
    pub fn ports(&self) -> impl Iterator<Item = (Port, PortCounters)> + use<> {
        each!(&self.0, network, network.ports().collect::<Vec<_>>()).into_iter()
    }

    /// Returns output ports in a PFC deadlock, in order: each is paused and can resume only after
    /// the next one does. Returns `None` if there is no deadlock.
    pub fn deadlock(&self) -> Option<Vec<Port>> {
        each!(&self.0, network, network.deadlock())
    }

    /// Returns the counters so far.
    pub fn counters(&self) -> Counters {
        each!(&self.0, network, network.counters())
    }
}
