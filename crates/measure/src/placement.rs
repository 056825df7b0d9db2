//! [`Placement`]: processors and memory of the measuring threads.

use crate::Note;
use bandwise_session::WantedPages;
use bandwise_verbs::ibverbs::Pages;
use bandwise_verbs::placement::{Near, Processors, stay_on};
use std::fmt;

/// The processors and the memory of the measuring threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Processors.
    pub cpus: Cpus,
    /// Kind of memory pages.
    pub pages: WantedPages,
}

/// The processors of the measuring threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cpus {
    /// All processors that the system allows.
    Any,
    /// All processors near the device.
    Near(Near),
    /// One for each thread in turn.
    Each(Processors),
}

impl Placement {
    /// Binds the calling thread to the processors for its number, which counts from 0. On failure,
    /// reports the error by `note` and does not bind the thread.
    pub fn bind(&self, thread: usize, note: Note) {
        let processors = match &self.cpus {
            Cpus::Any => return,
            Cpus::Near(near) => Some(near.processors.clone()),
            Cpus::Each(each) => each.only(thread % each.numbers().len()),
        };
        if let Some(Err(error)) = processors.as_ref().map(stay_on) {
            note(format_args!("can't bind thread {thread} to its processors: {error}"));
        }
    }

    /// Returns the processors as a list; `None` for [`Cpus::Any`].
    pub fn processors(&self) -> Option<String> {
        match &self.cpus {
            Cpus::Any => None,
            Cpus::Near(near) => Some(near.processors.to_string()),
            Cpus::Each(each) => Some(each.to_string()),
        }
    }
}

impl fmt::Display for Placement {
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

/// Reports by `note` why huge pages are missing, if they were wanted.
pub(crate) fn report_pages(pages: &Pages, note: Note) {
    if let Pages::Ordinary { instead_because: Some(why) } = pages {
        note(format_args!("ordinary pages in place of huge ones: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_is_displayed() {
        let place = |cpus| Placement { cpus, pages: WantedPages::Ordinary };
        let processors: Processors = "0-3,8".parse().unwrap();
        let near = |node| Cpus::Near(Near { node, processors: processors.clone() });
        for (cpus, text) in [
            (Cpus::Any, "any processor"),
            (Cpus::Each(processors.clone()), "processor 0-3,8"),
            (near(Some(1)), "processors 0-3,8, node 1, near the device"),
            (near(None), "processors 0-3,8, near the device"),
        ] {
            assert_eq!(place(cpus).to_string(), text);
        }
    }
}
