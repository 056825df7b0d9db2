//! [`Credentials`]: the authentication of callers and their permissions. The [`Authenticator`] identifies each caller
//! of gRPC and HTTP before the event loop receives the call. Permissions are checked with each call
//! ([`Handle::call`](crate::daemon::Handle::call)).

mod authenticator;
mod caller;
mod page;
mod token;

pub use crate::pattern::{NoPattern, Pattern};
pub(crate) use authenticator::is_grpc;
pub use authenticator::{Authenticator, FirstCaller, Peer, Unauthenticated};
pub use caller::{Caller, Denied, Rights};
pub use token::{NoDigest, TokenDigest};

use crate::core::Owner;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The credential of a remote caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The credential's name: the owner of clients and limits.
    pub name: String,
    /// The DNS name that a client certificate must be valid for.
    pub certificate: Option<String>,
    /// The digest of the token.
    pub token: Option<TokenDigest>,
    /// The permissions.
    pub rights: Rights,
}

/// All credentials.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    by_certificate: BTreeMap<String, Caller>,
    by_token: BTreeMap<TokenDigest, Caller>,
}

impl Credentials {
    /// Returns the credentials of a settings file, which names each once.
    pub fn new(all: &[Credential]) -> Self {
        let mut credentials = Credentials::default();
        for of in all {
            let caller = Caller::new(Owner::from(of.name.as_str()), Arc::new(of.rights.clone()));
            if let Some(name) = &of.certificate {
                credentials.by_certificate.insert(name.clone(), caller.clone());
            }
            if let Some(token) = of.token {
                credentials.by_token.insert(token, caller);
            }
        }
        credentials
    }

    /// Returns the caller with this token. The lookup compares digests, so its duration reveals
    /// nothing about tokens.
    pub fn of_token(&self, token: &str) -> Option<&Caller> {
        self.by_token.get(&TokenDigest::of(token))
    }

    /// Returns the caller with a certificate for the first DNS name that `is_for` accepts.
    pub fn of_certificate(&self, is_for: impl Fn(&str) -> bool) -> Option<&Caller> {
        self.by_certificate.iter().find(|of| is_for(of.0)).map(|of| of.1)
    }
}
