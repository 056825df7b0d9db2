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

use crate::ets::{Bands, InHardware, MOST};
use crate::htb::{Change, Layout, Marks, Root, changes};
use crate::paths;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Applied, Fault, Plan, Port, Switches, Wanted};
use std::fmt;
use std::num::NonZeroU8;
use write::{Target, is_untaken, write};

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

/// The queues of a port in hardware.
const MOST_IN_HARDWARE: NonZeroU8 = NonZeroU8::new(MOST).expect("not 0");

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

    /// Returns `true` if a switch forwards the packets of a port in hardware. There are then [`MOST`] levels only. A port
    /// that can't be read does not count; its discovery reports why.
    pub fn has_hardware(&mut self) -> bool {
        let mut ids = (0..self.ports.len() as u64).map(PortId);
        ids.any(|id| matches!(self.read_root(id), Ok(Root::Hardware(_))))
    }

    /// Returns the root of a port that can be shared.
    fn read_shared(&mut self, id: PortId) -> Result<Root, Fault> {
        let root = self.read_root(id)?;
        let TcPort { name, device, .. } = self.port(id)?;
        let unfit = |why| Err(Fault::Unfit { port: name.clone(), why });
        match &root {
            Root::Hardware(there) => match there.obstacle(device, &self.marks) {
                Some(why) => unfit(why),
                None if is_untaken(&root) => unfit(
                    "the kernel has its bands, and the hardware has not taken them".to_owned(),
                ),
                None => Ok(root),
            },
            _ => Ok(root),
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

/// Returns the configuration of a root that was read; the default if it is not Saba's.
fn config(root: &Root, marks: &Marks) -> PortConfig {
    match root {
        Root::Saba(tree) => tree.config(marks),
        Root::Hardware(there) => match &there.there {
            InHardware::Bands { bands, .. } => bands.config(),
            _ => PortConfig::default(),
        },
        _ => PortConfig::default(),
    }
}

impl<R: Reach> Switches for LinuxTc<R> {
    type Plan = TcPlan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        let mut ports = Vec::new();
        for id in (0..self.ports.len() as u64).map(PortId) {
            let is_hardware = match self.read_root(id)? {
                // Bands that the hardware has not taken may be so after the next write.
                Root::Hardware(there) => {
                    let TcPort { name, device, .. } = self.port(id)?;
                    if let Some(why) = there.obstacle(device, &self.marks) {
                        return Err(Fault::Unfit { port: name.clone(), why });
                    }
                    true
                }
                _ => false,
            };
            let port = self.port(id)?;
            let (name, queues) = (port.name.clone(), port.layout.queues());
            let queues = if is_hardware { queues.min(MOST_IN_HARDWARE) } else { queues };
            ports.push(Port { id, name, queues });
        }
        Ok(ports)
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
        let before = self.read_root(id)?;
        let port = self.port(id)?;
        let (name, device) = (port.name.clone(), port.device.clone());
        let nobodys = PortConfig::default();
        let shared = match wanted {
            Wanted::AsFound => port.keeps_rate.then_some(&nobodys),
            Wanted::Shared(config) => Some(config),
        };
        let unfit = |why: String| Fault::Unfit { port: name.clone(), why };
        let taken = |what: &str| Fault::Taken { port: name.clone(), what: what.to_owned() };
        let wanted = match (&before, shared) {
            (Root::Other(what), _) => return Err(taken(what)),
            (Root::Hardware(there), shared) => match (&there.there, shared) {
                (InHardware::Other(what), _) => return Err(taken(what)),
                // What stands there can be removed in any case.
                (_, None) => Root::Kernel,
                (_, Some(config)) => match there.obstacle(&device, &self.marks) {
                    Some(why) => return Err(unfit(why)),
                    None => {
                        let bands = Bands::new(&port.layout, config);
                        Root::Bands(bands.map_err(|why| unfit(why.to_string()))?)
                    }
                },
            },
            (_, None) => Root::Kernel,
            (_, Some(config)) => {
                let tree = port.layout.tree(config, &self.marks);
                Root::Saba(tree.map_err(|why| unfit(why.to_string()))?)
            }
        };
        let changes = changes(&before, &wanted);
        Ok(TcPlan { port: id, before, wanted, device, changes })
    }

    fn apply(&mut self, plan: &TcPlan) -> Result<Applied, Fault> {
        self.port(plan.port)?;
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
        let root = self.read_shared(id)?;
        Ok(config(&root, &self.marks))
    }
}
