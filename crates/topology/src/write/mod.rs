//! Writers, the inverse of [`read`](crate::read): a written fabric reads back as an equal one.

mod ibsim;
mod toml;

pub use ibsim::ibsim;
pub use toml::toml;
