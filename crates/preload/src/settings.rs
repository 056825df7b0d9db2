//! [`Settings`]: the settings from the environment, read once when the library is loaded.

use crate::log::Log;
use crate::marking::Marking;
use crate::resolver;
use saba::{Error, Mark, Options, environment};
use std::path::PathBuf;

/// The variables for service levels and traffic classes of NCCL and UCX.
const SERVICE_LEVELS: [&str; 2] = ["NCCL_IB_SL", "UCX_IB_SL"];
const CLASSES: [&str; 2] = ["NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS"];

/// The settings of the library.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The application's name in the sensitivity table.
    pub(crate) name: String,
    pub(crate) options: Options,
    /// The mark that the program's starter has received.
    pub(crate) mark: Option<Mark>,
    pub(crate) hosts: PathBuf,
    pub(crate) log: Log,
    /// The service level and the traffic class that the user has set for NCCL or UCX. Queue pairs keep a different one.
    own_service_level: Option<u8>,
    own_class: Option<u8>,
}

impl Settings {
    /// Reads the settings. Returns `None` if the program is no application of Saba, or if a value is invalid, which is
    /// logged.
    pub(crate) fn from_environment() -> Option<Settings> {
        let word = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let name = word(environment::APP)?;
        let number = |name: &&str| word(name)?.parse::<u8>().ok();
        let log = Log { name: name.clone(), path: word(environment::LOG).map(PathBuf::from) };
        let mark = word(environment::MARK).map(|mark| mark.parse::<Mark>()).transpose();
        let mark = mark.map_err(|error| Error::Argument(error.to_string()));
        let read = mark.and_then(|mark| Ok((mark, Options::from_environment()?)));
        let (mark, mut options) = read.inspect_err(|error| log.write(&error.to_string())).ok()?;
        options.resolve = Some(resolver::addresses);
        Some(Settings {
            name,
            options,
            mark,
            hosts: word(environment::HOSTS).unwrap_or_else(|| "/etc/hosts".into()).into(),
            log,
            own_service_level: SERVICE_LEVELS.iter().find_map(number),
            own_class: CLASSES.iter().find_map(number),
        })
    }

    /// Returns the mark of queue pairs, given that of sockets.
    pub(crate) fn of_queue_pairs(&self, marking: Marking) -> Marking {
        let kept = |mark: Option<u8>, own: Option<u8>| {
            mark.filter(|mark| own.is_none_or(|own| own == *mark))
        };
        Marking {
            class: kept(marking.class, self.own_class),
            service_level: kept(marking.service_level, self.own_service_level),
        }
    }
}
