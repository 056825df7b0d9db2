//! `--trace`: the packets of chosen flows and ports in a file.

use super::pcapng;
use crate::failure::Failure;
use crate::output::{Stream, note};
use crate::values::number;
use bandwise_netsim::ethernet::{Chosen, Sighting};
use bandwise_scenario::ethernet::{EthernetScenario, TransportKind, Wire};
use bandwise_topology::{Fabric, NodeId, Port};
use bandwise_units::Time;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Flags that say what is traced.
#[derive(Debug, clap::Args)]
pub(super) struct TraceFlags {
    /// Trace the flow of that number (in order of start, from 0) at every port that it leaves and
    /// where it arrives; may be given again
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number(0..=u32::MAX.into()))]
    trace_flow: Vec<u64>,
    /// Trace what a port sends and receives; without :PORT, all ports of the node; may be given again
    #[arg(long, value_name = "NODE[:PORT]")]
    trace_port: Vec<String>,
    /// The trace ends after so many packets; the run goes on [default: 100000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number(1..=u32::MAX.into()))]
    trace_packets: Option<u64>,
    /// Keep only so many bytes of each packet; all if not given
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    #[arg(value_parser = number(14..=65_535))]
    trace_snap: Option<u64>,
}

/// About 100 MB of full packets.
const PACKETS: u64 = 100_000;

/// What is traced.
#[derive(Debug)]
pub(super) struct Settings {
    chosen: Chosen,
    packets: u64,
    /// 0 for all.
    snap: u32,
}

impl TraceFlags {
    /// The same, checked; nothing if no trace is wanted.
    pub(super) fn resolve(
        self,
        is_wanted: bool,
        scenario: &EthernetScenario,
    ) -> Result<Option<Settings>, Failure> {
        let fabric = &scenario.fabric;
        if !is_wanted {
            let given = [
                ("--trace-flow", !self.trace_flow.is_empty()),
                ("--trace-port", !self.trace_port.is_empty()),
                ("--trace-packets", self.trace_packets.is_some()),
                ("--trace-snap", self.trace_snap.is_some()),
            ];
            return match given.into_iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(Failure::usage(
                    format!("{flag}: there is no file for packets"),
                    format!("{flag} with --trace FILE.pcapng"),
                )),
                None => Ok(None),
            };
        }
        if scenario.transport == TransportKind::Homa {
            let message = "--trace: packets of homa are of no format that is written";
            return Err(Failure::usage(message, "--trace with irn, roce or iwarp"));
        }
        let flows = self.trace_flow.iter().map(|&flow| flow as u32).collect();
        let mut chosen = Chosen { flows, ..Chosen::default() };
        for name in &self.trace_port {
            chosen.ports.extend(ports(fabric, name)?);
        }
        if chosen == Chosen::default() {
            let nodes = (0..fabric.nodes().len() as u32).map(NodeId);
            chosen.ports = nodes.flat_map(|node| fabric.ports(node)).collect();
        }
        let packets = self.trace_packets.unwrap_or(PACKETS);
        let snap = self.trace_snap.map_or(0, |bytes| bytes as u32);
        Ok(Some(Settings { chosen, packets, snap }))
    }
}

/// The ports that a flag names: `NODE:PORT`, or `NODE`, which may have a colon in it.
fn ports(fabric: &Fabric, name: &str) -> Result<Vec<Port>, Failure> {
    if let Some(node) = fabric.find(name) {
        return Ok(fabric.ports(node).collect());
    }
    let refuse = |what: String, allowed: String| {
        Err(Failure::usage(format!("--trace-port {name}: {what}"), allowed))
    };
    let (node, number) = name.rsplit_once(':').unwrap_or((name, ""));
    let Some(id) = fabric.find(node) else {
        let what = format!("there is no node {node:?}");
        return refuse(what, format!("{}, as NODE or NODE:PORT", names(fabric)));
    };
    match fabric.ports(id).find(|port| port.number.to_string() == number) {
        Some(port) => Ok(vec![port]),
        None => {
            let numbers: Vec<String> = fabric.ports(id).map(|p| p.number.to_string()).collect();
            let what = format!("{node} has no port {number:?} with a cable");
            refuse(what, format!("port {}", numbers.join(", ")))
        }
    }
}

/// How many names an error lists.
const LISTED: usize = 20;

fn names(fabric: &Fabric) -> String {
    let names = fabric.nodes().iter().take(LISTED).map(|node| node.name.as_str());
    let mut list = names.collect::<Vec<_>>().join(", ");
    if fabric.nodes().len() > LISTED {
        list += ", …";
    }
    list
}

/// A trace that is being written.
pub(super) struct Trace<'a> {
    settings: &'a Settings,
    fabric: &'a Fabric,
    wire: Wire<'a>,
    to: Stream,
    /// By port, in the order in which they stand in the file.
    interfaces: BTreeMap<Port, u32>,
    packets: u64,
    /// When the last of them was.
    last: Time,
    frame: Vec<u8>,
    block: Vec<u8>,
    failed: Option<anyhow::Error>,
}

impl<'a> Trace<'a> {
    /// Begins a trace, if it is wanted and there is a file for it.
    pub(super) fn begin(
        settings: Option<&'a Settings>,
        scenario: &'a EthernetScenario,
        to: Option<Stream>,
    ) -> Option<Self> {
        let (settings, to) = settings.zip(to)?;
        let mut trace = Trace {
            settings,
            fabric: &scenario.fabric,
            wire: Wire::new(scenario)?,
            to,
            interfaces: BTreeMap::new(),
            packets: 0,
            last: Time::ZERO,
            frame: Vec::new(),
            block: Vec::new(),
            failed: None,
        };
        let application = concat!("bandwise ", env!("CARGO_PKG_VERSION"));
        pcapng::section(application, &mut trace.block);
        for &port in &settings.chosen.ports {
            trace.interface(port);
        }
        trace.write();
        Some(trace)
    }

    /// What it wants to see.
    pub(super) fn chosen(&self) -> Chosen {
        self.settings.chosen.clone()
    }

    /// Adds a packet, and says whether there is room for more.
    pub(super) fn add(&mut self, sighting: &Sighting) -> ControlFlow<()> {
        let interface = self.interface(sighting.port);
        self.frame.clear();
        self.wire.frame(sighting, &mut self.frame);
        let Sighting { at, direction, .. } = *sighting;
        pcapng::packet(interface, at, direction, &self.frame, self.settings.snap, &mut self.block);
        self.write();
        (self.packets, self.last) = (self.packets + 1, at);
        match self.packets >= self.settings.packets || self.has_failed() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Whether there is no point in going on.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// That was all of a run with so many flows.
    pub(super) fn finish(self, flows: u64) -> Result<(), Failure> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        self.to.finish()?;
        let (packets, last) = (self.packets, self.last.as_s_f64() * 1e3);
        let ports = self.interfaces.len();
        note(format_args!("trace: packets {packets}, ports {ports}, the last at {last:.6} ms"));
        if packets == self.settings.packets {
            note("warning: the trace ends there, the run went on; --trace-packets N allows more");
        }
        if let Some(&missing) =
            self.settings.chosen.flows.range(flows.min(u32::MAX.into()) as u32..).next()
        {
            note(format_args!(
                "warning: there is no flow {missing}: {flows} flows started, from 0"
            ));
        }
        Ok(())
    }

    /// The number of a port in the file, where it may be new.
    fn interface(&mut self, port: Port) -> u32 {
        let next = self.interfaces.len() as u32;
        *self.interfaces.entry(port).or_insert_with(|| {
            let (_, link) = self.fabric.peer(port).expect("a port with a cable");
            let name = self.fabric.describe(port);
            pcapng::interface(&name, link.rate, self.settings.snap, &mut self.block);
            next
        })
    }

    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.to.write(&self.block).err();
        }
        self.block.clear();
    }
}
