//! Writers, the inverse of [`read`](crate::read): what they write reads back as the same fabric.

mod ibsim;
mod toml;

pub use ibsim::ibsim;
pub use toml::toml;
