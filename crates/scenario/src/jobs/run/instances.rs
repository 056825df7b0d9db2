//! [`Instances`]: the instances of a distributed controller, and the events that they forward (Saba
//! 4.3.4).

use super::controlled::Controllers;
use bandwise_flowsim::Links;
use bandwise_saba::controller::{
    Command, Event, Instance, InstanceId, Partition, PortId, Settings, SharedTable,
};
use bandwise_topology::{Fabric, NodeId, Port};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// An instance for each switch. Forwarded events arrive without delay.
pub(super) struct Instances {
    all: BTreeMap<InstanceId, Instance>,
    partition: Arc<Partition>,
}

impl Instances {
    /// Returns the instances of a fabric. A host's port belongs to its cabled switch. Two hosts
    /// that are cabled to each other have an instance each.
    pub(super) fn new(
        fabric: &Fabric,
        links: &Links,
        settings: Settings,
        table: &Arc<SharedTable>,
    ) -> Self {
        let next_to = |port: Port| fabric.peer(port).map(|peer| peer.0.node);
        let node = |port: Port| match next_to(port).filter(|&node| fabric.is_switch(node)) {
            Some(switch) if !fabric.is_switch(port.node) => switch,
            _ => port.node,
        };
        let id = |NodeId(node)| InstanceId(node);
        let owner = (0..).zip(links.ports()).map(|(link, &port)| (PortId(link), id(node(port))));
        let partition = Arc::new(Partition::new([], owner.collect()));
        let instance = |id| (id, Instance::new(id, partition.clone(), settings, table.clone()));
        let all = partition.instances().map(instance).collect();
        Instances { all, partition }
    }

    /// Returns the receiver of an event. "The closest controller" (Saba 4.3.4) is the owner of a
    /// path's first port, or of the event's port; any other event goes to the first instance.
    fn closest(&self, event: &Event) -> Option<InstanceId> {
        let port = match event {
            Event::Connected { path, .. } | Event::Closed { path, .. } => path.first(),
            Event::PortFound { port, .. } | Event::PortLost { port, .. } => Some(port),
            Event::Registered { .. } | Event::Gone { .. } | Event::ModelUpdated { .. } => None,
        };
        let owner = port.and_then(|&port| self.partition.owner(port).ok());
        owner.or_else(|| self.partition.instances().next())
    }
}

impl Controllers for Instances {
    fn send(&mut self, event: Event) {
        // A fabric without ports has no instance, and nothing to configure.
        let Some(closest) = self.closest(&event) else { return };
        let instance = self.all.get_mut(&closest).expect("owners are instances");
        instance.accept(event).expect("each event is passed once");
        let mut forwards = VecDeque::from(instance.take_forwards());
        while let Some(forward) = forwards.pop_front() {
            let instance = self.all.get_mut(&forward.to).expect("it is told of those there are");
            instance.accept_forwarded(forward.event).expect("each event is passed once");
            forwards.extend(instance.take_forwards());
        }
    }

    fn settle(&mut self) -> Vec<Command> {
        self.all.values_mut().flat_map(Instance::settle).collect()
    }
}
