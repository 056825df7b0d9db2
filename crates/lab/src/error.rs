//! [`LabError`]: the reasons for which an operation on a lab fails.

use bandwise_enforce::htb::Unfit;
use bandwise_switches::Fault;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of an operation on a lab.
pub type Result<T> = std::result::Result<T, LabError>;

/// An error of an operation on a lab.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The process does not run as root.
    #[error("a lab needs root, for creating and reading network namespaces")]
    NeedsRoot,
    /// The program `ip` does not start.
    #[error("the program ip can't be run (Debian: apt-get install iproute2)")]
    NoIp(#[source] io::Error),
    /// The program `ip` failed.
    #[error("ip {arguments}: {answer}")]
    Ip {
        /// Its arguments.
        arguments: String,
        /// Its standard error, on one line.
        answer: String,
    },
    /// The devices of a namespace could not be configured.
    #[error("{namespace}")]
    Configure {
        /// The namespace.
        namespace: String,
        /// The failure of `ip`.
        source: Box<LabError>,
    },
    /// A file could not be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A record is not JSON of the expected form.
    #[error("{}: not a record of a lab, so its parts are unknown", path.display())]
    BadRecord {
        /// The file.
        path: PathBuf,
        /// The error of the reader.
        source: serde_json::Error,
    },
    /// A record has another schema, or belongs to another lab.
    #[error("{}: the record of something else", .0.display())]
    ForeignRecord(PathBuf),
    /// A lab of this name exists.
    #[error(
        "the lab {0:?} exists already; `bandwise lab down{flag}` removes it, and --name creates another one",
        flag = name_flag(.0)
    )]
    Exists(String),
    /// A lab of this name was started but not completed.
    #[error(
        "the lab {0:?} is incomplete; `bandwise lab down{flag}` removes it",
        flag = name_flag(.0)
    )]
    Incomplete(String),
    /// No lab has this name.
    #[error("there is no lab {0:?}; `bandwise lab up{flag}` creates one", flag = name_flag(.0))]
    Missing(String),
    /// The record does not list this namespace.
    #[error("{0} was never created")]
    NeverMade(String),
    /// A namespace has a name of the lab, but is another namespace.
    #[error("the namespace {0} was not created for this lab")]
    Replaced(String),
    /// A namespace of the lab does not exist.
    #[error("the namespace {0} is gone; `bandwise lab down` removes the rest")]
    Gone(String),
    /// A namespace exists under a name that the lab needs.
    #[error("the network namespace {0} exists, and was not created for a lab")]
    Foreign(String),
    /// Processes run in the lab.
    #[error("commands still run there: {}; end them, or give --force", list(.0))]
    Busy(Vec<Process>),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The lab could not be made; its parts were removed.
    #[error("the incomplete lab was removed")]
    RolledBack(#[source] Box<LabError>),
    /// The lab could not be made, and some of its parts could not be removed.
    #[error("the incomplete lab could not be removed: {left:#}")]
    Leftover {
        /// The failure to remove.
        left: Box<LabError>,
        /// The failure to make.
        source: Box<LabError>,
    },
    /// A port can't be shared as wanted.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A port could not be read or written.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl LabError {
    /// Returns a function that adds the path to an error of the operating system.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> LabError {
        let path = path.to_owned();
        move |source| LabError::File { path, source }
    }
}

/// A process that runs in a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The process's name, or `?` if it has ended.
    pub name: String,
    /// The process's number.
    pub pid: u32,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.pid)
    }
}

fn list(processes: &[Process]) -> String {
    processes.iter().map(Process::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the `--name` flag that selects this lab; empty for the default name.
fn name_flag(name: &str) -> String {
    if name == "lab" { String::new() } else { format!(" --name {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_command_that_helps() {
        let missing = |name: &str| LabError::Missing(name.to_owned()).to_string();
        assert_eq!(missing("lab"), "there is no lab \"lab\"; `bandwise lab up` creates one");
        assert!(missing("rack2").contains("`bandwise lab up --name rack2`"));
        let busy = LabError::Busy(vec![Process { name: "ping".into(), pid: 7 }]);
        assert!(busy.to_string().contains("ping (7); end them"));
    }
}
