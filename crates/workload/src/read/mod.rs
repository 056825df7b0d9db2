//! Readers of files: flow lists, line by line; size distributions; coflow traces.

mod cdf;
mod coflows;
mod fields;
mod flows;

pub use cdf::cdf;
pub use coflows::{MAX_COFLOW_PORTS, coflows};
pub use flows::{FlowLines, FlowList, flows, lines};
