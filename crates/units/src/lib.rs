//! Quantities as integer newtypes: [`Time`] in picoseconds, [`Bytes`], and [`BitRate`] in bits per
//! second. They parse and print texts such as `"56 Gbps"`, `"200 ns"` and `"32 KiB"`. Raw numbers
//! appear only at the edges, with the unit in the name (`as_ns_f64`, `from_bps`).
//!
//! Integers keep runs reproducible: a sum of times does not depend on the order of addition.
//!
//! ```
//! use bandwise_units::{BitRate, Bytes, Time};
//!
//! let rate: BitRate = "100 Gbps".parse()?;
//! assert_eq!(rate.time_for(Bytes::from_kib(4)), "327.68 ns".parse::<Time>()?);
//! # Ok::<(), bandwise_units::ParseUnitError>(())
//! ```

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
