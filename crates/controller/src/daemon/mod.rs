//! The process around the core: a thread that owns it, one that stores, one that writes ports, one that looks over the
//! network.
//!
//! ```text
//!  HTTP ──> messages ──> event loop (Core) ──> keeper (Store, or etcd)
//!                         │ ^ ^ ^─────────┘
//!                         │ │ └───────> writer (Switches)
//!                         └─┴─────────> scout (Switches)
//! ```
//!
//! All that the core hears passes the event loop, which writes it down first where a recording is kept.

mod audit;
mod event_loop;
mod handle;
mod keeper;
mod metrics;
mod recording;
mod replay;
mod scout;
mod shelf;
mod writer;

pub use audit::Audit;
pub use event_loop::{EventLoop, Parts};
pub use handle::{Handle, Said, Unheard};
pub use keeper::{Ended, EventSender, Keeper, ToKeeper, Write};
pub use metrics::Metrics;
pub use recording::{Beginning, Recording};
pub use replay::{Replay, ReplayError, Replayed};
pub use shelf::Shelf;
