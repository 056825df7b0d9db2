//! Writers of sensitivity tables: the inverses of [`read`](super::read).

mod csv;
mod toml;

pub(super) use csv::COLUMNS;
pub use csv::csv;
pub use toml::toml;
