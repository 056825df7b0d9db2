//! [`Flows`]: the rates of connections by the sharing of links, computed exactly.

use crate::traffic::{LEVELS, Path, Traffic};
use bandwise_flowsim::policy::{MaxMin, WeightedQueues};
use bandwise_flowsim::{FlowSpec, LinkConfig, Policy, Simulation};
use bandwise_saba::controller::PortConfig;
use bandwise_units::{BitRate, Bytes};

/// The rates of connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flows {
    /// The rates, by connection.
    pub rates: Vec<BitRate>,
    /// True if all links have settled. Otherwise no link exceeds its capacity, but connections may have less than
    /// their share ([`Simulation::rough`]).
    pub is_at_rest: bool,
}

/// The data of a connection, which never ends during a computation.
const ENDLESS: Bytes = Bytes::from_kib(1 << 40);

impl Traffic {
    /// Returns the rate of each connection with the configurations of the ports: queues share a link by weight, and
    /// connections in a queue max-min fairly. A port without a configuration has one queue; unknown levels use the
    /// first queue.
    ///
    /// # Panics
    ///
    /// Panics if a configuration is invalid; ports of [`Simulated`](crate::Simulated) refuse
    /// invalid configurations.
    pub fn flows(&self) -> Flows {
        let network = self.links.network(&self.shape.fabric, 1.0);
        let mut simulation = Simulation::new(network, WeightedQueues);
        let written = (0..).zip(&self.configs).filter(|(_, config)| !config.weights.is_empty());
        for (link, config) in written {
            simulation.set_link(link, shared(config)).expect("a link, and no guarantees");
        }
        self.send(simulation)
    }

    /// Returns the rate of each connection without weights: max-min fair among all.
    pub fn max_min(&self) -> Vec<BitRate> {
        let network = self.links.network(&self.shape.fabric, 1.0);
        self.send(Simulation::new(network, MaxMin)).rates
    }

    fn send<P: Policy>(&self, mut simulation: Simulation<P>) -> Flows {
        let start = |path: &Path| {
            let (path, class) = (&*path.links, path.level);
            simulation.start(FlowSpec { path, bytes: ENDLESS, class, group: 0, cap: None })
        };
        let flows: Vec<_> = self.paths.iter().map(start).collect();
        let rates = flows.into_iter().map(|flow| simulation.rate(flow)).collect();
        Flows { rates, is_at_rest: simulation.rough() == 0 }
    }
}

/// Returns the sharing of a link by the configuration of its port.
fn shared(config: &PortConfig) -> LinkConfig {
    let known = config.table.iter().filter(|(level, _)| level.0 < LEVELS);
    let queues = known.map(|(level, queue)| (level.0 as u8, queue));
    LinkConfig::weighted(&config.weights, queues).expect("ports take a weight for each queue")
}
