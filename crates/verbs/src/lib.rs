//! Measuring programs in real time: [`drive`] steps a [`Program`](bandwise_rdma::verbs::Program), hands what it
//! posts to a [`Device`] and gives it what completes, by a [`Clock`]. The programs are those that the simulated
//! host drives, unchanged.
//!
//! | part | purpose |
//! |---|---|
//! | [`Device`] | posts and polls; [`Instantly`] costs nothing, to measure the loop itself |
//! | [`ByEvents`] | lets a device sleep until a completion wakes it |
//! | [`Clock`] | [`Tsc`], the processor's counter, read with fences; [`Monotonic`] where it can't be trusted; [`processor_time`] |
//! | [`ibverbs`] | devices of this host, through libibverbs |
//! | [`Control`] | the TCP connection over which two hosts agree on what to measure ([`bandwise_session`]) |
//! | [`placement`] | on which processors threads run, and which are near a device |
//! | [`drive`] | the loop between them: no allocation, no system call (but to sleep), no lock |

mod by_events;
mod clock;
mod control;
mod device;
mod drive;
pub mod ibverbs;
mod instantly;
pub mod placement;

pub use by_events::{ByEvents, Wakes, Woken};
pub use clock::{Clock, Monotonic, Tsc, TscError, processor_time};
pub use control::{Control, ControlError, Watched};
pub use device::{Device, Rested};
pub use drive::{End, drive};
pub use instantly::Instantly;
