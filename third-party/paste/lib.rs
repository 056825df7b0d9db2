//! The macros of the unmaintained crate `paste`, by its maintained successor `pastey`.

pub use pastey::{item, paste};
