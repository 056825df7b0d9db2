//! The process around the core: a thread that owns it, one that stores, one that writes ports, one that looks over the
//! network.
//!
//! ```text
//!  HTTP ──> messages ──> event loop (Core) ──> persister (Store, or etcd)
//!                         │ ^ ^ ^─────────┘
//!                         │ │ └───────> writer (Switches)
//!                         └─┴─────────> discovery (Switches)
//! ```
//!
//! All that the core hears passes the event loop, which writes it down first where a recording is kept.

mod audit;
mod discovery;
mod event_loop;
mod handle;
mod metrics;
mod persister;
mod recording;
mod replay;
mod rotating_file;
mod writer;

pub use audit::Audit;
pub use event_loop::{EventLoop, Parts};
pub use handle::{Call, CallError, Handle};
pub use metrics::Metrics;
pub use persister::{EventSender, Persister, PersisterMessage, Stopped, Write};
pub use recording::{Beginning, Recording};
pub use replay::{Replay, ReplayError, Replayed};
pub use rotating_file::RotatingFile;
