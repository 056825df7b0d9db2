//! Random numbers of connections.

use bandwise_agents::Challenge;
use std::time::SystemTime;

/// Returns an initial packet sequence number, derived from the time and the process id.
pub(crate) fn any_psn() -> u32 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.subsec_nanos() ^ std::process::id().rotate_left(16)
}

/// Returns unpredictable random bytes.
pub(crate) fn challenge() -> anyhow::Result<Challenge> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
    Ok(Challenge(bytes))
}
