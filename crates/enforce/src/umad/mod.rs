//! [`InfiniBand`]: ports of InfiniBand, read and written by SMPs.
//!
//! A subnet manager runs beside this program. It assigns routes, addresses and the number of lanes.
//! A manager that configures lanes itself (OpenSM with `qos TRUE`) overwrites Saba's tables when it
//! sweeps. A plan then lists the parts to write again.
//!
//! Only `library.rs` calls libibumad; everything else uses a [`Wire`].

mod ask;
mod library;
mod line;
mod plan;
mod wire;

pub use library::{NoDevice, Umad};
pub use plan::IbPlan;
pub use wire::Wire;

use crate::infiniband::{Discovery, Fabric, Kind, Lanes, Patience, PortAt, PortInfo, Tables};
use ask::Reason;
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
use line::Line;
use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU8;
use std::sync::Arc;

/// The switches and hosts of an InfiniBand fabric.
#[derive(Debug)]
pub struct InfiniBand<W = Umad> {
    line: Arc<Line<W>>,
    lanes: Lanes,
    patience: Patience,
    fabric: Fabric,
    found: BTreeMap<PortId, Tables>,
}

/// The number of requests of a discovery after which another user may use the wire: some
/// milliseconds, if all nodes answer.
const AT_A_TURN: usize = 32;

impl<W: Wire> InfiniBand<W> {
    /// Returns a fabric behind a wire, with Saba's lanes. Sends nothing yet.
    pub fn new(wire: W, lanes: Lanes, patience: Patience) -> Self {
        InfiniBand::on(Arc::new(Line::new(wire)), lanes, patience)
    }

    /// Returns a handle to the same fabric and wire for another thread. The copy has discovered
    /// nothing.
    pub fn another(&self) -> Self {
        InfiniBand::on(self.line.clone(), self.lanes.clone(), self.patience)
    }

    fn on(line: Arc<Line<W>>, lanes: Lanes, patience: Patience) -> Self {
        let (fabric, found) = (Fabric::default(), BTreeMap::new());
        InfiniBand { line, lanes, patience, fabric, found }
    }

    /// Returns Saba's lanes.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Returns the fabric of the last discovery.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// Returns the tables that ports had before their first write. A port can't store them, so a
    /// caller that restarts has to store them.
    pub fn found(&self) -> &BTreeMap<PortId, Tables> {
        &self.found
    }

    /// Sets the tables that a port had before its first write, as the caller stored them.
    pub fn remember(&mut self, id: PortId, found: Tables) {
        self.found.insert(id, found);
    }

    /// Discovers the fabric.
    fn find(&mut self) -> Result<(), Fault> {
        let mut discovery = Discovery::new();
        let mut asks = VecDeque::from(discovery.asks());
        let whole = |reason: String| Fault::Unreadable { port: "the fabric".into(), reason };
        while !asks.is_empty() {
            let some = asks.drain(..asks.len().min(AT_A_TURN)).collect();
            let ended = self.ask(some, |subject, request, answer| {
                discovery.answered(subject, &request, answer);
                true
            });
            ended.map_err(|Reason(reason)| whole(reason))?;
            asks.extend(discovery.asks());
        }
        let fabric = discovery.finish();
        if fabric.nodes.is_empty() {
            return Err(whole(fabric.missing.join("; ")));
        }
        if let Some([one, other]) = fabric.ambiguous() {
            let reason =
                format!("{one} and {other} differ only in the uppermost byte of their GUIDs");
            return Err(whole(reason));
        }
        self.fabric = fabric;
        Ok(())
    }

    /// Returns a port with its current properties and tables. If its route has changed, the fabric is discovered once
    /// more.
    fn locate(&mut self, id: PortId) -> Result<(PortAt, PortInfo, Tables), Fault> {
        let mut lost = None;
        if let Some(at) = self.fabric.port(id) {
            match self.read(at) {
                Ok(there) => return Ok(there),
                Err(Reason(reason)) => lost = Some((self.fabric.port_name(at), reason)),
            }
        }
        self.find()?;
        let Some(at) = self.fabric.port(id) else {
            let (port, reason) = lost.ok_or(Fault::NoSuchPort(id))?;
            return Err(Fault::Unreadable { port, reason });
        };
        let port = self.fabric.port_name(at);
        self.read(at).map_err(|Reason(reason)| Fault::Unreadable { port, reason })
    }

    /// Restores the former tables, regardless of the port's current ones.
    fn roll_back(&mut self, plan: &IbPlan) -> Left {
        let mut restore = || -> Result<(), Reason> {
            let (.., now) = self.read(plan.at)?;
            let mut parts = plan.before.differing(&now);
            parts.reverse();
            self.write(plan.at, &plan.before, &parts)?;
            let (.., after) = self.read(plan.at)?;
            let is_back = after == plan.before;
            is_back.then_some(()).ok_or(Reason("it reads back another configuration".into()))
        };
        match restore() {
            Ok(()) => Left::AsBefore,
            Err(Reason(why)) => Left::Otherwise(why),
        }
    }
}

impl<W: Wire> Switches for InfiniBand<W> {
    type Plan = IbPlan;

    /// Returns the ports of hosts and switches that have an active link and a lane of Saba.
    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        self.find()?;
        let mut ports = Vec::new();
        for (&node, read) in &self.fabric.nodes {
            for (&port, (_, info)) in read.read.iter().filter(|(port, _)| **port > 0) {
                let at = PortAt { node, port };
                let queues = NonZeroU8::new(self.lanes.at(info).len() as u8);
                if let (true, true, Some(queues)) =
                    (info.is_active, read.kind != Kind::Other, queues)
                {
                    ports.push(Port { id: at.id(), name: self.fabric.port_name(at), queues });
                }
            }
        }
        ports.sort_by_key(|port| port.id);
        Ok(ports)
    }

    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        if self.fabric.nodes.is_empty() {
            self.find()?;
        }
        let host = |name: &str| {
            let guid = self.fabric.named(name);
            let guid = guid.filter(|guid| self.fabric.nodes[guid].kind == Kind::Host);
            guid.ok_or_else(|| Fault::NoSuchHost(name.to_owned()))
        };
        let paths = self.fabric.path(host(from)?, host(to)?);
        let no_path = || Fault::NoPath { from: from.to_owned(), to: to.to_owned() };
        let mut ids: Vec<PortId> = paths.ok_or_else(no_path)?.into_iter().map(PortAt::id).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    fn plan(&mut self, id: PortId, wanted: &Wanted) -> Result<IbPlan, Fault> {
        let (at, info, before) = self.locate(id)?;
        let name = self.fabric.port_name(at);
        let unfit = |why: String| Fault::Unfit { port: name.clone(), why };
        let (wanted, is_back) = match wanted {
            Wanted::AsFound => (self.found.get(&id).unwrap_or(&before).clone(), true),
            Wanted::Shared(config) => {
                let tables = self.lanes.tables(config, &before, &info);
                (tables.map_err(|why| unfit(why.to_string()))?, false)
            }
        };
        if !wanted.is_like(&before) {
            return Err(unfit("the tables to restore have another size than the port's".into()));
        }
        let mut writes = wanted.differing(&before);
        if is_back {
            writes.reverse();
        }
        Ok(IbPlan { id, at, name, before, wanted, writes })
    }

    fn apply(&mut self, plan: &IbPlan) -> Result<Applied, Fault> {
        let port = plan.name.clone();
        let (at, info, now) = self.locate(plan.id)?;
        if plan.is_empty() {
            return Ok(Applied { is_written: false, config: self.lanes.config(&now, &info) });
        }
        if (at, &now) != (plan.at, &plan.before) {
            let reason = "the configuration has changed since the plan was made".to_owned();
            return Err(Fault::Refused { port, reason, left: Left::AsBefore });
        }
        self.found.entry(plan.id).or_insert_with(|| now.clone());
        let written = self.write(at, &plan.wanted, &plan.writes);
        match written.and_then(|()| self.read(at)) {
            Ok((_, info, after)) if after == plan.wanted => {
                Ok(Applied { is_written: true, config: self.lanes.config(&after, &info) })
            }
            Ok((.., after)) => {
                let parts = plan.wanted.differing(&after);
                let what = parts.iter().map(|&part| {
                    format!("{part}: {} instead of {}", after.show(part), plan.wanted.show(part))
                });
                let what = what.collect::<Vec<_>>().join("; ");
                Err(Fault::Differs { port, what, left: self.roll_back(plan) })
            }
            Err(Reason(reason)) => Err(Fault::Refused { port, reason, left: self.roll_back(plan) }),
        }
    }

    /// Returns the configuration of a port, even if another program wrote it: InfiniBand tables do
    /// not identify the writer.
    fn read_back(&mut self, id: PortId) -> Result<PortConfig, Fault> {
        let (_, info, tables) = self.locate(id)?;
        Ok(self.lanes.config(&tables, &info))
    }
}
