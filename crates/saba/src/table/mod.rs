//! The sensitivity table: what each application was measured to lose, and on what (Saba 4.2.1).
//!
//! It holds samples instead of coefficients, so that any model can be made of them, and its quality
//! be judged. [`read`] and [`write`](mod@write) know it as TOML and as CSV.

mod application;
mod date;
mod entry;
pub mod read;
pub mod write;

pub use application::{Application, NameError};
pub use date::{Date, DateError};
pub use entry::{Entry, Text, TextError};

use std::collections::BTreeMap;

/// Applications by name, and what they were measured to lose.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    entries: BTreeMap<Application, Entry>,
}

impl Table {
    /// A table without applications.
    pub fn new() -> Self {
        Table::default()
    }

    /// Adds an application, or replaces what was known of it; returns that.
    pub fn insert(&mut self, application: Application, entry: Entry) -> Option<Entry> {
        self.entries.insert(application, entry)
    }

    /// Removes an application.
    pub fn remove(&mut self, application: &str) -> Option<Entry> {
        self.entries.remove(application)
    }

    /// What is known of an application.
    pub fn get(&self, application: &str) -> Option<&Entry> {
        self.entries.get(application)
    }

    /// All applications, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Application, &Entry)> {
        self.entries.iter()
    }

    /// How many applications there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
