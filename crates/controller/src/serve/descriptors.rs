//! The descriptors of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The number of descriptors for everything but connections: files, sockets of the network and of etcd.
const OTHERS: u64 = 256;

/// Raises the limit of descriptors as far as the process may.
pub fn raise_descriptor_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
    {
        tracing::warn!(%error, "raising the limit of descriptors failed");
    }
}

/// Returns the number of connections that one of two listeners may have, so that descriptors for everything else are
/// left.
pub(super) fn of_listener() -> usize {
    let all = getrlimit(Resource::Nofile).current;
    all.map_or(usize::MAX, |all| (all.saturating_sub(OTHERS) / 2).max(16) as usize)
}
