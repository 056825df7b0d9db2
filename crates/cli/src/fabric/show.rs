//! `bandwise fabric show`.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::files::Text;
use crate::output::Json;
use bandwise_topology::routes::{credit_loop, farthest_hosts};
use bandwise_topology::{Fabric, Link, NodeId, Port, Routes};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Flags of `bandwise fabric show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bandwise fabric show papers/rperf/rack.toml
  ibnetdiscover | bandwise fabric show - --json")]
pub(crate) struct Flags {
    /// TOML, ibnetdiscover output or an ibsim netlist; - for standard input
    file: PathBuf,
    #[command(flatten)]
    json: Json,
}

/// The facts of a fabric.
struct Summary {
    hosts: usize,
    switches: usize,
    links: usize,
    /// The number of links by rate and delay, with a description.
    kinds: BTreeMap<(u64, u64), (String, usize)>,
    /// The output ports along the longest path.
    longest: Vec<Port>,
    credit_loop: Option<Vec<Port>>,
}

impl Flags {
    /// Prints the summary.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[&self.file])?;
        let fabric = super::read(&Text::read(&self.file)?.source())?;
        super::announce_routing(&fabric);
        let summary = Summary::of(&fabric);
        outputs.answer(&ShowAnswer::new(&summary, &fabric))
    }
}

/// The parts of a fabric, its longest path and a credit loop.
#[derive(Serialize)]
struct ShowAnswer<'a> {
    schema: u32,
    hosts: Vec<&'a str>,
    switches: Vec<&'a str>,
    links: Vec<LinkRow>,
    longest_path: Vec<String>,
    credit_loop: Option<Vec<String>>,
    #[serde(skip)]
    summary: &'a Summary,
    #[serde(skip)]
    fabric: &'a Fabric,
}

/// A link.
#[derive(Serialize)]
struct LinkRow {
    ends: [String; 2],
    rate_bps: u64,
    delay_ps: u64,
}

impl<'a> ShowAnswer<'a> {
    fn new(summary: &'a Summary, fabric: &'a Fabric) -> Self {
        let names = |ids: &[NodeId]| -> Vec<&'a str> {
            ids.iter().map(|&id| fabric.node(id).name.as_str()).collect()
        };
        let ports = |ports: &[Port]| -> Vec<String> {
            ports.iter().map(|&port| fabric.describe(port)).collect()
        };
        let link = |link: &Link| LinkRow {
            ends: link.ends.map(|end| fabric.describe(end)),
            rate_bps: link.rate.as_bps(),
            delay_ps: link.delay.as_ps(),
        };
        ShowAnswer {
            schema: 1,
            hosts: names(fabric.hosts()),
            switches: names(fabric.switches()),
            links: fabric.links().iter().map(link).collect(),
            longest_path: ports(&summary.longest),
            credit_loop: summary.credit_loop.as_deref().map(ports),
            summary,
            fabric,
        }
    }
}

impl Answer for ShowAnswer<'_> {
    fn text(&self) -> String {
        self.summary.text(self.fabric)
    }
}

impl Summary {
    fn of(fabric: &Fabric) -> Self {
        let routes = Routes::shortest(fabric);
        let mut kinds = BTreeMap::new();
        for link in fabric.links() {
            let words = || format!("{}, {} one way", link.rate, link.delay);
            let key = (link.rate.as_bps(), link.delay.as_ps());
            kinds.entry(key).or_insert_with(|| (words(), 0)).1 += 1;
        }
        Summary {
            hosts: fabric.hosts().len(),
            switches: fabric.switches().len(),
            links: fabric.links().len(),
            kinds,
            longest: farthest_hosts(fabric)
                .map(|[src, dst]| routes.path(fabric, src, dst))
                .unwrap_or_default(),
            credit_loop: credit_loop(fabric, &routes),
        }
    }

    fn text(&self, fabric: &Fabric) -> String {
        let mut out = format!("hosts         {}\n", self.hosts);
        out += &format!("switches      {}\n", self.switches);
        out += &format!("links         {}\n", self.links);
        for (kind, count) in self.kinds.values() {
            out += &format!("              {count} of {kind}\n");
        }
        out += &match self.ends(fabric) {
            Some([from, to]) => {
                let links = match self.longest.len() {
                    1 => "1 link".to_owned(),
                    n => format!("{n} links"),
                };
                format!("longest path  {links}, such as {from} to {to}\n")
            }
            None => "longest path  none: a single host\n".to_owned(),
        };
        out += &match &self.credit_loop {
            None => "credit loop   none: shortest routes can't deadlock\n".to_owned(),
            Some(ports) => format!(
                "credit loop   ports can wait forever for each other's credits:\n{}",
                super::port_cycle(fabric, ports)
                    .iter()
                    .map(|port| format!("              {port}\n"))
                    .collect::<String>()
            ),
        };
        out
    }

    /// Returns the hosts at both ends of the longest path.
    fn ends<'a>(&self, fabric: &'a Fabric) -> Option<[&'a str; 2]> {
        let (first, last) = (self.longest.first()?, self.longest.last()?);
        let (end, _) = fabric.peer(*last)?;
        Some([first.node, end.node].map(|id| fabric.node(id).name.as_str()))
    }
}
