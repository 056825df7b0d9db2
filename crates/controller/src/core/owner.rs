//! [`Owner`]: the authenticated owner of clients.

use bandwise_saba::controller::Tenant;
use serde::{Deserialize, Serialize};

/// The identity of an authenticated caller: a credential, or a user of this machine. No other
/// caller can use the owner's clients, and limits count all of them together.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner(Box<str>);

impl From<&str> for Owner {
    fn from(name: &str) -> Self {
        Owner(name.into())
    }
}

impl Owner {
    /// Returns the tenant for Saba's controller.
    pub(super) fn tenant(&self) -> Tenant {
        Tenant::from(&*self.0)
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
