//! `bandwise rperf agent` and `bandwise rperf run`: measurements between several hosts.

pub(super) mod agent;
mod answer;
mod flags;
pub(super) mod plan;
mod report;
mod settings;
mod tables;
mod token;

pub(crate) use flags::{Flags, RunFlags, agent};
pub(crate) use token::TokenFlag;
