//! Lanes of a flow. Each link of the path in both directions must have a lane that the arbitration
//! table serves; otherwise the flow's packets are dropped or wait forever.

use super::{Flow, FlowError, FlowKey, InfinibandScenario};
use bandwise_netsim::infiniband::PortQos;
use bandwise_rdma::qos::{Sl, Vl};
use bandwise_rdma::verbs::Transport;
use bandwise_topology::{NodeId, Port};

/// Refuses a flow with a link on which its packets have no lane, or a lane that is never served.
pub(super) fn check(scenario: &InfinibandScenario, flow: &Flow) -> Result<(), FlowError> {
    let paths = Paths::of(scenario, flow);
    let Some(obstacle) = paths.obstacle(flow.sl) else { return Ok(()) };
    let (message, remedy) = obstacle.explain(scenario, flow.sl);
    let levels = (0..=15).filter_map(|n| Sl::try_from(n).ok());
    let levels = levels.filter(|&sl| paths.obstacle(sl).is_none());
    let levels: Vec<String> = levels.map(|sl| sl.get().to_string()).collect();
    let allowed = match levels.len() {
        0 => remedy,
        _ => format!("sl = {}, or {remedy}", levels.join(", ")),
    };
    Err(FlowError::new(FlowKey::Sl, message).allowed(allowed))
}

/// Output ports of a flow's packets.
struct Paths<'a> {
    scenario: &'a InfinibandScenario,
    forward: Vec<Port>,
    reverse: Vec<Port>,
}

/// A port that packets of a service level can't pass.
struct Obstacle {
    /// Input port of the packets, at a switch.
    input: Option<Port>,
    output: Port,
    /// Lane that is never served; `None` if the level has no lane.
    vl: Option<Vl>,
    /// Switch that does not have the lane.
    without: Option<NodeId>,
    is_reverse: bool,
}

impl<'a> Paths<'a> {
    fn of(scenario: &'a InfinibandScenario, flow: &Flow) -> Self {
        let hosts = scenario.fabric().hosts();
        let path =
            |a: usize, b: usize| scenario.routes().path(scenario.fabric(), hosts[a], hosts[b]);
        let mut reverse = path(flow.to, flow.from);
        if flow.transport == Transport::Ud {
            // Without packets on the way back, the queue pair still has a lane at its own port.
            reverse.truncate(1);
        }
        Paths { scenario, forward: path(flow.from, flow.to), reverse }
    }

    /// Returns the first port that packets of that level can't pass.
    fn obstacle(&self, sl: Sl) -> Option<Obstacle> {
        let forward = self.obstacle_on(&self.forward, sl);
        forward.or_else(|| {
            let reverse = self.obstacle_on(&self.reverse, sl)?;
            Some(Obstacle { is_reverse: true, ..reverse })
        })
    }

    fn obstacle_on(&self, path: &[Port], sl: Sl) -> Option<Obstacle> {
        let qos = &self.scenario.models().qos;
        let mut input: Option<Port> = None;
        for &output in path {
            let sl2vl = qos.sl2vl(output.node, input.map(|port| port.number), output.number);
            let vl = sl2vl.vl(sl);
            let vlarb = qos.vlarb(output.node, output.number);
            let peer = self.scenario.fabric().peer(output).map(|(port, _)| port);
            let without = vl.and_then(|vl| self.without(vl, &[Some(output), peer]));
            if without.is_some() || vl.is_none_or(|vl| vlarb.unserved(vl.bit()) != 0) {
                return Some(Obstacle { input, output, vl, without, is_reverse: false });
            }
            input = peer;
        }
        None
    }

    /// Returns the switch at an end of a link that does not have a lane.
    fn without(&self, vl: Vl, ends: &[Option<Port>]) -> Option<NodeId> {
        let nodes = ends.iter().flatten().map(|port| port.node);
        let mut switches = nodes.filter(|&node| self.scenario.fabric().is_switch(node));
        switches.find(|&node| vl.get() >= self.scenario.models().switch_of(node).of_preset().lanes)
    }
}

impl Obstacle {
    /// Returns the mistake and the remedy.
    fn explain(&self, scenario: &InfinibandScenario, sl: Sl) -> (String, String) {
        let Obstacle { input, output, vl, without, is_reverse } = *self;
        let qos = &scenario.models().qos;
        let name = |port| scenario.fabric().describe(port);
        let at = match input {
            Some(input) => format!("from {} to {}", name(input), name(output)),
            None => format!("at {}", name(output)),
        };
        let reverse = if is_reverse { ", on the way back" } else { "" };
        // The table is the port's own, or that of all ports.
        let own = || qos.ports.iter().filter(|p| p.node == output.node && is(p.output, output));
        let node = &scenario.fabric().node(output.node).name;
        match (vl, without) {
            (Some(vl), Some(switch)) => {
                let preset = scenario.models().switch_of(switch).of_preset();
                let switch = &scenario.fabric().node(switch).name;
                let message = format!(
                    "{sl} goes to {vl} {at}{reverse}, which {switch:?} does not have: {} has {} lanes \
                     for data",
                    preset.name, preset.lanes
                );
                (message, format!("VL0 to VL{} for {sl} in sl2vl", preset.lanes - 1))
            }
            (None, _) => {
                let by_input = |p: &PortQos| input.is_none_or(|input| is(p.input, input));
                let table = match own().any(|p| p.sl2vl.is_some() && by_input(p)) {
                    true => format!("sl2vl of the [[qos.port]] of {node:?}"),
                    false => "qos.sl2vl".to_owned(),
                };
                (
                    format!("{sl} is mapped to 15 {at}{reverse}, which drops its packets"),
                    format!("a lane for {sl} in {table}"),
                )
            }
            (Some(vl), None) => {
                let tables = match own().any(|p| p.vlarb.is_some()) {
                    true => format!("high or low of the [[qos.port]] of {node:?}"),
                    false => "qos.high or qos.low".to_owned(),
                };
                (
                    format!(
                        "{sl} goes to {vl} {at}{reverse}, where no arbitration entry serves this lane"
                    ),
                    format!("an entry for {vl} in {tables}"),
                )
            }
        }
    }
}

/// Returns whether a table for `given` (`None`: all ports) applies to `port`.
fn is(given: Option<u16>, port: Port) -> bool {
    given.is_none_or(|number| number == port.number)
}
