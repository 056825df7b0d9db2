//! The effect of a network discovery.

use super::Core;
use super::waiting::Waiting;
use crate::core::input::{DiscoveredPort, Route};
use crate::core::output::Output;
use crate::core::port::PortState;
use crate::core::request::Request;
use bandwise_saba::controller::{ConnectionId, Event, PortId};
use std::collections::{BTreeMap, BTreeSet};

impl Core {
    /// Adds and removes ports, and reroutes connections.
    pub(super) fn discovered(&mut self, ports: Vec<DiscoveredPort>, routes: Vec<Route>) {
        self.discovery.ended(self.now, &self.rules);
        let there: BTreeSet<PortId> = ports.iter().map(|of| of.port).collect();
        let gone: Vec<PortId> =
            self.ports().map(|of| of.0).filter(|port| !there.contains(port)).collect();
        gone.into_iter().for_each(|port| self.lost(port));
        for seen in ports {
            let known = self.ports.all.get(&seen.port).filter(|port| port.is_there);
            let is_same = |port: &PortState| {
                let known = (&port.name, port.queues, &port.group);
                known == (&seen.name, Some(seen.queues), &seen.group)
            };
            if !known.is_some_and(is_same) {
                self.found(seen);
            }
        }
        self.settle();
        self.move_connections(routes);
    }

    fn found(&mut self, DiscoveredPort { port, name, queues, group }: DiscoveredPort) {
        let is_foreign = !self.holding.has(&group);
        let is_drained = self.state.drained.contains(&port);
        let is_left = self.ports.are_left;
        let mut revision = 0;
        self.ports.change(port, self.now, &self.rules, |known| {
            known.revision += 1;
            revision = known.revision;
            known.forget();
            (known.name, known.queues) = (name, Some(queues));
            known.is_there = true;
            (known.group, known.is_foreign) = (group, is_foreign);
            (known.is_drained, known.is_left) = (is_drained, is_left);
        });
        let event = Event::PortFound { port, queues, revision };
        self.controller.handle(event).expect("each revision is higher");
    }

    fn lost(&mut self, port: PortId) {
        let (mut revision, mut name) = (0, String::new());
        self.ports.change(port, self.now, &self.rules, |known| {
            known.revision += 1;
            revision = known.revision;
            name = std::mem::take(&mut known.name);
            known.forget();
        });
        let event = Event::PortLost { port, revision };
        self.controller.handle(event).expect("each revision is higher");
        self.out.push_back(Output::Lost { port, name });
    }

    /// Stores new paths of connections; ports are ordered after that. Requests that wait for the store take the new
    /// path from the start.
    fn move_connections(&mut self, routes: Vec<Route>) {
        if routes.is_empty() {
            return;
        }
        let routes: BTreeMap<_, _> =
            routes.into_iter().map(|route| ((route.from, route.to), route.path)).collect();
        // A newer discovery replaces reroutings that still wait for the store.
        let connections = &self.state.connections;
        let is_superseded = |id: &ConnectionId| {
            let ends = connections.get(id).map(|of| (of.from.clone(), of.to.clone()));
            ends.is_some_and(|ends| routes.contains_key(&ends))
        };
        self.waiting
            .retain(|waiting| !matches!(waiting, Waiting::Moves(id, _) if is_superseded(id)));
        for waiting in &mut self.waiting {
            if let Waiting::Request(_, request, Ok(path)) = waiting
                && let Request::Connect { from, to, .. } = &request.request
                && let Some(route) = routes.get(&(from.as_str().into(), to.as_str().into()))
            {
                *path = route.to_vec();
            }
        }
        for (&id, of) in &self.state.connections {
            let route = routes.get(&(of.from.clone(), of.to.clone()));
            if let Some(path) = route.filter(|path| **path != of.path) {
                self.waiting.push_back(Waiting::Moves(id, path.clone()));
            }
        }
    }
}
