//! [`Options`]: how an application is registered.

use crate::files;
use crate::session::{Named, Session};
use crate::speaker::Speaker;
use crate::wire::Wire;
use crate::{Error, Place, Places, TlsFiles, environment};
use std::path::{Path, PathBuf};

/// How an application is registered.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where the controller is, at one place or several.
    pub controller: Places,
    /// By what it is known at `https`, and knows the program.
    pub tls: TlsFiles,
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
    /// As the [environment] has it: where the controller is, in which files certificates are, in which the token is,
    /// which others must not be able to read, what this host is called, and the job with its hosts and data.
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
            tls: TlsFiles {
                authorities: word(environment::CA_FILE).map(PathBuf::from),
                certificate: word(environment::CERTIFICATE_FILE).map(PathBuf::from),
                key: word(environment::KEY_FILE).map(PathBuf::from),
            },
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

    /// Who speaks for an application of that name. Fails if files for `https` can't be used.
    pub(crate) fn speaker(self, name: &str) -> Result<Speaker, Error> {
        let Options { controller, tls, token, job, nodes, dataset, .. } = self;
        let is_tls = controller.iter().any(|place| matches!(place, Place::Tls(_)));
        let tls = is_tls.then(|| tls.read()).transpose()?;
        let named = Named { name: name.to_owned(), job, nodes, dataset };
        let wire = |place: &Place| Wire::new(place.clone(), tls.clone(), token.clone());
        Ok(Speaker::new(Session::new(named), controller.iter().map(wire).collect()))
    }
}

fn token(path: &Path) -> Result<String, Error> {
    let text = files::read_private(path, "token")?;
    let token = text.trim();
    match (1..=4096).contains(&token.len()) && token.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(files::wrong(path, "no token (allowed: one word of up to 4096 letters)")),
    }
}
