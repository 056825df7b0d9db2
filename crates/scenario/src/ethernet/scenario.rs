//! [`EthernetScenario`]: an experiment on an Ethernet fabric that can be run.

use super::{EthernetBuilder, TransportKind, Workload};
use bandwise_netsim::ethernet::NetworkModel;
use bandwise_topology::{Fabric, adapters};
use bandwise_units::Time;
use std::collections::BTreeMap;

/// An experiment on an Ethernet fabric that can be run.
///
/// [`EthernetBuilder::build`] has checked every value; [`into_builder`] returns a builder to change
/// some.
///
/// [`into_builder`]: EthernetScenario::into_builder
#[derive(Debug, Clone)]
pub struct EthernetScenario {
    pub(super) title: String,
    pub(super) fabric: Fabric,
    pub(super) transport: TransportKind,
    pub(super) model: NetworkModel,
    pub(super) workload: Workload,
    pub(super) limit: Option<Time>,
    pub(super) warmup: Time,
    pub(super) storm: Time,
    pub(super) seed: u64,
}

impl EthernetScenario {
    /// Returns a builder of a scenario without flows.
    pub fn builder(
        fabric: Fabric,
        transport: TransportKind,
        model: NetworkModel,
    ) -> EthernetBuilder {
        EthernetBuilder::new(fabric, transport, model)
    }

    /// Returns a builder that starts from this scenario.
    pub fn into_builder(self) -> EthernetBuilder {
        EthernetBuilder::from_scenario(self)
    }

    /// Returns the scenario with the random streams of another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        EthernetScenario { seed, ..self }
    }

    /// Returns the title, one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the hosts, switches and links.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// Returns the number of each host by its name, and by that of its server if that has one adapter.
    pub fn host_names(&self) -> BTreeMap<String, u32> {
        let fabric = &self.fabric;
        let hosts = || fabric.hosts().iter().map(|&host| (host, &*fabric.node(host).name));
        let number = |host| fabric.rank(host) as u32;
        let mut of_servers: BTreeMap<&str, Option<u32>> = BTreeMap::new();
        for (host, name) in hosts() {
            if let Some((server, _)) = adapters::split(name) {
                let several = of_servers.contains_key(server);
                of_servers.insert(server, (!several).then(|| number(host)));
            }
        }
        let servers = of_servers.into_iter().filter_map(|(name, only)| Some((name, only?)));
        // A host's own name counts before that of a server.
        servers
            .chain(hosts().map(|(host, name)| (name, number(host))))
            .map(|(name, number)| (name.to_owned(), number))
            .collect()
    }

    /// Returns the transport of all hosts; its settings are in [`model`](Self::model).
    pub fn transport(&self) -> TransportKind {
        self.transport
    }

    /// Returns the models of switches and hosts.
    pub fn model(&self) -> &NetworkModel {
        &self.model
    }

    /// Returns the source of the flows.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// Returns the simulated time at which the run ends if flows are still in flight.
    pub fn limit(&self) -> Option<Time> {
        self.limit
    }

    /// Returns the warm-up. Flows that start within it are simulated, and count in no average and
    /// no percentile.
    pub fn warmup(&self) -> Time {
        self.warmup
    }

    /// Returns the limit of pauses: the results list ports that PFC pauses for longer without a
    /// break.
    pub fn storm(&self) -> Time {
        self.storm
    }

    /// Returns the seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
