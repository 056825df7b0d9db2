//! [`Etcd`]: the store that controllers share.

use super::groups::Groups;
use super::keys::Keys;
use super::link::{Link, Loaded, PATIENCE, Trouble, within};
use super::session::Session;
use crate::core::{Group, State};
use crate::daemon::{EventSender, Metrics, Persister, PersisterMessage, Stopped};
use crate::settings::{Cluster, ClusterTls};
use etcd_client::{
    Certificate, Compare, CompareOp, ConnectOptions, Identity, TlsOptions, Txn, TxnOp,
};
use sha2::{Digest, Sha256};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::UnboundedReceiver;

/// How many changes etcd takes at once, as it is when nobody has set it otherwise: 128 operations, of which two are ours.
pub const MAX_CHANGES: u32 = 120;

/// Where the store is, and who comes.
#[derive(Debug, Clone)]
pub struct Endpoints {
    /// URLs of etcd, each of which serves all of it.
    pub urls: Vec<String>,
    /// What names begin with.
    pub prefix: String,
    /// A user and a password, and what is encrypted with.
    pub options: ConnectOptions,
    /// After how long without a word this controller is taken for dead.
    pub lease: Duration,
    /// What this controller is called.
    pub own: Group,
}

impl Endpoints {
    /// As settings have it. Certificates, keys and a password are read.
    pub fn new(of: &Cluster) -> Result<Self, EtcdError> {
        let read = |path: &Path| {
            std::fs::read_to_string(path)
                .map_err(|error| EtcdError::File { path: path.to_owned(), why: error.to_string() })
        };
        let mut options = ConnectOptions::new();
        if let Some(ClusterTls { ca, own }) = &of.tls {
            let mut tls = TlsOptions::new().ca_certificate(Certificate::from_pem(read(ca)?));
            if let Some((certificate, key)) = own {
                tls = tls.identity(Identity::from_pem(read(certificate)?, read(key)?));
            }
            options = options.with_tls(tls);
        }
        if let Some((user, password)) = &of.user {
            let password = read(password)?;
            options = options.with_user(user, password.trim_end()).with_auto_token_refresh(true);
        }
        let (urls, prefix) = (of.etcd.clone(), of.prefix.clone());
        Ok(Endpoints { urls, prefix, options, lease: of.lease, own: of.instance.clone() })
    }
}

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub enum EtcdError {
    /// None of them answers.
    #[error("etcd can't be reached: {0}")]
    Unreachable(String),
    /// Something there is not ours.
    #[error("what stands in etcd can't be used: {0}")]
    Unusable(String),
    /// Others go by something else.
    #[error(
        "the controllers that run go by another sensitivity table, seed or groups ({theirs}; here {ours}): \
         give all of them the same, or stop all of them first"
    )]
    OtherRules {
        /// By what others go.
        theirs: String,
        /// By what this one does.
        ours: String,
    },
    /// A certificate, a key or a password.
    #[error("{}: can't be read: {why}", .path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// In whose words.
        why: String,
    },
    /// No thread, no socket.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The store that controllers share.
pub struct Etcd {
    runtime: Runtime,
    session: Session,
}

impl Etcd {
    /// Reads what is stored, and what it has come to. How many levels there are, what the starts of K-means are drawn from
    /// and the sensitivity table's text have to be the same for all.
    pub fn open(
        endpoints: Endpoints,
        groups: &Groups,
        (by, table): ((NonZeroU16, u64), &str),
    ) -> Result<(Self, State, u64), EtcdError> {
        let rules = rules(groups, by, table);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let keys = Keys::under(&endpoints.prefix);
        let loaded = runtime.block_on(begin(&endpoints, &keys, &rules))?;
        let state = State::of(loaded.records.iter().cloned());
        let head = loaded.head;
        let session = Session::new(endpoints, keys, groups.names().cloned().collect(), loaded)?;
        Ok((Etcd { runtime, session }, state, head))
    }

    /// Reads what is stored, and changes nothing.
    pub fn look(endpoints: &Endpoints) -> Result<State, EtcdError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let keys = Keys::under(&endpoints.prefix);
        let (_, loaded) = runtime.block_on(reach(endpoints, &keys))?;
        Ok(State::of(loaded.records))
    }
}

/// What all have to go by, in words and a sum.
fn rules(groups: &Groups, (levels, seed): (NonZeroU16, u64), table: &str) -> String {
    let sum = |text: &str| -> String {
        Sha256::digest(text).iter().take(6).map(|b| format!("{b:02x}")).collect()
    };
    let (table, groups) = (sum(table), sum(&groups.to_string()));
    format!("table {table}, {levels} levels, seed {seed}, groups {groups}")
}

/// The first that answers, and what is there.
async fn reach(endpoints: &Endpoints, keys: &Keys) -> Result<(Link, Loaded), EtcdError> {
    let mut troubles = Vec::new();
    for url in &endpoints.urls {
        let opened = Link::open(url, endpoints.options.clone(), keys.clone()).await;
        let loaded = match opened {
            Ok(mut link) => link.load().await.map(|loaded| (link, loaded)),
            Err(trouble) => Err(trouble),
        };
        match loaded {
            Ok(loaded) => return Ok(loaded),
            Err(Trouble::Refused(said)) => return Err(EtcdError::Unusable(said)),
            Err(Trouble::Lost(said)) => troubles.push(format!("{url}: {said}")),
        }
    }
    Err(EtcdError::Unreachable(troubles.join("; ")))
}

/// How often it is looked whether the others have put there what they go by.
const TRIES: u32 = 20;

/// The same, where this controller goes by what the others do. What it goes by is the rule where no other is alive.
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
                // Somebody took it away by hand: who goes by it puts it there again.
                tries += 1;
                tokio::time::sleep(PATIENCE / 10).await;
                continue;
            }
            let (theirs, ours) = (loaded.rules, ours.to_owned());
            return Err(EtcdError::OtherRules { theirs, ours });
        }
        // If somebody was first, it is looked at again.
        let same = match loaded.rules.is_empty() {
            true => Compare::create_revision(keys.rules(), CompareOp::Equal, 0),
            false => Compare::value(keys.rules(), CompareOp::Equal, loaded.rules),
        };
        let put = TxnOp::put(keys.rules(), ours, None);
        let put = within(link.client.txn(Txn::new().when([same]).and_then([put]))).await;
        put.map_err(|(Trouble::Refused(said) | Trouble::Lost(said))| EtcdError::Unreachable(said))?;
    }
}

impl Persister for Etcd {
    fn run(
        self: Box<Self>,
        messages: UnboundedReceiver<PersisterMessage>,
        events: &EventSender,
        metrics: &Metrics,
    ) -> Result<(), Stopped> {
        let Etcd { runtime, session } = *self;
        runtime.block_on(session.run(messages, events, metrics))
    }
}
