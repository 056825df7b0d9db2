//! [`Named`]: a network with alternative names of hosts.

use crate::{Applied, Fault, Port, Switches, Wanted};
use bandwise_saba::controller::{PortConfig, PortId};
use core::net::IpAddr;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The alternative names of hosts, such as addresses, in [`canonical`] form, with the network's own names.
pub type Names = Arc<BTreeMap<Box<str>, Box<str>>>;

/// Returns a name as it is compared: an address in its canonical form (RFC 5952), and any other name as it is. An IPv4
/// address that is mapped to one of IPv6 is that address.
pub fn canonical(name: &str) -> Cow<'_, str> {
    match name.parse::<IpAddr>() {
        Ok(address) => Cow::Owned(address.to_canonical().to_string()),
        Err(_) => Cow::Borrowed(name),
    }
}

/// Returns whether a network has a host of this name.
pub fn has_host(network: &mut impl Switches, name: &str) -> bool {
    !matches!(network.path(name, name), Err(Fault::NoSuchHost(_)))
}

/// A network with alternative names of hosts. The network's own names come first.
#[derive(Debug, Clone)]
pub struct Named<S> {
    switches: S,
    names: Names,
}

impl<S> Named<S> {
    /// Adds names to a network.
    pub fn new(switches: S, names: Names) -> Self {
        Named { switches, names }
    }
}

impl<S: Switches> Switches for Named<S> {
    type Plan = S::Plan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        self.switches.discover()
    }

    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        let own = self.switches.path(from, to);
        let Err(Fault::NoSuchHost(_)) = own else { return own };
        let Named { switches, names } = self;
        let [from, to] = [from, to].map(|name| match names.get(&*canonical(name)) {
            Some(known) if !has_host(switches, name) => known,
            _ => name,
        });
        self.switches.path(from, to)
    }

    fn plan(&mut self, port: PortId, wanted: &Wanted) -> Result<Self::Plan, Fault> {
        self.switches.plan(port, wanted)
    }

    fn apply(&mut self, plan: &Self::Plan) -> Result<Applied, Fault> {
        self.switches.apply(plan)
    }

    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault> {
        self.switches.read_back(port)
    }
}
