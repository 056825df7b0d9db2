//! Readers of sensitivity tables.

mod csv;
mod field;
mod toml;

pub use csv::csv;
pub use toml::toml;

use super::{Application, Entry, Table};
use crate::sensitivity::{Sample, Samples};
use bandwise_input::{InputError, Source};
use std::ops::Range;

/// A description of sensitivity tables, for error messages.
const READABLE: &str = "a sensitivity table: TOML with [[application]] tables, or CSV whose first line \
                        has the columns application, share and time_s";

/// Reads a table as CSV if its first line has commas and neither a key nor a table of TOML, and as
/// TOML otherwise.
///
/// # Errors
///
/// Returns an [`InputError`] at the first mistake.
pub fn any(source: &Source) -> Result<Table, InputError> {
    let mut lines = source.text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let is_csv = first.contains(',') && !first.contains('=') && !first.starts_with(['[', '#']);
    if is_csv { csv(source) } else { toml(source) }
}

/// Adds the application at `at`, unless its name is taken.
fn add(
    table: &mut Table,
    source: &Source,
    at: Range<usize>,
    application: Application,
    entry: Entry,
) -> Result<(), InputError> {
    let message = format!("a second application called {:?}", application.as_str());
    match table.insert(application, entry) {
        None => Ok(()),
        Some(_) => Err(source.error(at, message).allowed("each application once")),
    }
}

/// Returns the samples of the application at `at`. `times` are the places of the runs' times.
fn samples(
    source: &Source,
    application: &Application,
    at: Range<usize>,
    runs: Vec<Sample>,
    time: impl Fn(usize) -> Range<usize>,
) -> Result<Samples, InputError> {
    Samples::new(runs).map_err(|error| {
        let message = match error.index() {
            Some(_) => format!("a time of 0 for {:?}", application.as_str()),
            None => format!("{error} for {:?}", application.as_str()),
        };
        source.error(error.index().map_or(at, time), message).allowed(error.allowed())
    })
}
