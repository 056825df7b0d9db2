//! [`Models`]: what applications were measured to take, of a file.

use bandwise_input::{InputError, Source};
use bandwise_saba::table::{Table, read};

/// A sensitivity table that jobs name applications of.
#[derive(Debug, Clone)]
pub struct Models {
    /// What errors call its file.
    pub file: String,
    /// The applications.
    pub table: Table,
}

impl Models {
    /// Reads a table as TOML or CSV, whichever it is.
    pub fn read(source: &Source) -> Result<Models, InputError> {
        let table = read::any(source)?;
        if table.is_empty() {
            let error = source.error(0..0, "a sensitivity table without applications");
            return Err(error.allowed("one [[application]] or more"));
        }
        Ok(Models { file: source.name.to_owned(), table })
    }

    /// The names of all applications.
    pub fn names(&self) -> Vec<&str> {
        self.table.iter().map(|of| of.0.as_str()).collect()
    }
}
