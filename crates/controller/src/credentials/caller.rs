//! [`Caller`]: who says something, and what they may.

use crate::core::{Owner, Request};
use crate::daemon::Call;
use crate::pattern::Pattern;
use std::sync::Arc;

/// What somebody may say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights {
    /// As what they may register applications.
    pub applications: Vec<Pattern>,
    /// Whether they may have ports as they were found, and shared again.
    pub drain: bool,
}

/// Who says something.
#[derive(Debug, Clone)]
pub struct Caller {
    owner: Owner,
    rights: Arc<Rights>,
}

/// What somebody said that they may not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// To register an application that is not theirs.
    #[error("{owner} may not register {name:?} (allowed: {allowed})")]
    Application {
        /// Who.
        owner: Owner,
        /// As what.
        name: String,
        /// Patterns of what they may.
        allowed: String,
    },
    /// To drain ports.
    #[error(
        "{owner} may not drain ports (allowed: who has `drain = true`, or controls the controller)"
    )]
    Drain {
        /// Who.
        owner: Owner,
    },
}

impl Caller {
    /// Somebody by a name, with rights.
    pub fn new(owner: Owner, rights: Arc<Rights>) -> Self {
        Caller { owner, rights }
    }

    /// Somebody of this machine, who may register all that there is.
    pub fn local(name: &str, drain: bool) -> Self {
        let rights = Rights { applications: vec![Pattern::any()], drain };
        Caller { owner: Owner::from(name), rights: Arc::new(rights) }
    }

    /// By what limits are counted, and whose clients are.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Whether they may say this.
    pub fn check(&self, call: &Call) -> Result<(), Denied> {
        let owner = || self.owner.clone();
        match call {
            Call::Drain(..) if !self.rights.drain => Err(Denied::Drain { owner: owner() }),
            Call::Request(request) => match &request.request {
                Request::Register { name, .. } => {
                    let patterns = &self.rights.applications;
                    if patterns.iter().any(|pattern| pattern.is_like(name)) {
                        return Ok(());
                    }
                    let allowed: Vec<String> = patterns.iter().map(Pattern::to_string).collect();
                    let (name, allowed) = (name.clone(), allowed.join(", "));
                    Err(Denied::Application { owner: owner(), name, allowed })
                }
                // Of what was registered, all is its owner's.
                Request::Deregister { .. } | Request::Connect { .. } | Request::Close { .. } => {
                    Ok(())
                }
            },
            Call::Hello | Call::Renew(_) | Call::Goodbye(_) | Call::Drain(..) => Ok(()),
        }
    }
}
