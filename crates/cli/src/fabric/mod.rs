//! `bandwise fabric`: fabric files.

mod convert;
mod show;

use crate::failure::Failure;
use bandwise_input::{InputError, Source};
use bandwise_topology::read::{self, FabricSpec, Format};
use bandwise_topology::{Fabric, Port};
use serde::Deserialize;

/// What can be done with fabrics.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Say what is in a fabric file, and whether its routes can deadlock
    Show(show::Flags),
    /// Print a fabric in another format
    Convert(convert::Flags),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Command::Show(flags) => flags.run(),
            Command::Convert(flags) => flags.run(),
        }
    }
}

/// A fabric file of any format. Of a scenario it is the fabric that counts here.
fn read(source: &Source) -> Result<Fabric, InputError> {
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

/// The ports of a loop by name, the first once more at its end.
pub fn circle(fabric: &Fabric, ports: &[Port]) -> Vec<String> {
    ports.iter().chain(ports.first()).map(|&port| fabric.describe(port)).collect()
}
