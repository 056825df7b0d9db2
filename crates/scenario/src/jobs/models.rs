//! [`Models`]: the measured durations of applications, from a file.

use bandwise_input::{InputError, Source};
use bandwise_saba::table::{Table, read};

/// A sensitivity table, whose applications jobs can name.
#[derive(Debug, Clone)]
pub struct Models {
    /// Name of the file in errors.
    pub file: String,
    /// Applications.
    pub table: Table,
}

impl Models {
    /// Reads a table in TOML or CSV.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is neither, or has no application.
    pub fn read(source: &Source) -> Result<Models, InputError> {
        let table = read::any(source)?;
        if table.is_empty() {
            let error = source.error(0..0, "a sensitivity table without applications");
            return Err(error.allowed("one [[application]] or more"));
        }
        Ok(Models { file: source.name.to_owned(), table })
    }

    /// Returns the names of all applications.
    pub fn names(&self) -> Vec<&str> {
        self.table.iter().map(|of| of.0.as_str()).collect()
    }
}
