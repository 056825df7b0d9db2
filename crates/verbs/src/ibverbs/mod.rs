//! Queue pairs of RDMA devices by libibverbs, which is loaded at run time; machines without it get an error.
//!
//! [`devices`] lists the devices and [`Wanted::choose`] chooses one. [`QueuePairs`] are opened there. They are
//! connected with those of another side when both know each other's [`Side`](bandwise_session::Side), directly or by
//! RDMA-CM ([`manager`]).

mod choice;
mod completion_queue;
mod context;
mod device_event;
mod devices;
mod error;
mod fault;
mod gid;
pub mod manager;
mod memory;
mod pages;
mod pair;
mod port;
mod queue_pair;
mod queue_pairs;
mod stamps;
mod status;
mod with_contents;
mod work_id;

pub use choice::{ChoiceError, Chosen, Wanted};
pub use devices::{DeviceInfo, devices};
pub use error::NoDevices;
pub use fault::VerbsError;
pub use gid::{GidInfo, GidKind};
pub use pages::Pages;
pub use port::{LinkLayer, PortInfo, PortState};
pub use queue_pairs::QueuePairs;
pub use status::Status;
pub use with_contents::WithContents;
