//! Reports: measured values beside published ones, for people and for programs.
//!
//! A [`Report`] is plain data. [`html::render`] makes a self-contained page with plots, [`text`]
//! makes tables for a terminal, and [`json::rows`] makes JSON for other programs. The crate uses no
//! file, clock or network. Equal input gives equal bytes.
//!
//! ```
//! use bandwise_report::{Cell, Table, text};
//!
//! let table = Table {
//!     title: "Latency".into(),
//!     header: vec!["flow".into(), "p99".into()],
//!     rows: vec![vec![Cell::text("a to b"), Cell::number(2.5, "us")]],
//!     ..Table::default()
//! };
//! assert!(text::table(&table).contains("2.5 us"));
//! ```

pub mod html;
pub mod json;
mod markup;
pub mod model;
mod number;
mod plot;
mod tally;
pub mod text;

pub use model::{
    Axis, Bound, Cell, Dependence, Figure, Lane, Lanes, Point, Provenance, Report, Row, Scale,
    Series, SeriesKind, SourceKind, Step, Table, Track, Verdict,
};
pub use tally::Tally;
