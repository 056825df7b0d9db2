//! Writers: the inverse of [`read`](crate::read). Reading what they wrote gives the same fabric.

mod ibsim;
mod toml;

pub use ibsim::ibsim;
pub use toml::toml;
