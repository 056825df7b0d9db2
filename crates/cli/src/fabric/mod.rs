//! `bandwise fabric`: fabric files, and ports of a real InfiniBand fabric.

mod convert;
mod show;
mod weights;

use crate::failure::Failure;
use crate::output::{note, warn};
use bandwise_input::{InputError, Source};
use bandwise_topology::read::{self, FabricFile, FabricSpec, Format};
use bandwise_topology::{Fabric, MAX_PORTS, Port};
use bandwise_units::Time;
use serde::Deserialize;
use std::io::IsTerminal;
use toml::Spanned;

/// Commands for fabrics.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise fabric show papers/rperf/rack.toml
  ibnetdiscover | bandwise fabric convert - --to toml > fabric.toml
  bandwise fabric weights leaf1:3 1=3 2=1 --plan")]
pub(crate) enum Command {
    /// Show the content of a fabric file, and whether its routes can deadlock
    Show(show::Flags),
    /// Print a fabric in another format
    Convert(convert::Flags),
    /// Set or show the weights of service levels at InfiniBand ports
    Weights(Box<weights::Flags>),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Show(flags) => flags.run(),
            Command::Convert(flags) => flags.run(),
            Command::Weights(flags) => flags.run(),
        }
    }
}

/// Reads a fabric file of any format, or the fabric of a scenario. `most_ports` is the maximum
/// number of ports of a node in the TOML form, which InfiniBand and Ethernet share.
pub(crate) fn read(source: &Source, most_ports: u16) -> Result<FabricFile, InputError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Document {
        kind: Option<Spanned<String>>,
        fabric: Option<FabricSpec>,
        fabric_file: Option<Spanned<String>>,
    }
    if read::detect(source) != Format::Toml || !has_key(source.text) {
        return read::any(source);
    }
    let Document { kind, fabric, fabric_file } = source.toml()?;
    match (fabric, fabric_file, kind) {
        (Some(fabric), ..) => fabric.resolve(source, most_ports).map(FabricFile::whole),
        (None, Some(file), _) => {
            let message = format!("the fabric of this scenario is in {}", file.get_ref());
            Err(source.error(file.span(), message).allowed("that file"))
        }
        (None, None, Some(kind)) => {
            let error = source.error(
                kind.span(),
                "a scenario without a fabric, which has the default of its kind",
            );
            Err(error.allowed("a file with [fabric]"))
        }
        (None, None, None) => read::any(source),
    }
}

/// Returns whether a text has a key of scenarios, or of files with a fabric.
fn has_key(text: &str) -> bool {
    let words = ["kind", "fabric"];
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches('[');
        words.iter().any(|word| line.starts_with(word))
    })
}

/// Reads a fabric in one part, and prints the warnings.
pub(crate) fn connected(source: &Source, most_ports: u16) -> Result<Fabric, InputError> {
    let (fabric, warnings) = read(source, most_ports)?.connected(source)?;
    warnings.iter().for_each(warn);
    Ok(fabric)
}

/// The largest number of hosts whose routing takes no noticeable time.
const LARGE: usize = 5_000;

/// Prints a note on a terminal before the routing of a large fabric, which can take seconds and has
/// no progress bar. Ctrl-C ends the program at once, because no handler is installed yet.
fn announce_routing(fabric: &Fabric) {
    let (hosts, switches) = (fabric.hosts().len(), fabric.switches().len());
    if hosts > LARGE && std::io::stderr().is_terminal() {
        note(format_args!("routing {hosts} hosts over {switches} switches …"));
    }
}

/// Prints the same note for a text that is about to be read and routed. A text that can't be read
/// is reported by its reader.
pub(crate) fn announce_routing_of(source: &Source) {
    if std::io::stderr().is_terminal()
        && let Ok(file) = read(source, MAX_PORTS)
    {
        file.parts.iter().for_each(announce_routing);
    }
}

/// Returns the failure of a run that ended with a deadlock of these ports.
pub(crate) fn deadlock(fabric: &Fabric, ports: &[Port], simulated: Time) -> Failure {
    let ports = port_cycle(fabric, ports).join(" -> ");
    let what = "deadlock: these ports wait for each other forever";
    anyhow::anyhow!("{what}: {ports} (simulated until {simulated})").into()
}

/// Returns the names of the ports of a loop, the first also at the end.
pub(crate) fn port_cycle(fabric: &Fabric, ports: &[Port]) -> Vec<String> {
    ports.iter().chain(ports.first()).map(|&port| fabric.describe(port)).collect()
}
