//! Where on this host it is measured: flags that server and client share.

use crate::failure::Failure;
use crate::output::note;
use crate::values::{Refusal, refused};
use bandwise_verbs::ibverbs::{Pages, WantedPages};
use bandwise_verbs::placement::{Near, Processors, allowed, near, stay_on};
use std::fmt;

/// Flags that say where.
#[derive(Debug, clap::Args)]
pub struct Here {
    /// The processors to run on, such as 3 or 0-3,8, one for each thread in turn, or `any`; if not given,
    /// those near the device
    #[arg(long, value_name = "LIST", value_parser = cpu)]
    cpu: Option<Cpu>,
    /// Take memory of huge pages; if there are none, ordinary ones, or with `=must` nothing is measured
    #[arg(long, value_enum, value_name = "IF", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "try")]
    huge_pages: Option<HugePagesFlag>,
}

/// What becomes of a measurement without huge pages.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum HugePagesFlag {
    /// It takes ordinary ones, and says so
    Try,
    /// Nothing is measured
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

/// Where threads run, and what memory is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::rperf) struct Place {
    cpus: Cpus,
    pub(super) pages: WantedPages,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Cpus {
    /// Wherever the system lets them.
    Any,
    /// Anywhere near the device.
    Near(Near),
    /// One for each thread in turn.
    Each(Processors),
}

impl Here {
    /// The place, for a device.
    pub(super) fn resolve(&self, device: &str) -> Result<Place, Failure> {
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
        Ok(Place { cpus, pages })
    }
}

impl Place {
    /// Wherever the system lets threads run.
    pub(in crate::rperf) fn anywhere(pages: WantedPages) -> Self {
        Place { cpus: Cpus::Any, pages }
    }

    /// Has this thread run there: the first is 0. Where it can't, it says so and runs where it is.
    pub(super) fn take(&self, thread: usize) {
        let these = match &self.cpus {
            Cpus::Any => return,
            Cpus::Near(near) => Some(near.processors.clone()),
            Cpus::Each(each) => each.only(thread % each.numbers().len()),
        };
        if let Some(Err(error)) = these.as_ref().map(stay_on) {
            note(format_args!("this thread can't be kept on processors of its own: {error}"));
        }
    }

    /// The processors, as a list; `None` for any.
    pub(super) fn processors(&self) -> Option<String> {
        match &self.cpus {
            Cpus::Any => None,
            Cpus::Near(near) => Some(near.processors.to_string()),
            Cpus::Each(each) => Some(each.to_string()),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cpus {
            Cpus::Any => f.write_str("any processor"),
            Cpus::Each(each) => write!(f, "processor {each}"),
            Cpus::Near(Near { node: Some(node), processors }) => {
                write!(f, "processors {processors}, node {node}, near the device")
            }
            Cpus::Near(Near { node: None, processors }) => {
                write!(f, "processors {processors}, near the device")
            }
        }
    }
}

/// What memory is made of, in words.
pub(super) fn pages(pages: &Pages) -> String {
    match pages {
        Pages::Huge(each) => format!("huge pages of {each}"),
        Pages::Ordinary { .. } => "ordinary pages".to_owned(),
    }
}

/// Says why there are no huge pages, if there should have been.
pub(super) fn tell_of(pages: &Pages) {
    if let Pages::Ordinary { instead_because: Some(why) } = pages {
        note(format_args!("ordinary pages in place of huge ones: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_said() {
        let place = |cpus| Place { cpus, pages: WantedPages::Ordinary };
        let processors: Processors = "0-3,8".parse().unwrap();
        let near = |node| Cpus::Near(Near { node, processors: processors.clone() });
        for (cpus, said) in [
            (Cpus::Any, "any processor"),
            (Cpus::Each(processors.clone()), "processor 0-3,8"),
            (near(Some(1)), "processors 0-3,8, node 1, near the device"),
            (near(None), "processors 0-3,8, near the device"),
        ] {
            assert_eq!(place(cpus).to_string(), said);
        }
    }

    #[test]
    fn only_what_may_be_used() {
        let of = |text: &str| Here { cpu: cpu(text).ok(), huge_pages: None }.resolve("no device");
        assert_eq!(of("any").unwrap().cpus, Cpus::Any);
        let Failure::Usage { message, .. } = of("1023").unwrap_err() else { panic!("not refused") };
        assert!(message.contains("--cpu 1023: not all of these"), "{message}");
        // Software devices are near nothing.
        let none = Here { cpu: None, huge_pages: Some(HugePagesFlag::Must) };
        let place = none.resolve("no device").unwrap();
        assert_eq!((place.cpus, place.pages), (Cpus::Any, WantedPages::Huge));
        assert!(cpu("3-1").is_err() && cpu("all").is_err());
    }
}
