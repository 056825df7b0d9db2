//! Reports: what was measured, beside what was published, for people and for programs.
//!
//! A [`Report`] is plain data. [`html::render`] makes it one self-contained page with plots,
//! [`text`] makes tables for a terminal, and [`json::rows`] makes the JSON that other programs
//! rely on. Nothing here reads or writes a file, a clock or the network, and equal input gives
//! equal bytes.

pub mod html;
pub mod json;
mod markup;
pub mod model;
mod number;
mod plot;
pub mod text;

pub use model::{
    Axis, Cell, Figure, Lane, Lanes, Point, Provenance, Report, Row, Scale, Series, SeriesKind,
    SourceKind, Step, Table, Track, Verdict,
};
