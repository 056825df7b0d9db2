//! The process around the core. One thread owns the core, one stores changes, one writes ports, one discovers the
//! network.
//!
//! ```text
//!  HTTP ──> queue ─────> event loop (Core) ──> persister (Store, or etcd)
//!                         │ ^ ^ ^───────────────┘
//!                         │ │ └────────> writer (Switches)
//!                         └─┴──────────> discovery (Switches)
//! ```
//!
//! Every input of the core passes the event loop, which records it first if a recording is configured.

mod audit;
mod call;
mod discovery;
mod event_loop;
mod fence;
mod handle;
mod message;
mod metrics;
mod paths;
mod persister;
mod queue;
mod recording;
mod replay;
mod rotating_file;
mod writer;

pub use audit::Audit;
pub use call::Call;
pub use event_loop::{EventLoop, Parts};
pub use handle::{CallError, Handle};
pub use metrics::Metrics;
pub use persister::{EventSender, Persister, PersisterMessage, Stopped, Write};
pub use recording::{Beginning, NoRecording, Recording, ReplayError};
pub use replay::{Replay, Replayed};
pub use rotating_file::RotatingFile;
