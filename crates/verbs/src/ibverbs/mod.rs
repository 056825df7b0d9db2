//! libibverbs, which is looked for when the program starts: a machine without it is told so.

mod context;
mod devices;
mod error;
mod gid;
mod port;

pub use devices::{DeviceInfo, devices};
pub use error::NoDevices;
pub use gid::{Gid, GidInfo, GidKind};
pub use port::{LinkLayer, PortInfo, PortState};
