//! [`InfinibandBuilder`]: checks everything about a scenario before it can be run.

use super::request::{self, FlowError, FlowKey, FlowRequest};
use super::{BulkTraffic, Flow, InfinibandScenario, Method, lanes};
use crate::time_range::{self, LONGEST, TimeError};
use bandwise_input::is_printable;
use bandwise_netsim::infiniband::{Models, ModelsError};
use bandwise_topology::routes::credit_loop;
use bandwise_topology::{Fabric, Port, Routes};
use bandwise_units::Time;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Times for which bulk flows can run before the measurement.
pub(super) const WARMUPS: RangeInclusive<Time> = Time::ZERO..=LONGEST;
/// Longest times of the measurement.
pub(super) const DURATIONS: RangeInclusive<Time> = Time::from_ps(1)..=LONGEST;

/// Most queue pairs of a host: their numbers have 16 bits.
const MOST_QPS: u32 = u16::MAX as u32;

/// Builds an [`InfinibandScenario`].
///
/// ```
/// use bandwise_scenario::infiniband::{FlowRequest, InfinibandScenario, MethodName, Senders};
/// use bandwise_topology::builders;
/// use bandwise_units::{BitRate, Time};
///
/// let fabric = builders::single_switch(3, BitRate::from_gbps(100), Time::from_ns(10)).unwrap();
/// let scenario = InfinibandScenario::builder(fabric)
///     .request(FlowRequest::new(Senders::One("h1".into()), "h0", MethodName::Bulk))
///     .duration(Time::from_us(100))
///     .build()
///     .unwrap();
/// assert_eq!(scenario.flows().len(), 1);
/// ```
#[derive(Debug, Clone)]
pub struct InfinibandBuilder {
    /// Scenario so far, whose flows `build` takes from `added`.
    scenario: InfinibandScenario,
    added: Vec<Added>,
}

/// A flow that was added.
#[derive(Debug, Clone)]
enum Added {
    Flow(Flow),
    Request(FlowRequest),
}

impl Added {
    fn bulk_flows(&self) -> usize {
        match self {
            Added::Flow(flow) => usize::from(matches!(flow.method, Method::Bulk(_))),
            Added::Request(request) => request.bulk_flows(),
        }
    }
}

/// A reason for which a scenario can't be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A flow is impossible.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// The models of hosts, switches or tables do not fit the fabric.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// A time is out of its range.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// Output ports can wait for each other's credits in a loop.
    #[error("ports can wait for each other's credits in a loop: {}", .ports.join(" -> "))]
    CreditLoop {
        /// Node of the first port.
        node: String,
        /// Names of the ports, the first also at the end; of a long loop the first 32.
        ports: Vec<String>,
    },
}

impl InfinibandBuilder {
    pub(super) fn new(fabric: Fabric) -> Self {
        let models = super::spec::default_models(&fabric);
        let scenario = InfinibandScenario {
            title: String::new(),
            routes: Routes::shortest(&fabric),
            fabric,
            models,
            flows: Vec::new(),
            warmup: Time::from_us(100),
            duration: Time::from_ms(50),
            seed: 1,
            allow_credit_loops: false,
        };
        InfinibandBuilder { scenario, added: Vec::new() }
    }

    pub(super) fn from_scenario(mut scenario: InfinibandScenario) -> Self {
        let added = scenario.flows.drain(..).map(Added::Flow).collect();
        InfinibandBuilder { scenario, added }
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.scenario.title = title.into();
        self
    }

    /// Sets the models of switches, hosts and tables.
    #[must_use]
    pub fn models(mut self, models: Models) -> Self {
        self.scenario.models = models;
        self
    }

    /// Changes the models in place.
    #[must_use]
    pub fn change_models(mut self, change: impl FnOnce(&mut Models)) -> Self {
        change(&mut self.scenario.models);
        self
    }

    /// Adds a flow by the ranks of its hosts.
    #[must_use]
    pub fn flow(mut self, flow: Flow) -> Self {
        self.added.push(Added::Flow(flow));
        self
    }

    /// Adds a flow by the names of its hosts, or one flow from each of several senders.
    #[must_use]
    pub fn request(mut self, request: FlowRequest) -> Self {
        self.added.push(Added::Request(request));
        self
    }

    /// Removes all flows.
    #[must_use]
    pub fn without_flows(mut self) -> Self {
        self.added.clear();
        self
    }

    /// Sets the time for which bulk flows run before the measurement, up to an hour.
    #[must_use]
    pub fn warmup(mut self, time: Time) -> Self {
        self.scenario.warmup = time;
        self
    }

    /// Sets the longest time of the measurement, 1 ps to an hour.
    #[must_use]
    pub fn duration(mut self, time: Time) -> Self {
        self.scenario.duration = time;
        self
    }

    /// Sets the seed of all random streams.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.scenario.seed = seed;
        self
    }

    /// Sets whether routes may form a credit loop.
    #[must_use]
    pub fn allow_credit_loops(mut self, allow: bool) -> Self {
        self.scenario.allow_credit_loops = allow;
        self
    }

    /// Checks everything and returns the scenario.
    ///
    /// # Errors
    ///
    /// Returns an error if a flow, a table or a time is impossible, or if the routes can deadlock
    /// and [`allow_credit_loops`](Self::allow_credit_loops) is not set.
    pub fn build(self) -> Result<InfinibandScenario, BuildError> {
        let InfinibandBuilder { mut scenario, added } = self;
        time_range::check("warmup", scenario.warmup, WARMUPS)?;
        time_range::check("duration", scenario.duration, DURATIONS)?;
        scenario.models.check(&scenario.fabric)?;
        let bulk = added.iter().map(Added::bulk_flows).sum();
        let mut flows = Flows::new(&scenario);
        for (number, added) in added.into_iter().enumerate() {
            let of_number = |error| FlowError { number, ..error };
            match added {
                Added::Flow(flow) => flows.add(flow).map_err(of_number)?,
                Added::Request(request) => {
                    let own = request
                        .flows(&scenario.fabric, &scenario.models, bulk)
                        .map_err(of_number)?;
                    for (sender, flow) in own.into_iter().enumerate() {
                        let at = |error| FlowError { sender, ..of_number(error) };
                        flows.add(flow).map_err(at)?;
                    }
                }
            }
        }
        scenario.flows = flows.flows;
        if !scenario.allow_credit_loops
            && let Some(ports) = credit_loop(&scenario.fabric, &scenario.routes)
        {
            return Err(credit_loop_error(&scenario.fabric, &ports));
        }
        Ok(scenario)
    }
}

/// Most ports of a credit loop in an error.
const MOST_PORTS: usize = 32;

fn credit_loop_error(fabric: &Fabric, ports: &[Port]) -> BuildError {
    let name = |&port: &Port| fabric.describe(port);
    let mut names: Vec<String> = ports.iter().take(MOST_PORTS).map(name).collect();
    if ports.len() > MOST_PORTS {
        names.push(format!("({} more)", ports.len() - MOST_PORTS));
    }
    names.extend(ports.first().map(name));
    let node = ports.first().map_or_else(String::new, |port| fabric.node(port.node).name.clone());
    BuildError::CreditLoop { node, ports: names }
}

/// Flows that were checked together.
struct Flows<'a> {
    scenario: &'a InfinibandScenario,
    flows: Vec<Flow>,
    names: BTreeSet<String>,
    /// Queue pairs by host.
    qps: Vec<u32>,
}

impl<'a> Flows<'a> {
    fn new(scenario: &'a InfinibandScenario) -> Self {
        let qps = vec![0; scenario.fabric.hosts().len()];
        Flows { scenario, flows: Vec::new(), names: BTreeSet::new(), qps }
    }

    /// Adds a flow, if it is possible beside the others.
    fn add(&mut self, flow: Flow) -> Result<(), FlowError> {
        let hosts = self.scenario.fabric.hosts();
        for (key, host) in [(FlowKey::Sender, flow.from), (FlowKey::To, flow.to)] {
            if host >= hosts.len() {
                let error = FlowError::new(key, format!("there is no host {host}"));
                return Err(error.allowed(format!("hosts 0 to {}", hosts.len() - 1)));
            }
        }
        if flow.from == flow.to {
            let name = &self.scenario.fabric.node(hosts[flow.from]).name;
            let error = FlowError::new(FlowKey::Sender, format!("{name:?} sends to itself"));
            return Err(error.allowed("two different hosts"));
        }
        self.check_name(&flow.name)?;
        request::check(&flow, self.scenario.mtu(&flow))?;
        lanes::check(self.scenario, &flow)?;
        self.check_rate(&flow)?;
        self.connect(&flow)?;
        self.flows.push(flow);
        Ok(())
    }

    fn check_name(&mut self, name: &str) -> Result<(), FlowError> {
        if name.trim().is_empty() || !name.chars().all(is_printable) {
            let message = format!("{name:?} can't be the name of a flow");
            let allowed = "one or more characters, none of them a control character";
            return Err(FlowError::new(FlowKey::Name, message).allowed(allowed));
        }
        if !self.names.insert(name.to_owned()) {
            let message = format!("two flows have the name {name:?}");
            let allowed = "a `name` that no other flow has";
            return Err(FlowError::new(FlowKey::Name, message).allowed(allowed));
        }
        Ok(())
    }

    /// Refuses a rate that is more than the slowest link of the path has, or than a host's slot.
    fn check_rate(&self, flow: &Flow) -> Result<(), FlowError> {
        let Method::Bulk(BulkTraffic { rate: Some(rate), .. }) = &flow.method else {
            return Ok(());
        };
        let link = self.scenario.bottleneck(flow).link;
        let slots = [flow.from, flow.to].map(|host| {
            let id = self.scenario.fabric.hosts()[host];
            let name = &self.scenario.fabric.node(id).name;
            (self.scenario.device_of(host).pcie_rate, format!("PCIe of {name:?}"))
        });
        let path = (link, "a link of its path".to_owned());
        let parts = slots.into_iter().chain([path]);
        let (most, part) = parts.min_by_key(|(rate, _)| *rate).expect("there are three parts");
        if *rate <= most {
            return Ok(());
        }
        let message = format!("a rate of {rate} is over the {most} of {part}");
        Err(FlowError::new(FlowKey::Rate, message).allowed(format!("up to {most}")))
    }

    /// Counts the queue pairs of a flow. RPerf's loopback has both ends at the sender.
    fn connect(&mut self, flow: &Flow) -> Result<(), FlowError> {
        let (from, to) = match &flow.method {
            Method::RPerf(_) => (3, 1),
            Method::Bulk(bulk) => (u32::from(bulk.qps), u32::from(bulk.qps)),
            _ => (1, 1),
        };
        for (host, more) in [(flow.from, from), (flow.to, to)] {
            self.qps[host] = self.qps[host].saturating_add(more);
        }
        for host in [flow.from, flow.to] {
            if self.qps[host] > MOST_QPS {
                let id = self.scenario.fabric.hosts()[host];
                let name = &self.scenario.fabric.node(id).name;
                let message = format!("{name:?} has {} queue pairs with this", self.qps[host]);
                let error = FlowError::new(FlowKey::Qps, message);
                return Err(error.allowed(format!("up to {MOST_QPS} for each host")));
            }
        }
        Ok(())
    }
}
