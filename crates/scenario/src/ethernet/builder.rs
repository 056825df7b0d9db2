//! [`EthernetBuilder`]: checks everything about a scenario before it can be run.

use super::{Arrival, EthernetScenario, Part, TransportKind, Workload};
use crate::time_range::{self, LONGEST, TimeError};
use bandwise_netsim::ethernet::{ModelError, NetworkModel};
use bandwise_topology::Fabric;
use bandwise_units::{Bytes, Time};
use bandwise_workload::{MAX_FLOW, MAX_START};
use std::ops::RangeInclusive;

/// Default of [`EthernetBuilder::storm`]. Watchdogs of switches wait for some hundred milliseconds,
/// which is longer than most runs simulate.
const STORM: Time = Time::from_ms(5);

/// Ends of a run, and lengths of a pause storm.
pub(super) const LIMITS: RangeInclusive<Time> = Time::from_us(1)..=LONGEST;

/// Returns the possible warm-ups of a run with this limit. The warm-up ends before the limit, or no
/// flow would count.
pub(super) fn warmups(limit: Option<Time>) -> RangeInclusive<Time> {
    Time::ZERO..=limit.map_or(LONGEST, |limit| limit.saturating_sub(Time::from_ps(1)))
}

/// Builds an [`EthernetScenario`].
///
/// ```
/// use bandwise_netsim::ethernet::{
///     Buffering, Classes, HostModel, InputBuffers, NetworkModel, Routing, SwitchModel,
/// };
/// use bandwise_rdma::congestion::{CongestionSettings, NotificationSettings};
/// use bandwise_rdma::transport::TransportSettings;
/// use bandwise_scenario::ethernet::{EthernetScenario, Generator, Part, TransportKind};
/// use bandwise_topology::builders;
/// use bandwise_units::{BitRate, Bytes, Time};
/// use bandwise_workload::Incast;
///
/// let fabric = builders::single_switch(4, BitRate::from_gbps(400), Time::from_ns(100)).unwrap();
/// let buffers = InputBuffers { buffer: Bytes::new(1_000_000), pfc: None };
/// let model = NetworkModel {
///     switch: SwitchModel { buffering: Buffering::PerInput(buffers), ecn: None },
///     thresholds: Vec::new(),
///     pause_response: Time::ZERO,
///     host: HostModel {
///         transport: TransportSettings::irn(),
///         congestion: CongestionSettings::default(),
///         notification: NotificationSettings::default(),
///         mtu: 4096,
///         extra_header: 0,
///         poll: None,
///         ack_class: None,
///         cnp_class: None,
///         homa: None,
///     },
///     classes: Classes::ONE,
///     routing: Routing::Ecmp,
/// };
/// let incast = Incast::new(4, 0, 3, Bytes::new(3_000_000)).unwrap();
/// let scenario = EthernetScenario::builder(fabric, TransportKind::Irn, model)
///     .part(Part { generator: Generator::Incast(incast), expected: 3, class: 0 })
///     .build()
///     .unwrap();
/// assert_eq!(scenario.run(&mut ()).finished, 3);
/// ```
#[derive(Debug, Clone)]
pub struct EthernetBuilder {
    scenario: EthernetScenario,
}

/// Reason for which a scenario can't be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The fabric and the models are not a network.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The fabric has fewer than two hosts.
    #[error("the fabric has too few hosts: {0} (allowed: 2 or more)")]
    TooFewHosts(usize),
    /// The model is one of Homa and the transport is not, or the reverse.
    #[error("the transport is {}, and the host model is for another one", .0.title())]
    Transport(TransportKind),
    /// A generator was made for another number of hosts than the fabric has.
    #[error("a generator of flows among {wanted} hosts (allowed: up to {hosts})")]
    Hosts {
        /// Hosts of the generator.
        wanted: u32,
        /// Hosts of the fabric.
        hosts: usize,
    },
    /// Flows belong to a traffic class that does not exist.
    #[error("flows of traffic class {class} (allowed: 0 to {})", .classes - 1)]
    Class {
        /// Class of the flows.
        class: u8,
        /// Number of classes.
        classes: u8,
    },
    /// A time is out of its range.
    #[error(transparent)]
    Time(#[from] TimeError),
}

/// Reason for which a scenario can't open a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ArrivalError {
    /// The source or the destination is not a host of the fabric.
    #[error("a flow from host {src} to host {dst} (allowed: two different ones of 0 to {})", .hosts - 1)]
    Hosts {
        /// Rank of the sender.
        src: u32,
        /// Rank of the receiver.
        dst: u32,
        /// Number of hosts.
        hosts: u32,
    },
    /// No flow can have this size.
    #[error("a flow of {0} (allowed: 1 B to {MAX_FLOW})")]
    Bytes(Bytes),
    /// The traffic class does not exist.
    #[error("a flow of traffic class {class} (allowed: 0 to {})", .classes - 1)]
    Class {
        /// Class of the flow.
        class: u8,
        /// Number of classes.
        classes: u8,
    },
    /// The flow starts too late.
    #[error("a flow that starts at {0} (allowed: up to {MAX_START})")]
    Start(Time),
    /// The flow starts before the previous flow.
    #[error("a flow that starts at {start}, after one of {last} (allowed: in order of start)")]
    Order {
        /// Start of the flow.
        start: Time,
        /// Start of the previous flow.
        last: Time,
    },
}

impl EthernetBuilder {
    pub(super) fn new(fabric: Fabric, transport: TransportKind, model: NetworkModel) -> Self {
        let scenario = EthernetScenario {
            title: String::new(),
            fabric,
            transport,
            model,
            workload: Workload::Parts(Vec::new()),
            limit: None,
            warmup: Time::ZERO,
            storm: STORM,
            seed: 1,
        };
        EthernetBuilder { scenario }
    }

    pub(super) fn from_scenario(scenario: EthernetScenario) -> Self {
        EthernetBuilder { scenario }
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.scenario.title = title.into();
        self
    }

    /// Changes the models of switches and hosts in place.
    #[must_use]
    pub fn change_model(mut self, change: impl FnOnce(&mut NetworkModel)) -> Self {
        change(&mut self.scenario.model);
        self
    }

    /// Adds a generator of flows. Replaces a list.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        match &mut self.scenario.workload {
            Workload::Parts(parts) => parts.push(part),
            Workload::List(_) => self.scenario.workload = Workload::Parts(vec![part]),
        }
        self
    }

    /// Sets the source of all flows.
    #[must_use]
    pub fn workload(mut self, workload: Workload) -> Self {
        self.scenario.workload = workload;
        self
    }

    /// Sets the simulated time at which the run ends if flows are still in flight, 1 us to an hour.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<Time>>) -> Self {
        self.scenario.limit = limit.into();
        self
    }

    /// Sets the time before which flows count in no average and no percentile, up to the limit.
    #[must_use]
    pub fn warmup(mut self, time: Time) -> Self {
        self.scenario.warmup = time;
        self
    }

    /// Sets the least time without a break for which a port must be paused to be in the results, 1
    /// us to an hour.
    #[must_use]
    pub fn storm(mut self, time: Time) -> Self {
        self.scenario.storm = time;
        self
    }

    /// Sets the seed of all random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.scenario.seed = seed;
        self
    }

    /// Checks everything and returns the scenario.
    ///
    /// # Errors
    ///
    /// Returns an error if the network, a generator or a time is impossible.
    pub fn build(self) -> Result<EthernetScenario, BuildError> {
        let scenario = self.scenario;
        let hosts = scenario.fabric.hosts().len();
        if hosts < 2 {
            return Err(BuildError::TooFewHosts(hosts));
        }
        scenario.model.check(&scenario.fabric)?;
        let is_homa = scenario.transport == TransportKind::Homa;
        if is_homa != scenario.model.host.homa.is_some() {
            return Err(BuildError::Transport(scenario.transport));
        }
        if let Workload::Parts(parts) = &scenario.workload {
            parts.iter().try_for_each(|part| scenario.check_part(part))?;
        }
        if let Some(limit) = scenario.limit {
            time_range::check("limit", limit, LIMITS)?;
        }
        time_range::check("warmup", scenario.warmup, warmups(scenario.limit))?;
        time_range::check("pause-storm", scenario.storm, LIMITS)?;
        Ok(scenario)
    }
}

impl EthernetScenario {
    fn check_part(&self, part: &Part) -> Result<(), BuildError> {
        let (wanted, hosts) = (part.generator.hosts(), self.fabric.hosts().len());
        if wanted as usize > hosts {
            return Err(BuildError::Hosts { wanted, hosts });
        }
        let (class, classes) = (part.class, self.model.classes.count);
        match class < classes {
            true => Ok(()),
            false => Err(BuildError::Class { class, classes }),
        }
    }

    /// Checks a flow that does not come from a generator of the scenario. `last` is the start of
    /// the previous flow.
    pub(super) fn check_arrival(&self, arrival: &Arrival, last: Time) -> Result<(), ArrivalError> {
        let Arrival { flow, class, .. } = *arrival;
        let hosts = self.fabric.hosts().len() as u32;
        if flow.src >= hosts || flow.dst >= hosts || flow.src == flow.dst {
            return Err(ArrivalError::Hosts { src: flow.src, dst: flow.dst, hosts });
        }
        let bytes = Bytes::new(flow.bytes);
        if bytes == Bytes::ZERO || bytes > MAX_FLOW {
            return Err(ArrivalError::Bytes(bytes));
        }
        let classes = self.model.classes.count;
        if class >= classes {
            return Err(ArrivalError::Class { class, classes });
        }
        if flow.start > MAX_START {
            return Err(ArrivalError::Start(flow.start));
        }
        if flow.start < last {
            return Err(ArrivalError::Order { start: flow.start, last });
        }
        Ok(())
    }
}
