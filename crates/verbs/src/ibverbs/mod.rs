//! libibverbs, which is looked for when the program starts: a machine without it is told so.
//!
//! [`devices`] says what there is, [`Wanted::choose`] which of it to use; [`QueuePairs`] are opened there, and
//! connected with those of another side once each knows the other's [`Side`](bandwise_session::Side), by what that says or by RDMA-CM
//! ([`manager`]).

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
