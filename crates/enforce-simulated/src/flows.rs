//! Rates in place of packets: what ports with these weights come to, exactly.

use crate::traffic::{LEVELS, Traffic, Way};
use bandwise_flowsim::policy::{MaxMin, WeightedQueues};
use bandwise_flowsim::{FlowSpec, LinkConfig, Policy, Simulation};
use bandwise_saba::controller::PortConfig;
use bandwise_units::{BitRate, Bytes};

/// What each connection gets by rates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flows {
    /// By connection.
    pub rates: Vec<BitRate>,
    /// Whether links came to rest: if not, no link has more than it carries, but some connections may have less than
    /// they could ([`Simulation::rough`]).
    pub is_at_rest: bool,
}

/// What a connection has to send: it never ends while somebody looks.
const ENDLESS: Bytes = Bytes::from_kib(1 << 40);

impl Traffic {
    /// What each connection gets by what stands at the ports: queues share a link by weight, and connections within a
    /// queue max-min fairly. Where nothing stands, a port has one queue; a level that a port does not know is in its
    /// first.
    pub fn flows(&self) -> Flows {
        let network = self.links.network(&self.shape.fabric, 1.0);
        let mut simulation = Simulation::new(network, WeightedQueues);
        let written = (0..).zip(&self.stands).filter(|(_, config)| !config.weights.is_empty());
        for (link, config) in written {
            simulation.set_link(link, shared(config)).expect("a link, and no guarantees");
        }
        self.send(simulation)
    }

    /// What each would get if no port had weights: max-min fair among all connections.
    pub fn max_min(&self) -> Vec<BitRate> {
        let network = self.links.network(&self.shape.fabric, 1.0);
        self.send(Simulation::new(network, MaxMin)).rates
    }

    fn send<P: Policy>(&self, mut simulation: Simulation<P>) -> Flows {
        let start = |way: &Way| {
            let (path, class) = (&*way.links, way.level);
            simulation.start(FlowSpec { path, bytes: ENDLESS, class, group: 0, cap: None })
        };
        let flows: Vec<_> = self.ways.iter().map(start).collect();
        let rates = flows.into_iter().map(|flow| simulation.rate(flow)).collect();
        Flows { rates, is_at_rest: simulation.rough() == 0 }
    }
}

/// How a port shares by what stands there.
fn shared(config: &PortConfig) -> LinkConfig {
    let known = config.table.iter().filter(|(level, _)| level.0 < LEVELS);
    let queues = known.map(|(level, queue)| (level.0 as u8, queue));
    LinkConfig::weighted(&config.weights, queues).expect("ports take a weight for each queue")
}
