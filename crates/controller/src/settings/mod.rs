//! [`Settings`]: the settings file of a controller. Each part of the file has a module here.

mod cluster;
mod document;
mod hosts;
mod infiniband;
mod listen;
mod logs;
mod network;
mod paths;
mod remote;
mod rules;
mod separate;
mod simulated;
mod value;

pub use cluster::{Cluster, ClusterTls};
pub use hosts::{Host, names_of};
pub use infiniband::InfiniBand;
pub use listen::{Listen, SOCKET};
pub use network::Network;
pub use remote::{Remote, TlsFiles};
pub use simulated::{Shape, Simulated};

use crate::core::Rules;
use crate::credentials::Credential;
use crate::daemon::RotatingFile;
use bandwise_input::{InputError, Source};
use bandwise_saba::controller::Weighting;
use document::Document;
use std::path::{Path, PathBuf};
use toml::Spanned;
use value::{at, file};

/// The settings of a controller.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The network of the ports that the controller shares.
    pub network: Network,
    /// Hosts with alternative names.
    pub hosts: Vec<Host>,
    /// The path of the sensitivity table.
    pub table: PathBuf,
    /// The random seed of K-means.
    pub seed: u64,
    /// The store of the records that outlive the controller.
    pub store: Store,
    /// The local address of the controller.
    pub listen: Listen,
    /// The address for remote hosts, if they are admitted.
    pub remote: Option<Remote>,
    /// The credentials of remote callers.
    pub credentials: Vec<Credential>,
    /// The audit log, if one is configured.
    pub audit: Option<RotatingFile>,
    /// The recording of the core's inputs, if one is configured.
    pub recording: Option<RotatingFile>,
    /// True if the controller restores all ports before it ends.
    pub restores: bool,
    /// Times and limits.
    pub rules: Rules,
}

impl Settings {
    /// Reads settings. Relative paths start at `folder`, the folder of the settings file.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] with the line of the first invalid value.
    pub fn read(source: &Source, folder: &Path) -> Result<Self, InputError> {
        source.check_text("TOML with the settings of a controller")?;
        let document: Document = source.toml()?;
        let path = |name: &Spanned<String>| file(source, name, folder);
        let (remote, credentials) =
            remote::remote(source, document.remote.as_ref(), &document.credential, folder)?;
        let network = network::network(source, &document, folder)?;
        let store = store(source, &document, folder)?;
        let restores = restores(source, document.on_exit.as_ref(), &store)?;
        let rules = rules::rules(source, &document)?;
        let max_changes = matches!(store, Store::Cluster(_)).then_some(crate::cluster::MAX_CHANGES);
        let weighting = weighting(source, document.weights.as_ref(), &store)?;
        let rules = Rules { max_changes, weighting, ..rules };
        Ok(Settings {
            network,
            hosts: hosts::hosts(source, &document.hosts)?,
            table: path(&document.table)?,
            seed: document.seed.unwrap_or(1),
            store,
            listen: listen::listen(source, &document, folder)?,
            remote,
            credentials,
            audit: logs::audit(source, &document, folder)?,
            recording: logs::recording(source, &document, folder)?,
            restores,
            rules,
        })
    }
}

/// The location of the store.
#[derive(Debug, Clone)]
pub enum Store {
    /// A file for this controller alone.
    File(PathBuf),
    /// Etcd, shared with other controllers.
    Cluster(Box<Cluster>),
}

impl std::fmt::Display for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Store::File(path) => write!(f, "{}", path.display()),
            Store::Cluster(cluster) => write!(f, "{}{}", cluster.etcd[0], cluster.prefix),
        }
    }
}

fn store(source: &Source, document: &Document, folder: &Path) -> Result<Store, InputError> {
    let one = "store = \"FILE\", or a [cluster] table for a shared store";
    match (&document.store, &document.cluster) {
        (Some(name), None) => Ok(Store::File(file(source, name, folder)?)),
        (None, Some(spec)) => {
            let cluster = cluster::cluster(source, spec.get_ref(), folder)?;
            Ok(Store::Cluster(Box::new(cluster)))
        }
        (None, None) => Err(source.error(0..0, "no store is named").allowed(one)),
        (Some(_), Some(spec)) => Err(at(source, spec, "a second store").allowed(one)),
    }
}

/// Returns whether ports are restored when the controller ends.
fn restores(
    source: &Source,
    on_exit: Option<&Spanned<String>>,
    store: &Store,
) -> Result<bool, InputError> {
    let Some(text) = on_exit else { return Ok(false) };
    match text.get_ref().as_str() {
        "restore" if matches!(store, Store::Cluster(_)) => {
            let message = "ports that another controller takes over can't be restored";
            Err(at(source, text, message).allowed("\"keep\"; drain the ports first"))
        }
        "keep" => Ok(false),
        "restore" => Ok(true),
        other => {
            let allowed = "\"keep\": ports stay as they are, or \"restore\": ports get the configuration from before the start";
            Err(at(source, text, format!("{other:?} on exit")).allowed(allowed))
        }
    }
}

/// Returns the source of weights.
fn weighting(
    source: &Source,
    weights: Option<&Spanned<String>>,
    store: &Store,
) -> Result<Weighting, InputError> {
    let Some(text) = weights else { return Ok(Weighting::default()) };
    match text.get_ref().as_str() {
        "sensitivity" => Ok(Weighting::Sensitivity),
        // Etcd does not record the weighting of the other controllers.
        "equal" if matches!(store, Store::Cluster(_)) => {
            let message = "equal weights with a shared store";
            Err(at(source, text, message).allowed("\"sensitivity\", or a store of its own"))
        }
        "equal" => Ok(Weighting::EqualQueues),
        other => {
            let allowed = "\"sensitivity\": by the applications' slowdown, or \"equal\": the same for all queues";
            Err(at(source, text, format!("weights by {other:?}")).allowed(allowed))
        }
    }
}

#[cfg(test)]
mod tests;
