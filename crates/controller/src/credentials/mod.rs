//! [`Credentials`]: who speaks, and what they may say. Whoever comes by gRPC or HTTP is asked the same, once, before
//! the event loop hears of it ([`Authenticator`]); what they may is looked at with each thing they say
//! ([`Handle::say`](crate::daemon::Handle::say)).

mod authenticator;
mod caller;

mod token;

pub use crate::pattern::{NoPattern, Pattern};
pub use authenticator::{Authenticator, Peer, Unauthenticated};
pub use caller::{Caller, Denied, Rights};
pub use token::{NoDigest, TokenDigest};

use crate::core::Owner;
use std::collections::BTreeMap;
use std::sync::Arc;

/// By what somebody who is not on this machine is known, and what they may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// What it is called: limits are counted by it, and clients are its own.
    pub name: String,
    /// The DNS name that a client certificate has to be for.
    pub certificate: Option<String>,
    /// What a token has to have.
    pub token: Option<TokenDigest>,
    /// What may be said.
    pub rights: Rights,
}

/// All who are known.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    by_certificate: BTreeMap<String, Caller>,
    by_token: BTreeMap<TokenDigest, Caller>,
}

impl Credentials {
    /// Those of a file of settings, which names each once.
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

    /// Who has this token. What is compared are sums, so the time it takes says nothing of tokens.
    pub fn of_token(&self, token: &str) -> Option<&Caller> {
        self.by_token.get(&TokenDigest::of(token))
    }

    /// Who has a certificate for the first DNS name that `is_for` says yes to.
    pub fn of_certificate(&self, is_for: impl Fn(&str) -> bool) -> Option<&Caller> {
        self.by_certificate.iter().find(|of| is_for(of.0)).map(|of| of.1)
    }
}
