//! Congestion control of InfiniBand (IBTA annex A10): a switch marks packets that leave a
//! congested queue (FECN, forward explicit congestion notification; [`MarkerSettings`]), the destination
//! returns the mark (BECN, backward), and the source puts more time between its packets
//! ([`Throttle`], by the rules of [`SourceSettings`]). Fabrics run without it unless told
//! otherwise, and so do the simulated ones. RoCE has other algorithms:
//! [`congestion`](crate::congestion).

mod marker;
mod source;
mod table;

pub use marker::{Departure, MarkerSettings, Victims};
pub use source::{CcError, SourceSettings, Throttle};
pub use table::{CctEntry, linear_table, quadratic_table};
