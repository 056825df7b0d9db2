//! Readers of what others wrote: flow lists, line by line, and files with size distributions.

mod cdf;
mod fields;
mod flows;

pub use cdf::cdf;
pub use flows::{FlowLines, FlowList, flows, lines};
