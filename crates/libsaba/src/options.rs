//! [`Options`]: how an application is registered.

use crate::session::{Named, Session};
use crate::speaker::Speaker;
use crate::wire::Wire;
use crate::{Error, Place, Places, environment};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// How an application is registered.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the controller is, at one place or several.
    pub controller: Places,
    /// What it knows the program by, if they are not on the same machine.
    pub token: Option<String>,
    /// What the controller calls this host; the name that it has if none.
    pub host: Option<String>,
    /// Which job it is part of, in up to 256 bytes: processes that register with one name and one job, on
    /// whatever hosts, are one application. Each is an application of its own if none.
    pub job: Option<String>,
    /// On how many hosts the application runs, from 1 on.
    pub nodes: Option<u32>,
    /// On how much data it works: `10000 samples`.
    pub dataset: Option<String>,
}

impl Options {
    /// As the [environment] has it: where the controller is, in which file the token is, which others must not be able
    /// to read, what this host is called, and the job with its hosts and data.
    pub fn from_environment() -> Result<Self, Error> {
        Options::from_environment_with(None)
    }

    /// The same with the token of another file, if one is given.
    pub fn from_environment_with(token_file: Option<&Path>) -> Result<Self, Error> {
        let word = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let controller = word(environment::CONTROLLER).map(|places| places.parse::<Places>());
        let controller =
            controller.transpose().map_err(|error| Error::Argument(error.to_string()))?;
        let there = word(environment::TOKEN_FILE).map(PathBuf::from);
        let token_file = token_file.map(Path::to_owned).or(there);
        let token = token_file.map(|path| token(&path)).transpose()?;
        let nodes = word(environment::NODES).map(|nodes| {
            let number = nodes.parse().ok().filter(|nodes| *nodes > 0);
            let wrong = || format!("{}={nodes} (allowed: a number from 1 on)", environment::NODES);
            number.ok_or_else(|| Error::Argument(wrong()))
        });
        Ok(Options {
            controller: controller.unwrap_or_default(),
            token,
            host: word(environment::HOST),
            job: word(environment::JOB),
            nodes: nodes.transpose()?,
            dataset: word(environment::DATASET),
        })
    }

    /// What this host is called.
    pub fn host_or_own(&self) -> String {
        let own = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        self.host.clone().unwrap_or_else(own)
    }

    /// Who speaks for an application of that name.
    pub(crate) fn speaker(self, name: &str) -> Speaker {
        let Options { controller, token, job, nodes, dataset, .. } = self;
        let named = Named { name: name.to_owned(), job, nodes, dataset };
        let wire = |place: &Place| Wire::new(place.clone(), token.clone());
        Speaker::new(Session::new(named), controller.iter().map(wire).collect())
    }
}

fn token(path: &Path) -> Result<String, Error> {
    let wrong = |why: String| Error::Argument(format!("{}: {why}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o007 != 0 {
        let allowed = "allowed: a mode that gives others nothing, such as 600";
        return Err(wrong(format!(
            "the token can be read by everybody, mode {mode:o} ({allowed})"
        )));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let token = text.trim();
    match (1..=4096).contains(&token.len()) && token.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(wrong("no token (allowed: one word of up to 4096 letters)".into())),
    }
}
