//! [`Etcd`]: the store that several controllers share.

use super::calls::Failure;
use super::content::{Loaded, replace_rules};
use super::driver;
use super::groups::Groups;
use super::keys::Keys;
use super::link::{Link, TIMEOUT};
use super::session::{Parameters, Session};
use crate::core::{Clustering, Group, State};
use crate::daemon::{EventSender, Metrics, Persister, PersisterMessage, Stopped};
use crate::pem;
use crate::settings::{Cluster, ClusterTls};
use bandwise_files::FileError;
use etcd_client::{Certificate, ConnectOptions, Identity, TlsOptions};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_rustls::rustls::crypto::ring::default_provider;

/// The address of the store, and the identity of this controller.
#[derive(Debug, Clone)]
pub struct Endpoints {
    /// The URLs of etcd. Each of them serves the whole store.
    pub urls: Vec<String>,
    /// The prefix of all keys.
    pub prefix: String,
    /// The user, the password and the TLS configuration.
    pub options: ConnectOptions,
    /// The lease after which a silent controller counts as dead.
    pub lease: Duration,
    /// The name of this controller.
    pub own: Group,
}

impl Endpoints {
    /// Reads certificates, keys and the password that the settings name.
    ///
    /// # Errors
    ///
    /// Returns a [`FileError`] if a file can't be used, or if everyone can read a key or the password.
    pub fn new(of: &Cluster) -> Result<Self, FileError> {
        let mut options = ConnectOptions::new();
        if let Some(ClusterTls { ca, own }) = &of.tls {
            let authorities = pem::authorities(ca)?;
            let text = authorities.text;
            let mut tls = TlsOptions::new().ca_certificate(Certificate::from_pem(text));
            if let Some((certificate, key)) = own {
                let provider = default_provider();
                let own = pem::identity(certificate, key, &authorities.all, &provider)?;
                tls = tls.identity(Identity::from_pem(own.chain.text, own.key_text));
            }
            options = options.with_tls(tls);
        }
        if let Some((user, password)) = &of.user {
            let password = self::password(password)?;
            options = options.with_user(user, password).with_auto_token_refresh(true);
        }
        let (urls, prefix) = (of.etcd.clone(), of.prefix.clone());
        Ok(Endpoints { urls, prefix, options, lease: of.lease, own: of.instance.clone() })
    }
}

/// The largest size of a file with a password, in bytes.
const LONGEST: u64 = 4096;

/// Reads the password of a user: the text of a file without the white space at its end.
fn password(path: &Path) -> Result<String, FileError> {
    let text = bandwise_files::secret(path, "password", LONGEST)?;
    match text.trim_end() {
        "" => Err(FileError::new(path, "is empty", "a file with the password of the user of etcd")),
        password => Ok(password.to_owned()),
    }
}

/// The reason why the store can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum EtcdError {
    /// No URL answers.
    #[error("etcd can't be reached: {0}")]
    Unreachable(String),
    /// The prefix holds a value of another program.
    #[error("unusable content in etcd: {0}")]
    Unusable(String),
    /// The live controllers have other rules.
    #[error(
        "the live controllers have another sensitivity table, seed or groups ({theirs}; here {ours}): \
         give all the same, or stop all first"
    )]
    OtherRules {
        /// The rules of the live controllers.
        theirs: String,
        /// The rules of this controller.
        ours: String,
    },
    /// A thread or a socket can't be created.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The store that several controllers share.
pub struct Etcd {
    runtime: Runtime,
    endpoints: Endpoints,
    keys: Keys,
    session: Session,
}

impl Etcd {
    /// Opens the store. Also returns the stored state and its revision. All controllers need the
    /// same clustering and the same text of the sensitivity table.
    ///
    /// # Errors
    ///
    /// Returns an [`EtcdError`] if etcd is unreachable, or its content or its rules do not fit.
    pub fn open(
        endpoints: Endpoints,
        groups: &Groups,
        clustering: Clustering,
        table: &str,
    ) -> Result<(Self, State, u64), EtcdError> {
        let rules = rules(groups, clustering, table);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let keys = Keys::under(&endpoints.prefix);
        let loaded = runtime.block_on(begin(&endpoints, &keys, &rules))?;
        let state = State::of(loaded.records.iter().cloned());
        let head = loaded.head;
        let mut run = [0; 8];
        getrandom::fill(&mut run).map_err(std::io::Error::other)?;
        let parameters = Parameters {
            own: endpoints.own.clone(),
            run: u64::from_le_bytes(run),
            groups: groups.names().cloned().collect(),
            rules,
            keys: keys.clone(),
            lease: endpoints.lease,
            endpoints: endpoints.urls.len(),
        };
        let session = Session::new(parameters, loaded);
        Ok((Etcd { runtime, endpoints, keys, session }, state, head))
    }

    /// Reads the stored state and changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an [`EtcdError`] if etcd is unreachable or its content is invalid.
    pub fn read_state(endpoints: &Endpoints) -> Result<State, EtcdError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let keys = Keys::under(&endpoints.prefix);
        let (_, loaded) = runtime.block_on(reach(endpoints, &keys))?;
        Ok(State::of(loaded.records))
    }
}

/// Returns the rules that all controllers must share, as text with hashes.
fn rules(groups: &Groups, clustering: Clustering, table: &str) -> String {
    let Clustering { levels, seed } = clustering;
    let sum = |text: &str| -> String {
        Sha256::digest(text).iter().take(6).map(|b| format!("{b:02x}")).collect()
    };
    let (table, groups) = (sum(table), sum(&groups.to_string()));
    format!("table {table}, {levels} levels, seed {seed}, groups {groups}")
}

/// Connects to the first URL that answers, and loads the store.
async fn reach(endpoints: &Endpoints, keys: &Keys) -> Result<(Link, Loaded), EtcdError> {
    let mut failures = Vec::new();
    for url in &endpoints.urls {
        let opened = Link::open(url, endpoints.options.clone(), keys.clone()).await;
        let loaded = match opened {
            Ok(mut link) => {
                link.load().await.and_then(|content| Ok((link, Loaded::read(keys, &content)?)))
            }
            Err(failure) => Err(failure),
        };
        match loaded {
            Ok(loaded) => return Ok(loaded),
            Err(Failure::Rejected(error)) => return Err(EtcdError::Unusable(error)),
            Err(Failure::Unknown(error)) => failures.push(format!("{url}: {error}")),
        }
    }
    Err(EtcdError::Unreachable(failures.join("; ")))
}

/// The number of attempts to read rules that were removed.
const TRIES: u32 = 20;

/// Loads the store, if this controller's rules equal those of the live controllers. Without live
/// controllers, its own rules replace the stored ones.
async fn begin(endpoints: &Endpoints, keys: &Keys, ours: &str) -> Result<Loaded, EtcdError> {
    let mut tries = 0;
    loop {
        let (mut link, loaded) = reach(endpoints, keys).await?;
        if loaded.rules == ours {
            return Ok(loaded);
        }
        let mut others = loaded.alive.iter().filter(|name| **name != endpoints.own);
        if others.next().is_some() {
            if loaded.rules.is_empty() && tries < TRIES {
                // The rules were removed by hand; a live controller restores them.
                tries += 1;
                tokio::time::sleep(TIMEOUT / 10).await;
                continue;
            }
            let (theirs, ours) = (loaded.rules, ours.to_owned());
            return Err(EtcdError::OtherRules { theirs, ours });
        }
        // If another controller writes the rules first, the loop reads them.
        let put = link.transact(replace_rules(keys, loaded.rules, ours.to_owned())).await;
        put.map_err(|failure| EtcdError::Unreachable(failure.into_error()))?;
    }
}

impl Persister for Etcd {
    fn run(
        self: Box<Self>,
        messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped> {
        let Etcd { runtime, endpoints, keys, session } = *self;
        runtime.block_on(driver::run(session, &endpoints, &keys, messages, events, metrics));
        // A name server that does not answer would delay the end.
        runtime.shutdown_background();
        Ok(())
    }
}
