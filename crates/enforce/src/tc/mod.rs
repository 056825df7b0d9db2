//! [`LinuxTc`]: ports of Linux, written and read by netlink.

mod namespaces;
mod reach;
mod socket;
mod throttled;
mod wire;
mod write;

pub use namespaces::Namespaces;
pub use reach::Reach;
pub use throttled::Throttled;
pub use wire::{Kernel, Reason, Wire};

use crate::htb::{Change, Layout, Marks, Root, changes};
use crate::paths;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Applied, Fault, Plan, Port, Switches, Wanted};
use std::fmt;
use write::{Target, write};

/// An output port of a host or switch that runs Linux.
#[derive(Debug, Clone)]
pub struct TcPort {
    /// The port's name for people.
    pub name: String,
    /// The node of the port.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// The network namespace of the device, by name; `None` for the namespace of this program.
    pub namespace: Option<String>,
    /// The name of the device.
    pub device: String,
    /// The sharing of its link.
    pub layout: Layout,
    /// True if nothing else limits the link, as in a lab. Such a port keeps its rate when it is restored; others get
    /// the kernel's default.
    pub keeps_rate: bool,
}

/// Ports of Linux. The operator lists them; their configuration is read.
#[derive(Debug)]
pub struct LinuxTc<R = Namespaces> {
    ports: Vec<TcPort>,
    marks: Marks,
    reach: R,
}

/// A planned change of a port of Linux.
#[derive(Debug, Clone)]
pub struct TcPlan {
    port: PortId,
    before: Root,
    wanted: Root,
    device: String,
    changes: Vec<Change>,
}

impl Plan for TcPlan {
    fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

impl fmt::Display for TcPlan {
    /// Writes the lines of `tc -batch` that make this change.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.changes.iter().try_for_each(|change| writeln!(f, "{}", change.line(&self.device)))
    }
}

impl<R: Reach> LinuxTc<R> {
    /// Returns these ports, numbered from 0.
    pub fn new(ports: Vec<TcPort>, marks: Marks, reach: R) -> Self {
        LinuxTc { ports, marks, reach }
    }

    /// Returns a port of the list.
    ///
    /// # Errors
    ///
    /// Returns [`Fault::NoSuchPort`] if there is no such port.
    pub fn port(&self, id: PortId) -> Result<&TcPort, Fault> {
        let at = usize::try_from(id.0).ok();
        at.and_then(|at| self.ports.get(at)).ok_or(Fault::NoSuchPort(id))
    }

    /// Returns the root of a port that can be shared.
    fn read_shared(&mut self, id: PortId) -> Result<Root, Fault> {
        let root = self.read_root(id)?;
        let TcPort { name, device, .. } = self.port(id)?;
        match root {
            Root::Hardware { switch, .. } => Err(in_hardware(name.clone(), device, &switch)),
            root => Ok(root),
        }
    }

    fn read_root(&mut self, id: PortId) -> Result<Root, Fault> {
        let port = self.port(id)?.name.clone();
        // `port` would borrow all of `self`, and `reach` is borrowed too.
        let TcPort { namespace, device, .. } = &self.ports[id.0 as usize];
        let read = self.reach.visit(namespace.as_deref(), device, &[]);
        read.map_err(|Reason(reason)| Fault::Unreadable { port, reason })
    }
}

/// Returns the fault of a port whose packets the kernel does not queue.
fn in_hardware(port: String, device: &str, switch: &str) -> Fault {
    let why = format!(
        "{device} is a port of switch {switch}, which forwards packets in hardware: they never reach HTB in the kernel, so \
         weights there have no effect. Nothing was written. Set the switch's own ETS (`dcb ets`, `tc qdisc … ets`), and \
         remove this [[port]]"
    );
    Fault::Unfit { port, why }
}

impl<R: Reach> Switches for LinuxTc<R> {
    type Plan = TcPlan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        for id in 0..self.ports.len() {
            self.read_shared(PortId(id as u64))?;
        }
        let port = |(id, port): (u64, &TcPort)| Port {
            id: PortId(id),
            name: port.name.clone(),
            queues: port.layout.queues(),
        };
        Ok((0..).zip(&self.ports).map(port).collect())
    }

    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        let links: Vec<(&str, &str)> =
            self.ports.iter().map(|port| (&*port.from, &*port.to)).collect();
        for host in [from, to] {
            if !links.iter().any(|&(a, b)| a == host || b == host) {
                return Err(Fault::NoSuchHost(host.to_owned()));
            }
        }
        let path = paths::shortest(&links, from, to);
        if path.is_empty() {
            return Err(Fault::NoPath { from: from.to_owned(), to: to.to_owned() });
        }
        Ok(path.into_iter().map(|at| PortId(at as u64)).collect())
    }

    fn plan(&mut self, id: PortId, wanted: &Wanted) -> Result<TcPlan, Fault> {
        let port = self.port(id)?;
        let (name, device) = (port.name.clone(), port.device.clone());
        let nobodys = PortConfig::default();
        let shared = match wanted {
            Wanted::AsFound => port.keeps_rate.then_some(&nobodys),
            Wanted::Shared(config) => Some(config),
        };
        let wanted = match shared {
            None => Root::Kernel,
            Some(config) => {
                let tree = port.layout.tree(config, &self.marks);
                let unfit = |why: crate::htb::Unfit| Fault::Unfit {
                    port: name.clone(),
                    why: why.to_string(),
                };
                Root::Saba(tree.map_err(unfit)?)
            }
        };
        let before = self.read_root(id)?;
        match (&before, &wanted) {
            (Root::Other(what), _) => return Err(Fault::Taken { port: name, what: what.clone() }),
            // What an earlier version wrote there can be removed.
            (Root::Hardware { switch, .. }, Root::Saba(_)) => {
                return Err(in_hardware(name, &device, switch));
            }
            _ => {}
        }
        let changes = changes(&before, &wanted);
        Ok(TcPlan { port: id, before, wanted, device, changes })
    }

    fn apply(&mut self, plan: &TcPlan) -> Result<Applied, Fault> {
        self.port(plan.port)?;
        let config = |root: &Root, marks: &Marks| match root {
            Root::Saba(tree) => tree.config(marks),
            _ => PortConfig::default(),
        };
        if plan.is_empty() {
            let config = config(&plan.before, &self.marks);
            return Ok(Applied { is_written: false, config });
        }
        let TcPort { name, namespace, device, .. } = &self.ports[plan.port.0 as usize];
        let target = Target { name, namespace: namespace.as_deref(), device };
        let after = write(&mut self.reach, target, &plan.before, &plan.wanted)?;
        Ok(Applied { is_written: true, config: config(&after, &self.marks) })
    }

    fn read_back(&mut self, id: PortId) -> Result<PortConfig, Fault> {
        match self.read_shared(id)? {
            Root::Saba(tree) => Ok(tree.config(&self.marks)),
            _ => Ok(PortConfig::default()),
        }
    }
}
