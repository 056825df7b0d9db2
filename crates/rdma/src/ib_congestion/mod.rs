//! Congestion control of InfiniBand (IBTA annex A10). A switch marks packets that leave a congested
//! queue (FECN, forward explicit congestion notification; [`MarkerSettings`]). The destination
//! returns the mark (BECN, backward), and the source increases the time between its packets
//! ([`Throttle`], by [`SourceSettings`]). It is off by default in real fabrics and in simulated
//! ones. RoCE has other algorithms: [`congestion`](crate::congestion).

mod marker;
mod source;
mod table;

pub use marker::{Departure, MarkerSettings, Victims};
pub use source::{SourceSettings, SourceSettingsError, Throttle};
pub use table::{CctEntry, linear_table, quadratic_table};
