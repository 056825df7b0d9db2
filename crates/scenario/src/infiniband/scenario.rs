//! [`InfinibandScenario`]: an experiment on an InfiniBand fabric that can be run.

use super::{Flow, InfinibandBuilder};
use bandwise_netsim::infiniband::Models;
use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_rdma::wire::Mtu;
use bandwise_topology::{Fabric, Routes};
use bandwise_units::Time;

/// An experiment on an InfiniBand fabric that can be run.
///
/// [`InfinibandBuilder::build`] has checked every value; [`into_builder`] returns a builder to
/// change some.
///
/// [`into_builder`]: InfinibandScenario::into_builder
#[derive(Debug, Clone)]
pub struct InfinibandScenario {
    pub(super) title: String,
    pub(super) fabric: Fabric,
    pub(super) routes: Routes,
    pub(super) models: Models,
    pub(super) flows: Vec<Flow>,
    pub(super) warmup: Time,
    pub(super) duration: Time,
    pub(super) seed: u64,
    pub(super) allow_credit_loops: bool,
}

impl InfinibandScenario {
    /// Returns a builder with the defaults of a scenario file, without flows.
    pub fn builder(fabric: Fabric) -> InfinibandBuilder {
        InfinibandBuilder::new(fabric)
    }

    /// Returns a builder that starts from this scenario.
    pub fn into_builder(self) -> InfinibandBuilder {
        InfinibandBuilder::from_scenario(self)
    }

    /// Returns the scenario with the random streams of another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        InfinibandScenario { seed, ..self }
    }

    /// Returns the title, one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the hosts, switches and links.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// Returns the first host that is none of `busy`, as the sender of a measured flow; `None` if all
    /// hosts are busy.
    pub fn free_host(&self, busy: &[&str]) -> Option<&str> {
        let hosts = self.fabric.hosts().iter();
        let mut names = hosts.map(|&host| self.fabric.node(host).name.as_str());
        names.find(|name| !busy.contains(name))
    }

    /// Returns the shortest paths between hosts.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns the models of switches, hosts and tables.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Returns the model of a host by its rank.
    pub fn device_of(&self, host: usize) -> &DeviceModel {
        self.models.device_of(self.fabric.hosts()[host])
    }

    /// Returns the path MTU of a flow: the smaller one of its hosts'.
    pub fn mtu(&self, flow: &Flow) -> Mtu {
        self.device_of(flow.from).mtu.min(self.device_of(flow.to).mtu)
    }

    /// Returns the flows in the order of the results.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Returns the time for which bulk flows run before the measurement.
    pub fn warmup(&self) -> Time {
        self.warmup
    }

    /// Returns the longest time of the measurement.
    pub fn duration(&self) -> Time {
        self.duration
    }

    /// Returns the seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
