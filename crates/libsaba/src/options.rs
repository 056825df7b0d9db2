//! [`Options`]: the options of a registration.

use crate::driver::Driver;
use crate::files;
use crate::http::HttpConnection;
use crate::session::{Registration, Session};
use crate::{Endpoint, Endpoints, Error, Resolve, TlsFiles, environment};
use std::path::{Path, PathBuf};

/// The options of a registration.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The controller's endpoints.
    pub controller: Endpoints,
    /// The certificates for `https` endpoints.
    pub tls: TlsFiles,
    /// The token for controllers on other machines.
    pub token: Option<String>,
    /// The resolver of host names; by default the system's, in this process.
    pub resolve: Option<Resolve>,
    /// The controller's name for this host; by default the host's own name.
    pub host: Option<String>,
    /// The job, in up to 256 bytes. Processes on any host that register the same name and job are one application.
    /// Without a job each registration is an application of its own.
    pub job: Option<String>,
    /// The number of hosts that the application runs on, from 1 on.
    pub nodes: Option<u32>,
    /// The amount of data that the application works on: `10000 samples`.
    pub dataset: Option<String>,
}

impl Options {
    /// Reads the options from the [environment]. The file of the token must not be readable by others.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if a value is invalid or a file can't be read.
    pub fn from_environment() -> Result<Self, Error> {
        Options::from_environment_with(None)
    }

    /// Reads the options from the [environment], with the token of another file if one is given.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Argument`] if a value is invalid or a file can't be read.
    pub fn from_environment_with(token_file: Option<&Path>) -> Result<Self, Error> {
        let word = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let controller =
            word(environment::CONTROLLER).map(|endpoints| endpoints.parse::<Endpoints>());
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
            resolve: None,
            host: word(environment::HOST),
            job: word(environment::JOB),
            nodes: nodes.transpose()?,
            dataset: word(environment::DATASET),
        })
    }

    /// Returns the controller's name for this host.
    pub fn host_or_own(&self) -> String {
        let own = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        self.host.clone().unwrap_or_else(own)
    }

    /// Returns the session of an application and its driver. Fails if a file for `https` is invalid.
    pub(crate) fn session(self, name: &str) -> Result<(Session, Driver), Error> {
        let Options { controller, tls, token, resolve, job, nodes, dataset, .. } = self;
        let is_tls = controller.iter().any(|endpoint| matches!(endpoint, Endpoint::Tls(_)));
        let tls = is_tls.then(|| tls.read()).transpose()?;
        let registration = Registration { name: name.to_owned(), job, nodes, dataset };
        let connection = |endpoint: &Endpoint| {
            HttpConnection::new(endpoint.clone(), tls.clone(), token.clone(), resolve)
        };
        Ok((Session::new(registration), Driver::new(controller.iter().map(connection).collect())))
    }
}

fn token(path: &Path) -> Result<String, Error> {
    let token = bandwise_files::token(path)?;
    match token.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(token),
        false => {
            let why = "the token has other characters than those of one ASCII word";
            Err(files::wrong(path, why, "letters, digits and signs without spaces"))
        }
    }
}
