//! [`LinuxTc`]: ports of Linux, written and read by the program `tc` (iproute2).

mod program;

pub use program::{Program, Ran, Run};

use crate::htb::{Layout, Marks, Root, Unreadable, changes, read, show};
use crate::{Applied, Fault, Left, Plan, Port, Switches, Wanted, paths};
use bandwise_saba::controller::{PortConfig, PortId};
use std::fmt;

/// Where data leaves a host or a switch that runs Linux, and how that is shared.
#[derive(Debug, Clone)]
pub struct TcPort {
    /// What people call it.
    pub name: String,
    /// The host or switch that data leaves.
    pub from: String,
    /// The host or switch that it goes to.
    pub to: String,
    /// The network namespace that the device is in, by its name; none for this program's own.
    pub namespace: Option<String>,
    /// The device's name there.
    pub device: String,
    /// How its link is shared.
    pub layout: Layout,
}

/// Ports of Linux. What they are called, where they are and where they lead is said by whoever runs the
/// network; what stands there is read.
#[derive(Debug)]
pub struct LinuxTc<R = Program> {
    ports: Vec<TcPort>,
    marks: Marks,
    run: R,
}

/// What would be written to a port of Linux.
#[derive(Debug, Clone)]
pub struct TcPlan {
    port: PortId,
    before: Root,
    wanted: Root,
    lines: Vec<String>,
}

impl Plan for TcPlan {
    fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl fmt::Display for TcPlan {
    /// Lines for `tc -batch`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl<R: Run> LinuxTc<R> {
    /// These ports, numbered from 0; which marks packets carry; who runs `tc`.
    pub fn new(ports: Vec<TcPort>, marks: Marks, run: R) -> Self {
        LinuxTc { ports, marks, run }
    }

    /// The port with that number, as it was given.
    pub fn port(&self, id: PortId) -> Result<&TcPort, Fault> {
        let at = usize::try_from(id.0).ok();
        at.and_then(|at| self.ports.get(at)).ok_or(Fault::NoSuchPort(id))
    }

    /// Runs lines at a port and reads it after the last. If a line is refused, `tc`'s words.
    fn write(&mut self, id: PortId, lines: &[String]) -> Result<Root, Trouble> {
        // Not through `port`, as `run` is borrowed as well.
        let port = &self.ports[id.0 as usize];
        let mut batch: Vec<&str> = lines.iter().map(String::as_str).collect();
        let show = show(&port.device);
        batch.extend(show.iter().map(String::as_str));
        let ran = self.run.run(port.namespace.as_deref(), &batch);
        let ran = ran.map_err(|error| Trouble(format!("tc could not be run: {error}")))?;
        match ran.refused {
            Some(said) => Err(Trouble(said)),
            None => Ok(read(&ran.shown)?),
        }
    }

    fn read_root(&mut self, id: PortId) -> Result<Root, Fault> {
        let port = self.port(id)?.name.clone();
        self.write(id, &[]).map_err(|Trouble(said)| Fault::Unreadable { port, said })
    }

    /// Puts back what stood there before, whatever stands there now.
    fn roll_back(&mut self, id: PortId, before: &Root) -> Left {
        match self.put_back(id, before) {
            Ok(()) => Left::AsBefore,
            Err(Trouble(why)) => Left::Otherwise(why),
        }
    }

    fn put_back(&mut self, id: PortId, before: &Root) -> Result<(), Trouble> {
        let now = self.write(id, &[])?;
        let lines = lines(&now, before, &self.ports[id.0 as usize].device);
        let after = self.write(id, &lines)?;
        if after.is(before) { Ok(()) } else { Err(Trouble("it reads back otherwise".into())) }
    }
}

/// What leads from one root to another at a device.
fn lines(from: &Root, to: &Root, device: &str) -> Vec<String> {
    changes(from, to).iter().map(|change| change.line(device)).collect()
}

impl<R: Run> Switches for LinuxTc<R> {
    type Plan = TcPlan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        for id in 0..self.ports.len() {
            self.read_root(PortId(id as u64))?;
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
        let wanted = match wanted {
            Wanted::AsFound => Root::Kernel,
            Wanted::Shared(config) => {
                let tree = port.layout.tree(config, &self.marks);
                let unfit = |why: crate::htb::Unfit| Fault::Unfit {
                    port: name.clone(),
                    why: why.to_string(),
                };
                Root::Saba(tree.map_err(unfit)?)
            }
        };
        let before = self.read_root(id)?;
        if let Root::Other(what) = before {
            return Err(Fault::Taken { port: name, what });
        }
        let lines = lines(&before, &wanted, &device);
        Ok(TcPlan { port: id, before, wanted, lines })
    }

    fn apply(&mut self, plan: &TcPlan) -> Result<Applied, Fault> {
        let port = self.port(plan.port)?;
        let (port, device) = (port.name.clone(), port.device.clone());
        let config = |root: &Root, marks: &Marks| match root {
            Root::Saba(tree) => tree.config(marks),
            _ => PortConfig::default(),
        };
        if plan.is_empty() {
            let config = config(&plan.before, &self.marks);
            return Ok(Applied { is_written: false, config });
        }
        match self.write(plan.port, &plan.lines) {
            Ok(after) if after.is(&plan.wanted) => {
                Ok(Applied { is_written: true, config: config(&after, &self.marks) })
            }
            Ok(after) => {
                let missing = lines(&after, &plan.wanted, &device);
                let what = format!("tc {} is still to be done", missing.join(", tc "));
                let left = self.roll_back(plan.port, &plan.before);
                Err(Fault::Differs { port, what, left })
            }
            Err(Trouble(said)) => {
                let left = self.roll_back(plan.port, &plan.before);
                Err(Fault::Refused { port, said, left })
            }
        }
    }

    fn read_back(&mut self, id: PortId) -> Result<PortConfig, Fault> {
        match self.read_root(id)? {
            Root::Saba(tree) => Ok(tree.config(&self.marks)),
            _ => Ok(PortConfig::default()),
        }
    }
}

/// Why a port could not be written or read, for people.
struct Trouble(String);

impl From<Unreadable> for Trouble {
    fn from(error: Unreadable) -> Self {
        Trouble(error.to_string())
    }
}
