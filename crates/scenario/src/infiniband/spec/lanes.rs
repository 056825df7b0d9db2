//! A flow's lanes: each link of its way, and of the way back, must have one that has turns. Else
//! its packets would be dropped, or wait for ever.

use super::flow::FlowSpec;
use crate::infiniband::{Flow, InfinibandScenario};
use crate::reader::values::place;
use bandwise_input::{InputError, Source};
use bandwise_netsim::infiniband::PortQos;
use bandwise_rdma::qos::{Sl, Vl};
use bandwise_rdma::verbs::Transport;
use bandwise_topology::Port;

/// The service level that a flow asks for.
pub(super) fn service_level(source: &Source, spec: &FlowSpec) -> Result<Sl, InputError> {
    let number = spec.sl.as_ref().map_or(0, |sl| *sl.get_ref());
    let level = u8::try_from(number).ok().and_then(|n| Sl::try_from(n).ok());
    level.ok_or_else(|| {
        let at = place(&spec.sl, spec.to.span());
        source.error(at, format!("sl can't be {number}")).allowed("0 to 15")
    })
}

/// Refuses a flow that has no lane somewhere, or one without a turn.
pub(super) fn check(
    source: &Source,
    scenario: &InfinibandScenario,
    spec: &FlowSpec,
    flow: &Flow,
) -> Result<(), InputError> {
    let ways = Ways::of(scenario, flow);
    let Some(obstacle) = ways.obstacle(flow.sl) else { return Ok(()) };
    let (message, remedy) = obstacle.explain(scenario, flow.sl);
    let levels = (0..=15).filter_map(|n| Sl::try_from(n).ok());
    let levels = levels.filter(|&sl| ways.obstacle(sl).is_none());
    let levels: Vec<String> = levels.map(|sl| sl.get().to_string()).collect();
    let allowed = match levels.len() {
        0 => remedy,
        _ => format!("sl = {}, or {remedy}", levels.join(", ")),
    };
    let at = place(&spec.sl, spec.to.span());
    Err(source.error(at, message).allowed(allowed))
}

/// The output ports that a flow's packets leave by.
struct Ways<'a> {
    scenario: &'a InfinibandScenario,
    there: Vec<Port>,
    back: Vec<Port>,
}

/// A port where packets don't get on.
struct Obstacle {
    /// Where they came in, at a switch.
    input: Option<Port>,
    output: Port,
    /// The lane without a turn; `None` if there is no lane.
    vl: Option<Vl>,
    is_back: bool,
}

impl<'a> Ways<'a> {
    fn of(scenario: &'a InfinibandScenario, flow: &Flow) -> Self {
        let hosts = scenario.fabric.hosts();
        let way = |a: usize, b: usize| scenario.routes.path(&scenario.fabric, hosts[a], hosts[b]);
        let mut back = way(flow.to, flow.from);
        if flow.transport == Transport::Ud {
            // Nothing comes back, but a queue pair has a lane at its own port.
            back.truncate(1);
        }
        Ways { scenario, there: way(flow.from, flow.to), back }
    }

    /// The first port where packets of that level don't get on.
    fn obstacle(&self, sl: Sl) -> Option<Obstacle> {
        let there = self.obstacle_on(&self.there, sl);
        there.or_else(|| {
            let back = self.obstacle_on(&self.back, sl)?;
            Some(Obstacle { is_back: true, ..back })
        })
    }

    fn obstacle_on(&self, way: &[Port], sl: Sl) -> Option<Obstacle> {
        let qos = &self.scenario.models.qos;
        let mut input: Option<Port> = None;
        for &output in way {
            let sl2vl = qos.sl2vl(output.node, input.map(|port| port.number), output.number);
            let vl = sl2vl.vl(sl);
            let vlarb = qos.vlarb(output.node, output.number);
            if vl.is_none_or(|vl| vlarb.unserved(vl.bit()) != 0) {
                return Some(Obstacle { input, output, vl, is_back: false });
            }
            input = self.scenario.fabric.peer(output).map(|(port, _)| port);
        }
        None
    }
}

impl Obstacle {
    /// What is wrong there, and what would help.
    fn explain(&self, scenario: &InfinibandScenario, sl: Sl) -> (String, String) {
        let Obstacle { input, output, vl, is_back } = *self;
        let qos = &scenario.models.qos;
        let name = |port| scenario.fabric.describe(port);
        let at = match input {
            Some(input) => format!("from {} to {}", name(input), name(output)),
            None => format!("at {}", name(output)),
        };
        let back = if is_back { ", on the way back" } else { "" };
        // The table is the port's own, or that of all.
        let own = || qos.ports.iter().filter(|p| p.node == output.node && is(p.output, output));
        let node = &scenario.fabric.node(output.node).name;
        match vl {
            None => {
                let by_input = |p: &PortQos| input.is_none_or(|input| is(p.input, input));
                let table = match own().any(|p| p.sl2vl.is_some() && by_input(p)) {
                    true => format!("sl2vl of the [[qos.port]] of {node:?}"),
                    false => "qos.sl2vl".to_owned(),
                };
                (
                    format!("{sl} is mapped to 15 {at}{back}, which drops its packets"),
                    format!("a lane for {sl} in {table}"),
                )
            }
            Some(vl) => {
                let tables = match own().any(|p| p.vlarb.is_some()) {
                    true => format!("high or low of the [[qos.port]] of {node:?}"),
                    false => "qos.high or qos.low".to_owned(),
                };
                (
                    format!("{sl} goes to {vl} {at}{back}, where no turn serves this lane"),
                    format!("a turn for {vl} in {tables}"),
                )
            }
        }
    }
}

/// Whether a table for `given` (all ports, if none) is one for `port`.
fn is(given: Option<u8>, port: Port) -> bool {
    given.is_none_or(|number| number == port.number)
}
