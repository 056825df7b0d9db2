//! `bandwise fabric weights`.

mod kept;
mod shown;
mod values;

use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Json, Outputs, note};
use bandwise_enforce::infiniband::{Lanes, Patience, PortAt};
use bandwise_enforce::umad::{IbPlan, InfiniBand, Umad};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_switches::{Fault, Plan, Port, Switches, Wanted};
use kept::Kept;
use serde::Serialize;
use shown::Shown;
use std::path::PathBuf;
use values::{Device, Queue, config, device, lanes, queue, sls};

/// Flags of `bandwise fabric weights`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Packets with these service levels (SL) share the link of NODE:PORT by these weights, a virtual lane
(VL) for each weight. Bandwidth that one does not use goes to the others. Only the service levels of
--sls and the lanes of --lanes are written; use them for nothing else. If a subnet manager sets
lanes itself (OpenSM with `qos TRUE`), the same command restores what it has overwritten. Without
weights, the command shows the present ones; without a port, those of all ports.

Needs an InfiniBand device, libibumad (Debian: libibumad3) and usually root.

Examples:
  bandwise fabric weights
  bandwise fabric weights --from node1 --to node2
  bandwise fabric weights leaf1:3 1=3 2=1 --plan
  # SL 1 and 4 share a lane; earlier weights are saved, and restored
  bandwise fabric weights leaf1:3 1,4=3 2=1 --keep before.json
  bandwise fabric weights leaf1:3 --restore before.json")]
pub(crate) struct Flags {
    /// Port as listed, or with the node's GUID: 0x0002c90300001234:3
    #[arg(value_name = "NODE:PORT")]
    port: Option<String>,
    /// Service levels that share a lane, and its weight, 1 to 255
    #[arg(value_name = "SL[,SL]=WEIGHT", value_parser = queue)]
    queues: Vec<Queue>,
    /// Remove all weights; the service levels use the lane of SL 0
    #[arg(long, requires = "port", conflicts_with = "queues")]
    clear: bool,
    /// Restore the port from FILE
    #[arg(long, value_name = "FILE", requires = "port", conflicts_with_all = ["queues", "clear", "keep"])]
    restore: Option<PathBuf>,
    /// Save the present weights to FILE, unless it already has the port
    #[arg(long, value_name = "FILE", requires = "port")]
    keep: Option<PathBuf>,
    /// Print what would be written; write nothing
    #[arg(long, requires = "port")]
    plan: bool,
    /// Only ports on the path from this host
    #[arg(long, value_name = "HOST", requires = "to", conflicts_with = "port")]
    from: Option<String>,
    /// To this host
    #[arg(long, value_name = "HOST", requires = "from")]
    to: Option<String>,
    /// Service levels that may be written
    #[arg(long, value_name = "LIST", value_parser = sls, default_value = "1-8")]
    #[arg(allow_hyphen_values = true)]
    sls: values::Sls,
    /// Virtual lanes that may be written
    #[arg(long, value_name = "LIST", value_parser = lanes, default_value = "1-4")]
    #[arg(allow_hyphen_values = true)]
    lanes: values::Vls,
    /// Device to send from, and its port [default: the first with an active port]
    #[arg(long, value_name = "DEVICE[:PORT]", value_parser = device)]
    device: Option<Device>,
    #[command(flatten)]
    json: Json,
}

/// Ports with their weights.
#[derive(Serialize)]
struct WeightsAnswer {
    schema: u32,
    ports: Vec<Shown>,
    stats: Stats,
}

impl Answer for WeightsAnswer {
    fn text(&self) -> String {
        shown::text(&self.ports)
    }
}

/// The writes of a plan, a line each.
#[derive(Serialize)]
struct WritesAnswer {
    schema: u32,
    plan: Vec<String>,
    stats: Stats,
}

impl Answer for WritesAnswer {
    fn text(&self) -> String {
        match self.plan.is_empty() {
            true => "no change: the port has these weights\n".to_owned(),
            false => self.plan.iter().map(|line| format!("{line}\n")).collect(),
        }
    }
}

/// Returns the failure for a fault of the fabric.
fn failed(fault: Fault) -> Failure {
    match fault {
        Fault::NoSuchHost(name) => Failure::usage(
            format!("there is no host {name:?}"),
            "a host that is listed, by its name or GUID",
        ),
        fault => Failure::Work(fault.into()),
    }
}

impl Flags {
    /// Writes the weights, if any are given, reads the ports back and prints them.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let given = Lanes::new(self.sls.0.clone(), self.lanes.0.clone());
        let given =
            given.map_err(|why| Failure::usage(why.to_string(), "--sls 1-8 --lanes 1-4"))?;
        let config = config(&self.queues, &given)?;
        if self.plan && self.queues.is_empty() && !self.clear && self.restore.is_none() {
            let allowed = "weights, --clear or --restore FILE";
            return Err(Failure::usage("--plan without anything to write", allowed));
        }
        let files = [&self.restore, &self.keep];
        let files: Vec<&std::path::Path> =
            files.into_iter().flatten().map(PathBuf::as_path).collect();
        let outputs = self.json.clone().resolve(&files)?;
        let device = self.device.clone().unwrap_or_default();
        let wire = Umad::open(device.name.as_deref(), device.port).map_err(anyhow::Error::from)?;
        let mut fabric = InfiniBand::new(wire, given, Patience::default());
        let ports = fabric.discover().map_err(failed)?;
        for missing in &fabric.fabric().missing {
            note(format_args!("warning: not read: {missing}"));
        }
        let chosen = self.chosen(&mut fabric, &ports)?;
        if let (Some(&port), Some(wanted)) =
            (chosen.first(), self.wanted(&mut fabric, config, &chosen)?)
        {
            let plan = fabric.plan(port.id, &wanted).map_err(failed)?;
            if self.plan {
                return self.planned(&plan, &outputs);
            }
            if let Some(file) = self.keep.as_ref().filter(|_| !plan.is_empty()) {
                let mut kept = Kept::read(file)?;
                kept.add(at(&fabric, port.id)?, plan.before());
                kept.write(file)?;
            }
            // Ctrl-C takes effect after the write: a port is written as a whole or not at all.
            let _listening = Interrupt::listen()?;
            fabric.apply(&plan).map_err(failed)?;
        }
        let mut shown = Vec::new();
        for port in chosen {
            let read = fabric.read_back(port.id).map_err(failed)?;
            shown.push(Shown::new(port, at(&fabric, port.id)?, &read, fabric.lanes()));
        }
        outputs.answer(&WeightsAnswer { schema: 1, ports: shown, stats: Stats::HERE })
    }

    /// Returns the selected ports.
    fn chosen<'a>(
        &self,
        fabric: &mut InfiniBand,
        ports: &'a [Port],
    ) -> Result<Vec<&'a Port>, Failure> {
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            let path = fabric.path(from, to).map_err(failed)?;
            return Ok(ports.iter().filter(|port| path.contains(&port.id)).collect());
        }
        let Some(name) = &self.port else { return Ok(ports.iter().collect()) };
        let named = || {
            let (node, port) = name.rsplit_once(':')?;
            let at = PortAt { node: fabric.fabric().named(node)?, port: port.parse().ok()? };
            ports.iter().find(|port| port.id == at.id())
        };
        let allowed = "one that `bandwise fabric weights` lists: with a link in use that has a lane of --lanes";
        let port =
            named().ok_or_else(|| Failure::usage(format!("there is no port {name:?}"), allowed));
        Ok(vec![port?])
    }

    /// Returns the wanted state of the port, or `None` if it has no change.
    fn wanted(
        &self,
        fabric: &mut InfiniBand,
        config: PortConfig,
        chosen: &[&Port],
    ) -> Result<Option<Wanted>, Failure> {
        if let (Some(file), Some(port)) = (&self.restore, chosen.first()) {
            let found = Kept::read(file)?.of(at(fabric, port.id)?);
            let missing = || {
                let message = format!("{} has no weights of {}", file.display(), port.name);
                Failure::usage(message, "a file that --keep wrote for this port")
            };
            fabric.remember(port.id, found.ok_or_else(missing)?);
            return Ok(Some(Wanted::AsFound));
        }
        let is_set = self.clear || !self.queues.is_empty();
        Ok(is_set.then_some(Wanted::Shared(config)))
    }

    fn planned(&self, plan: &IbPlan, outputs: &Outputs) -> Result<(), Failure> {
        let lines: Vec<String> = plan.to_string().lines().map(str::to_owned).collect();
        outputs.answer(&WritesAnswer { schema: 1, plan: lines, stats: Stats::HERE })
    }
}

/// Returns the GUID and the number of a discovered port.
fn at(fabric: &InfiniBand, id: PortId) -> Result<PortAt, Failure> {
    fabric.fabric().port(id).ok_or_else(|| failed(Fault::NoSuchPort(id)))
}
