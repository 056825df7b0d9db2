//! [`Simulated`]: a network whose ports are kept in memory.

use crate::shape::{Shape, id};
use crate::traffic::{Connection, Traffic, Uncarried};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
use bandwise_topology::{self as topology, Fabric, NodeId, NodeKind};
use bandwise_units::lowest_terms;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU8;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A network in memory. Clones share the network; each has the paths of its own last discovery.
#[derive(Debug, Clone)]
pub struct Simulated {
    network: Arc<Mutex<Network>>,
    /// The shape at the last discovery.
    found: Arc<Shape>,
}

/// The state that all clones share.
#[derive(Debug)]
struct Network {
    shape: Arc<Shape>,
    queues: NonZeroU8,
    /// The configurations of ports that were written.
    configs: BTreeMap<PortId, PortConfig>,
    /// The configurations from before the first [`Switches::apply`] at each port.
    before: BTreeMap<PortId, PortConfig>,
    refusing: BTreeSet<PortId>,
}

/// A planned change of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedPlan {
    id: PortId,
    name: String,
    before: PortConfig,
    wanted: PortConfig,
}

impl Plan for SimulatedPlan {
    fn is_empty(&self) -> bool {
        self.before == self.wanted
    }
}

impl fmt::Display for SimulatedPlan {
    /// Writes the weights of the queues, before and after.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_empty() {
            true => Ok(()),
            false => {
                let (before, wanted) = (&self.before.weights, &self.wanted.weights);
                writeln!(f, "{}, weights: {before:?} -> {wanted:?}", self.name)
            }
        }
    }
}

impl Simulated {
    /// Returns a network without configurations. Each output port has `queues` queues for Saba.
    pub fn new(fabric: Fabric, queues: NonZeroU8) -> Self {
        let shape = Shape::new(fabric);
        let network = Network {
            shape: shape.clone(),
            queues,
            configs: BTreeMap::new(),
            before: BTreeMap::new(),
            refusing: BTreeSet::new(),
        };
        Simulated { network: Arc::new(Mutex::new(network)), found: shape }
    }

    /// Returns the traffic of connections that all send, with the current configurations.
    ///
    /// # Errors
    ///
    /// Returns [`Uncarried`] if a connection has no path, or the network can't be simulated.
    pub fn traffic(&self, connections: &[Connection]) -> Result<Traffic, Uncarried> {
        let (shape, configs) = {
            let network = self.network();
            (network.shape.clone(), network.configs.clone())
        };
        Traffic::new(&shape, &configs, connections)
    }

    fn network(&self) -> MutexGuard<'_, Network> {
        // Changes are complete at any point that can panic.
        self.network.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the port with this name, such as `switch:3`.
    pub fn named(&self, name: &str) -> Option<PortId> {
        let network = self.network();
        let fabric = &network.shape.fabric;
        let (node, number) = name.rsplit_once(':')?;
        let port = topology::Port { node: fabric.find(node)?, number: number.parse().ok()? };
        network.shape.port(id(port)).map(id)
    }

    /// Replaces the links. Nodes stay the same, in the same order.
    pub fn rewire(&self, fabric: Fabric) {
        self.network().shape = Shape::new(fabric);
    }

    /// Replaces the configuration of a port, as another program or a reset would.
    pub fn overwrite(&self, port: PortId, config: PortConfig) {
        self.network().configs.insert(port, config);
    }

    /// Makes a port refuse all writes, or accept them again.
    pub fn refuse(&self, port: PortId, is_refusing: bool) {
        let mut network = self.network();
        match is_refusing {
            true => network.refusing.insert(port),
            false => network.refusing.remove(&port),
        };
    }
}

impl Network {
    fn name(&self, id: PortId) -> Result<String, Fault> {
        let port = self.shape.port(id).ok_or(Fault::NoSuchPort(id))?;
        Ok(self.shape.fabric.describe(port))
    }

    fn config(&self, id: PortId) -> PortConfig {
        self.configs.get(&id).cloned().unwrap_or_default()
    }

    /// Returns the configuration as the port reads it back, if the port can have it.
    fn read_back_form(&self, config: &PortConfig) -> Result<PortConfig, String> {
        let PortConfig { table, weights } = config;
        let (wanted, there) = (table.len(), usize::from(self.queues.get()));
        if wanted != weights.len() || weights.contains(&0) {
            let weights = weights.len();
            return Err(format!(
                "{weights} weights for {wanted} queues: each queue needs a weight of 1 to 255"
            ));
        }
        if wanted > there {
            return Err(format!("{wanted} queues are wanted, and the port has {there}"));
        }
        let weights: Vec<u32> = weights.iter().map(|&weight| weight.into()).collect();
        let lowest = lowest_terms(&weights).into_iter();
        // The quotient is not larger than the original weight, which is a byte.
        Ok(PortConfig {
            table: table.clone(),
            weights: lowest.map(|weight| weight as u8).collect(),
        })
    }
}

impl Switches for Simulated {
    type Plan = SimulatedPlan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        let (shape, queues) = {
            let network = self.network();
            (network.shape.clone(), network.queues)
        };
        self.found = shape;
        let fabric = &self.found.fabric;
        let nodes = fabric.nodes().iter().enumerate().map(|(place, _)| NodeId(place as u32));
        // Only the first port of a host sends.
        let sends = |port: &topology::Port| {
            fabric.node(port.node).kind == NodeKind::Switch || fabric.host_port(port.node) == *port
        };
        let ports = nodes.flat_map(|node| fabric.ports(node)).filter(sends);
        Ok(ports.map(|port| Port { id: id(port), name: fabric.describe(port), queues }).collect())
    }

    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        let mut path: Vec<PortId> = self.found.path(from, to)?.into_iter().map(id).collect();
        path.sort_unstable();
        Ok(path)
    }

    fn plan(&mut self, id: PortId, wanted: &Wanted) -> Result<SimulatedPlan, Fault> {
        let network = self.network();
        let (name, before) = (network.name(id)?, network.config(id));
        let wanted = match wanted {
            Wanted::AsFound => network.before.get(&id).unwrap_or(&before).clone(),
            Wanted::Shared(config) => {
                let unfit = |why| Fault::Unfit { port: name.clone(), why };
                network.read_back_form(config).map_err(unfit)?
            }
        };
        Ok(SimulatedPlan { id, name, before, wanted })
    }

    fn apply(&mut self, plan: &SimulatedPlan) -> Result<Applied, Fault> {
        let mut network = self.network();
        let (port, config) = (network.name(plan.id)?, network.config(plan.id));
        let refused = |reason: &str| {
            let (port, reason) = (port.clone(), reason.to_owned());
            Err(Fault::Refused { port, reason, left: Left::AsBefore })
        };
        if plan.is_empty() {
            return Ok(Applied { is_written: false, config });
        }
        if config != plan.before {
            return refused("the configuration has changed since the plan was made");
        }
        if network.refusing.contains(&plan.id) {
            return refused("it refuses all writes");
        }
        network.before.entry(plan.id).or_insert(config);
        network.configs.insert(plan.id, plan.wanted.clone());
        Ok(Applied { is_written: true, config: plan.wanted.clone() })
    }

    fn read_back(&mut self, id: PortId) -> Result<PortConfig, Fault> {
        let network = self.network();
        network.name(id)?;
        Ok(network.config(id))
    }
}
