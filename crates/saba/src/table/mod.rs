//! The sensitivity table: the measured times of each application, and their conditions (Saba
//! 4.2.1).
//!
//! It holds samples instead of coefficients, so that any model can be fitted and its quality
//! judged. [`read`] and [`write`](mod@write) convert it from and to TOML and CSV.

mod application;
mod date;
mod entry;
pub mod read;
pub mod write;

pub use application::{Application, NameError};
pub use date::{Date, DateError};
pub use entry::{Entry, Text, TextError};

use std::collections::BTreeMap;

/// The measurements of applications, by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    entries: BTreeMap<Application, Entry>,
}

impl Table {
    /// Returns a table without applications.
    pub fn new() -> Self {
        Table::default()
    }

    /// Adds an application or replaces its entry, and returns the previous one.
    pub fn insert(&mut self, application: Application, entry: Entry) -> Option<Entry> {
        self.entries.insert(application, entry)
    }

    /// Removes an application.
    pub fn remove(&mut self, application: &str) -> Option<Entry> {
        self.entries.remove(application)
    }

    /// Returns the entry of an application.
    pub fn get(&self, application: &str) -> Option<&Entry> {
        self.entries.get(application)
    }

    /// Iterates over all applications, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Application, &Entry)> {
        self.entries.iter()
    }

    /// Returns the number of applications.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no applications.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
