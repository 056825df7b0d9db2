//! The process around the core: a thread that owns it, one that stores, one that writes ports, one that looks over the
//! network.
//!
//! ```text
//!  HTTP ──> messages ──> desk (Core) ──> keeper (Store, or etcd)
//!                         │ ^ ^ ^─────────┘
//!                         │ │ └───────> writer (Switches)
//!                         └─┴─────────> scout (Switches)
//! ```
//!
//! All that the core hears passes the desk, which writes it down first where a recording is kept.

mod audit;
mod desk;
mod handle;
mod keeper;
mod metrics;
mod recording;
mod replay;
mod scout;
mod shelf;
mod writer;

pub use audit::Audit;
pub use desk::{Desk, Parts};
pub use handle::{Handle, Said, Unheard};
pub use keeper::{Ended, Keeper, ToDesk, ToKeeper, Write};
pub use metrics::Metrics;
pub use recording::{Beginning, Recording};
pub use replay::{Replay, ReplayError, Replayed};
pub use shelf::Shelf;
