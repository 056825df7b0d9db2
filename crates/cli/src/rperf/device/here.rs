//! Flags of processors and memory, which server and client share.

use crate::failure::Failure;
use crate::values::{Refusal, refused};
use bandwise_measure::placement::{Cpus, Placement};
use bandwise_session::WantedPages;
use bandwise_verbs::placement::{Near, Processors, allowed, near};

/// The flags of processors and memory.
#[derive(Debug, clap::Args)]
pub(super) struct Here {
    /// Processors, such as 3 or 0-3,8, one for each thread in turn, or `any` [default: those near
    /// the device]
    #[arg(long, value_name = "LIST", value_parser = cpu)]
    #[arg(allow_hyphen_values = true)]
    cpu: Option<Cpu>,
    /// Use huge pages; without any, ordinary pages are used, or with `=must` the command fails
    #[arg(long, value_enum, value_name = "IF", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "try")]
    huge_pages: Option<HugePagesFlag>,
}

/// The reaction to missing huge pages.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum HugePagesFlag {
    /// Use ordinary pages and print a note
    Try,
    /// Fail
    Must,
}

#[derive(Debug, Clone)]
enum Cpu {
    Any,
    These(Processors),
}

fn cpu(text: &str) -> Result<Cpu, Refusal> {
    match text {
        "any" => Ok(Cpu::Any),
        list => match list.parse() {
            Ok(processors) => Ok(Cpu::These(processors)),
            Err(error) => {
                let error: bandwise_verbs::placement::ProcessorsError = error;
                refused(Some(error.to_string()), "numbers of processors such as 3 or 0-3,8, or any")
            }
        },
    }
}

impl Here {
    /// Returns the placement for a device.
    pub(super) fn resolve(&self, device: &str) -> Result<Placement, Failure> {
        let pages = match self.huge_pages {
            None => WantedPages::Ordinary,
            Some(HugePagesFlag::Try) => WantedPages::HugeIfThere,
            Some(HugePagesFlag::Must) => WantedPages::Huge,
        };
        let allowed = allowed().map_err(anyhow::Error::from)?;
        let cpus = match &self.cpu {
            Some(Cpu::Any) => Cpus::Any,
            Some(Cpu::These(these)) => match these.among(&allowed) {
                Some(there) if there == *these => Cpus::Each(there),
                _ => {
                    let message = format!("--cpu {these}: not all of these may be used here");
                    return Err(Failure::usage(message, allowed.to_string()));
                }
            },
            None => {
                let there = near(device).and_then(|near| {
                    let processors = near.processors.among(&allowed)?;
                    Some(Near { processors, ..near })
                });
                match there {
                    Some(near) if near.processors != allowed => Cpus::Near(near),
                    _ => Cpus::Any,
                }
            }
        };
        Ok(Placement { cpus, pages })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unavailable_cpus_are_refused() {
        let of = |text: &str| Here { cpu: cpu(text).ok(), huge_pages: None }.resolve("no device");
        assert_eq!(of("any").unwrap().cpus, Cpus::Any);
        let Failure::Usage { message, .. } = of("1023").unwrap_err() else { panic!("not refused") };
        assert!(message.contains("--cpu 1023: not all of these"), "{message}");
        // Software devices have no local NUMA node.
        let none = Here { cpu: None, huge_pages: Some(HugePagesFlag::Must) };
        let place = none.resolve("no device").unwrap();
        assert_eq!((place.cpus, place.pages), (Cpus::Any, WantedPages::Huge));
        assert!(cpu("3-1").is_err() && cpu("all").is_err());
    }
}
