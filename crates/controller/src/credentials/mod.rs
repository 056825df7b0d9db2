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
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The credential of a remote caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The credential's name: the owner of clients and limits.
    pub name: String,
    /// The DNS name that a client certificate must have, in lower case.
    pub certificate: Option<String>,
    /// The digest of the token.
    pub token: Option<TokenDigest>,
    /// The permissions.
    pub rights: Rights,
}

/// The reason why a certificate is that of no caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Nobody {
    /// No credential has one of the certificate's names.
    #[error("no credential has a name of the client's certificate (wildcards are not names)")]
    Unknown,
    /// Two credentials have names of the certificate.
    #[error("the client's certificate has the names of two credentials, {0} and {1}")]
    Several(Owner, Owner),
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

    /// Returns the caller with a certificate for these DNS names (subjectAltName), one of which is exactly that of a
    /// credential. A wildcard is the name of no caller, and a certificate for several callers that of none.
    ///
    /// # Errors
    ///
    /// Returns [`Nobody`] if no credential has one of the names, or several have.
    pub fn of_certificate<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<&Caller, Nobody> {
        let names: BTreeSet<String> =
            names.into_iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase()).collect();
        let mut known = names.iter().filter_map(|name| self.by_certificate.get(name));
        match (known.next(), known.next()) {
            (Some(caller), None) => Ok(caller),
            (None, _) => Err(Nobody::Unknown),
            (Some(one), Some(other)) => {
                Err(Nobody::Several(one.owner().clone(), other.owner().clone()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_have_exactly_the_name_of_one_credential() {
        let credential = |name: &str| Credential {
            name: name.into(),
            certificate: Some(format!("{name}.example.org")),
            token: None,
            rights: Caller::local(Owner::default(), false).rights().clone(),
        };
        let credentials = Credentials::new(&["admin", "spark"].map(credential));
        let of = |names: &[&str]| {
            let caller = credentials.of_certificate(names.iter().copied());
            caller.map(|caller| caller.owner().to_string())
        };
        assert_eq!(of(&["other.example.org", "Spark.Example.org"]), Ok("spark".into()));
        assert_eq!(of(&["spark.example.org", "spark.example.org."]), Ok("spark".into()));
        for names in [&["*.example.org"][..], &["example.org"], &["a.spark.example.org"], &[]] {
            assert_eq!(of(names), Err(Nobody::Unknown), "{names:?}");
        }
        let several = Err(Nobody::Several("admin".into(), "spark".into()));
        assert_eq!(of(&["spark.example.org", "admin.example.org"]), several);
    }
}
