//! `bandwise fabric show`.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::files::Text;
use crate::output::{Json, note};
use bandwise_topology::read::FabricFile;
use bandwise_topology::routes::{credit_loop, farthest_hosts};
use bandwise_topology::{Adapters, Fabric, Link, MAX_PORTS, NodeId, Port, Routes};
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

impl Flags {
    /// Prints the nodes and links.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[&self.file])?;
        let file = super::read(&Text::read(&self.file)?.source(), MAX_PORTS)?;
        file.parts.iter().for_each(super::announce_routing);
        let answer = ShowAnswer::new(&file);
        answer.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
        outputs.answer(&answer)
    }
}

/// The nodes and links of a fabric, its longest path and a credit loop.
#[derive(Default, Serialize)]
struct ShowAnswer {
    schema: u32,
    hosts: Vec<String>,
    switches: Vec<String>,
    links: Vec<LinkRow>,
    /// The number of parts without a path between them.
    parts: usize,
    /// The egress ports of a packet on the longest path.
    longest_path: Vec<String>,
    credit_loop: Option<Vec<String>>,
    /// The numbers of adapters and servers, if servers seem to have several adapters.
    #[serde(skip_serializing_if = "Option::is_none")]
    adapters: Option<AdaptersRow>,
    warnings: Vec<String>,
    /// The hosts at both ends of the longest path.
    #[serde(skip)]
    ends: Option<[String; 2]>,
    /// The number of links by rate and delay, in words.
    #[serde(skip)]
    kinds: BTreeMap<(u64, u64), (String, usize)>,
}

/// Hosts that are adapters of servers with several adapters, by their names.
#[derive(Serialize)]
struct AdaptersRow {
    adapters: usize,
    servers: usize,
    fewest_of_a_server: usize,
    most_of_a_server: usize,
}

/// A link.
#[derive(Serialize)]
struct LinkRow {
    ends: [String; 2],
    rate_bps: u64,
    delay_ps: u64,
}

impl ShowAnswer {
    fn new(file: &FabricFile) -> Self {
        let mut answer = ShowAnswer {
            schema: 1,
            parts: file.parts.len(),
            warnings: file.warnings.iter().map(ToString::to_string).collect(),
            ..ShowAnswer::default()
        };
        file.parts.iter().for_each(|part| answer.add(part));
        if let Some(adapters) = Adapters::of(answer.hosts.iter().map(String::as_str)) {
            answer.warnings.push(adapters.to_string());
            answer.adapters = Some(AdaptersRow {
                adapters: adapters.adapters,
                servers: adapters.servers,
                fewest_of_a_server: adapters.fewest,
                most_of_a_server: adapters.most,
            });
        }
        answer
    }

    /// Adds a part of the fabric.
    fn add(&mut self, fabric: &Fabric) {
        let name = |&id: &NodeId| fabric.node(id).name.clone();
        self.hosts.extend(fabric.hosts().iter().map(name));
        self.switches.extend(fabric.switches().iter().map(name));
        for link in fabric.links() {
            let words = || format!("{}, {} one way", link.rate, link.delay);
            let key = (link.rate.as_bps(), link.delay.as_ps());
            self.kinds.entry(key).or_insert_with(|| (words(), 0)).1 += 1;
            self.links.push(LinkRow::of(fabric, link));
        }
        let routes = Routes::shortest(fabric);
        let describe = |ports: &[Port]| ports.iter().map(|&port| fabric.describe(port)).collect();
        if let Some(ends) = farthest_hosts(fabric) {
            let path = routes.path(fabric, ends[0], ends[1]);
            if path.len() > self.longest_path.len() {
                self.longest_path = describe(&path);
                self.ends = Some(ends.map(|host| name(&host)));
            }
        }
        if self.credit_loop.is_none() {
            self.credit_loop = credit_loop(fabric, &routes).map(|ports| describe(&ports));
        }
    }
}

impl LinkRow {
    fn of(fabric: &Fabric, link: &Link) -> Self {
        LinkRow {
            ends: link.ends.map(|end| fabric.describe(end)),
            rate_bps: link.rate.as_bps(),
            delay_ps: link.delay.as_ps(),
        }
    }
}

impl Answer for ShowAnswer {
    fn text(&self) -> String {
        let mut out = format!("hosts         {}\n", self.hosts.len());
        out += &format!("switches      {}\n", self.switches.len());
        out += &format!("links         {}\n", self.links.len());
        for (kind, count) in self.kinds.values() {
            out += &format!("              {count} of {kind}\n");
        }
        if self.parts > 1 {
            out += &format!("parts         {}, without a path between them\n", self.parts);
        }
        out += &match &self.ends {
            Some([from, to]) => {
                let links = match self.longest_path.len() {
                    1 => "1 link".to_owned(),
                    n => format!("{n} links"),
                };
                format!("longest path  {links}, such as {from} to {to}\n")
            }
            None => "longest path  none: a single host\n".to_owned(),
        };
        match &self.credit_loop {
            None => out += "credit loop   none: shortest routes can't deadlock\n",
            Some(ports) => {
                out += "credit loop   ports can wait forever for each other's credits:\n";
                for port in ports.iter().chain(ports.first()) {
                    out += &format!("              {port}\n");
                }
            }
        }
        out
    }
}
