//! Files that a document names.

use bandwise_input::{InputError, Source};
use bandwise_topology::Fabric;
use bandwise_topology::read::{self, FabricSpec};
use std::ops::Range;
use toml::Spanned;

/// A file that a scenario names: its name in errors, and its text.
#[derive(Debug, Clone)]
pub struct File {
    /// Path, as people would write it.
    pub name: String,
    /// Content.
    pub text: String,
}

/// A function that returns the file with this name, or a reason without the name.
pub(crate) type Files<'a> = &'a mut dyn FnMut(&str) -> Result<File, String>;

/// Returns no file, as a function for scenarios that can't name files.
///
/// # Errors
///
/// Returns a reason in all cases.
pub fn no_files(_: &str) -> Result<File, String> {
    Err("files can't be named here".to_owned())
}

/// Returns a file that the scenario names.
pub(crate) fn named(
    source: &Source,
    name: &Spanned<String>,
    files: Files,
) -> Result<File, InputError> {
    files(name.get_ref()).map_err(|why| {
        let error = source.error(name.span(), format!("{}: {why}", name.get_ref()));
        error.allowed("a text file that exists, by its path from the scenario's folder")
    })
}

/// Returns the place where the fabric begins in the document.
fn fabric_span<T>(source: &Source, fabric: &Spanned<T>) -> Range<usize> {
    super::text::first_line(source, fabric.span())
}

/// Returns the fabric of a table with switches of up to `ports` ports, or of a file, and the place of
/// errors about it. Of a file with several parts it is the one with `hosts`.
pub(crate) fn fabric(
    source: &Source,
    ports: u16,
    table: Option<&Spanned<FabricSpec>>,
    file: Option<&Spanned<String>>,
    hosts: &[&str],
    files: Files,
    warnings: &mut Vec<InputError>,
) -> Result<Option<(Fabric, Range<usize>)>, InputError> {
    match (table, file) {
        (Some(_), Some(file)) => {
            let error = source.error(file.span(), "a file with a fabric, and a [fabric] table");
            Err(error.allowed("one of the two"))
        }
        (Some(table), None) => {
            Ok(Some((table.get_ref().resolve(source, ports)?, fabric_span(source, table))))
        }
        (None, Some(file)) => {
            let text = named(source, file, files)?;
            let text = Source::new(&text.name, &text.text);
            let (fabric, notes) = read::any(&text)?.with_hosts(&text, hosts)?;
            warnings.extend(notes);
            Ok(Some((fabric, file.span())))
        }
        (None, None) => Ok(None),
    }
}
