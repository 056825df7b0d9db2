//! `bandwise fabric convert`.

use crate::failure::Failure;
use crate::files::Text;
use crate::output;
use bandwise_topology::{MAX_PORTS, infiniband, write};
use std::path::PathBuf;

/// Flags of `bandwise fabric convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ibnetdiscover | bandwise fabric convert - --to toml > fabric.toml
  bandwise fabric convert papers/rperf/rack.toml --to ibsim > fabric.net && ibsim -s fabric.net")]
pub(crate) struct Flags {
    /// TOML, ibnetdiscover output or an ibsim netlist; - for standard input
    file: PathBuf,
    /// Format to print
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// Bandwise's format, for editing by hand
    Toml,
    /// A netlist for the simulator ibsim
    Ibsim,
}

impl Flags {
    /// Prints the fabric.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let most_ports = match self.to {
            Format::Toml => MAX_PORTS,
            Format::Ibsim => infiniband::MAX_PORTS,
        };
        let fabric = super::connected(&Text::read(&self.file)?.source(), most_ports)?;
        output::print_data(&match self.to {
            Format::Toml => write::toml(&fabric),
            Format::Ibsim => write::ibsim(&fabric).map_err(anyhow::Error::from)?,
        })
    }
}
