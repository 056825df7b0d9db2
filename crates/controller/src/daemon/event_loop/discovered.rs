//! The handling of network discoveries in the event loop.

use super::EventLoop;
use crate::core::{DiscoveredPort, Input, Route};
use crate::daemon::discovery::{self, KnownPaths};
use bandwise_switches::{Port, Switches};

impl<S: Switches + Send + 'static> EventLoop<S> {
    /// Passes the discovered ports to the core. The routes of connections that were requested during the discovery are
    /// looked up now.
    pub(super) fn discovered(&mut self, ports: Vec<Port>, mut routes: Vec<Route>) {
        let since = std::mem::take(&mut self.since);
        routes.extend(discovery::changed_routes(&mut *self.paths.lock(), since));
        let seen = |Port { id: port, name, queues }| {
            let group = self.groups.of(&name);
            DiscoveredPort { port, name, queues, group }
        };
        let ports = ports.into_iter().map(seen).collect();
        self.handle(Input::Discovered { ports, routes });
    }

    pub(super) fn known_paths(&self) -> KnownPaths {
        discovery::known_paths(self.core.state().connections().map(|of| of.1))
    }
}
