//! `bandwise rperf agent` and `bandwise rperf run`: between several hosts. What is decided stands in the crate
//! `agents`; here are its sockets, threads and clocks.

mod coordinate;
mod counted;
mod flags;
mod inbox;
mod json;
mod report;
mod serve;
mod tables;
mod token;
mod worker;

pub use coordinate::measured;
pub use flags::{Flags, RunFlags, agent};
pub use token::TokenFlag;

use crate::failure::Failure;
use bandwise_agents::Challenge;

impl Flags {
    /// Serves coordinators.
    pub fn run(self) -> Result<(), Failure> {
        serve::run(self)
    }
}

impl RunFlags {
    /// Has agents measure, and prints.
    pub fn run(self) -> Result<(), Failure> {
        coordinate::run(self)
    }
}

/// Where agents listen if nothing else is said.
const USUAL: u16 = 18517;

/// Bytes that nobody can guess.
fn challenge() -> anyhow::Result<Challenge> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("the system has no random numbers: {error}"))?;
    Ok(Challenge(bytes))
}
