//! What the event loop knows of the network, and what of it the core.

use super::EventLoop;
use crate::core::{Input, SeenPort, Way};
use crate::daemon::scout::{self, Known};
use bandwise_enforce::{Port, Switches};

impl<S: Switches + Send + 'static> EventLoop<S> {
    /// Tells the core which ports there are. Ways of connections that were made while others looked are looked up now.
    pub(super) fn seen(&mut self, ports: Vec<Port>, mut ways: Vec<Way>) {
        let since = std::mem::take(&mut self.since);
        ways.extend(scout::others(&mut *self.paths.lock(), since));
        let seen = |Port { id: port, name, queues }| {
            let group = self.groups.of(&name);
            SeenPort { port, name, queues, group }
        };
        let ports = ports.into_iter().map(seen).collect();
        self.hear(Input::Seen { ports, ways });
    }

    pub(super) fn known(&self) -> Known {
        scout::known(self.core.state().connections().map(|of| of.1))
    }
}
