//! `bandwise lab`: hosts in network namespaces joined by a switch namespace, whose ports share their links
//! by HTB. It is where Saba can be tried on one machine.
//!
//! What is whose is never guessed from a name: [`record`] says which namespaces were made, and what is there
//! by that name now must be the same one before anything is done to it.

mod down;
mod exec;
mod limited;
mod namespaces;
mod parts;
mod record;
mod root;
mod status;
mod temporary;
mod up;
mod weights;

pub use limited::Limited;
pub use parts::Lab;
pub use root::needs_root;
pub use temporary::Temporary;

use crate::failure::Failure;
use crate::values::{Refusal, refused};

/// What can be done with a lab.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Needs root, and the program ip (Debian: iproute2).

Examples:
  bandwise lab up --hosts 4 --rate 200Mbit
  bandwise lab exec h1 -- ping -c 3 10.0.0.2
  bandwise lab weights h3 10=3 12=1
  bandwise lab status
  bandwise lab down")]
pub enum Command {
    /// Make hosts and a switch in network namespaces
    Up(up::Flags),
    /// Run a command on a host of the lab
    Exec(exec::Flags),
    /// Show hosts, ports and what each mark gets there
    Status(status::Flags),
    /// Set or show who gets how much of the link to a host, by the mark (DSCP) of packets
    Weights(weights::Flags),
    /// Take the lab away
    Down(down::Flags),
}

impl Command {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Command::Up(flags) => flags.run(),
            Command::Exec(flags) => flags.run(),
            Command::Status(flags) => flags.run(),
            Command::Weights(flags) => flags.run(),
            Command::Down(flags) => flags.run(),
        }
    }
}

/// Which lab.
#[derive(Debug, clap::Args)]
struct NameFlag {
    /// Which lab, where there are several
    #[arg(long, value_name = "NAME", value_parser = name, default_value = "lab")]
    name: String,
}

/// The longest name of a lab.
const LONGEST: usize = 16;

fn name(text: &str) -> Result<String, Refusal> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=LONGEST).contains(&text.len()) && text.chars().all(is_plain) && !text.starts_with('-') {
        return Ok(text.to_owned());
    }
    let allowed = format!("up to {LONGEST} of a to z, 0 to 9 and -, such as lab or two-racks");
    refused(None, allowed)
}

/// A lab that is there and whole, by its name.
pub fn open(name: &str) -> anyhow::Result<Lab> {
    let record = record::Record::open(name)?;
    for node in record.lab.nodes() {
        record.namespace(&node)?;
    }
    Ok(record.lab)
}
