//! `bandwise fabric`: fabric files, and ports of a real fabric of InfiniBand.

mod convert;
mod show;
mod weights;

use crate::failure::Failure;
use crate::output::note;
use bandwise_input::{InputError, Source};
use bandwise_topology::read::{self, FabricSpec, Format};
use bandwise_topology::{Fabric, Port};
use bandwise_units::Time;
use serde::Deserialize;
use std::io::IsTerminal;

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

/// A fabric file of any format. Of a scenario it is the fabric that counts here.
pub(crate) fn read(source: &Source) -> Result<Fabric, InputError> {
    #[derive(Deserialize)]
    struct Document {
        fabric: FabricSpec,
    }
    match read::detect(source) {
        Format::Toml if source.text.contains("fabric") => {
            source.toml::<Document>()?.fabric.resolve(source)
        }
        _ => read::any(source),
    }
}

/// Routing a fabric of more hosts than this takes long enough to wonder what is going on.
const LARGE: usize = 5_000;

/// Tells whoever sits at a terminal that a large fabric is about to be routed, which can take
/// seconds without a bar. Nothing listens to Ctrl-C yet, so that it ends the program at once.
fn announce_routing(fabric: &Fabric) {
    let (hosts, switches) = (fabric.hosts().len(), fabric.switches().len());
    if hosts > LARGE && std::io::stderr().is_terminal() {
        note(format_args!("routing {hosts} hosts over {switches} switches …"));
    }
}

/// The same for a text that is about to be read and routed. One that can't be read is told of then.
pub(crate) fn announce_routing_of(source: &Source) {
    if std::io::stderr().is_terminal()
        && let Ok(fabric) = read(source)
    {
        announce_routing(&fabric);
    }
}

/// Returns the failure of a run that ended with a deadlock of these ports.
pub(crate) fn deadlock(fabric: &Fabric, ports: &[Port], simulated: Time) -> Failure {
    let ports = circle(fabric, ports).join(" -> ");
    let what = "deadlock: these ports wait for each other forever";
    anyhow::anyhow!("{what}: {ports} (simulated until {simulated})").into()
}

/// The ports of a loop by name, the first once more at its end.
pub(crate) fn circle(fabric: &Fabric, ports: &[Port]) -> Vec<String> {
    ports.iter().chain(ports.first()).map(|&port| fabric.describe(port)).collect()
}
