//! [`Reach`]: the ports on the paths of each owner's connections.

use super::change::Client;
use super::owner::Owner;
use bandwise_saba::controller::PortId;
use std::collections::BTreeMap;

/// For each owner the ports on the paths of its connections, with the number of connections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reach(BTreeMap<Owner, BTreeMap<PortId, u32>>);

impl Reach {
    /// Adds a connection of a client.
    pub(super) fn add(&mut self, client: Option<&Client>, path: &[PortId]) {
        let Some(client) = client.filter(|_| !path.is_empty()) else { return };
        if !self.0.contains_key(&client.owner) {
            self.0.insert(client.owner.clone(), BTreeMap::new());
        }
        let ports = self.0.get_mut(&client.owner).expect("the owner is there");
        for &port in path {
            *ports.entry(port).or_default() += 1;
        }
    }

    /// Removes a connection that was added.
    pub(super) fn remove(&mut self, client: Option<&Client>, path: &[PortId]) {
        let Some(client) = client else { return };
        let Some(ports) = self.0.get_mut(&client.owner) else { return };
        for port in path {
            let Some(count) = ports.get_mut(port) else { continue };
            *count -= 1;
            if *count == 0 {
                ports.remove(port);
            }
        }
        if ports.is_empty() {
            self.0.remove(&client.owner);
        }
    }

    /// Iterates over the ports of an owner.
    pub(super) fn of(&self, owner: &Owner) -> impl Iterator<Item = PortId> + '_ {
        self.0.get(owner).into_iter().flat_map(|ports| ports.keys().copied())
    }
}
