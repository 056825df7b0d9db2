//! Readers of values, tables, names and files of a document, shared by the three kinds of scenario.

pub(crate) mod files;
mod host_names;
pub(crate) mod kind;
pub(crate) mod nodes;
pub(crate) mod parsed;
pub(crate) mod tables;
pub(crate) mod text;
pub mod values;
