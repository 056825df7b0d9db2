//! Quantities of Bandwise as integer newtypes: [`Time`] in picoseconds, [`Bytes`], and
//! [`BitRate`] in bits per second. They parse from and print as what people write
//! (`"56 Gbps"`, `"200 ns"`, `"32 KiB"`), and raw numbers appear only at the edges, with the
//! unit in the name (`as_ns_f64`, `from_bps`).
//!
//! Integers keep every run reproducible: the sum of two times does not depend on the order in
//! which they were added.

mod bytes;
mod parse;
mod rate;
mod ratio;
mod time;

pub use bytes::Bytes;
pub use parse::ParseUnitError;
pub use rate::{BitRate, ByteTime};
pub use ratio::lowest_terms;
pub use time::Time;
