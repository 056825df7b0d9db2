//! A fabric on one machine, for trying Saba without switches.
//!
//! A lab consists of hosts in network namespaces, joined by a switch in a namespace of its own. The
//! ports of hosts and switch share their links by HTB, the hierarchical token bucket of Linux. A
//! lab needs root and the program `ip` of iproute2.
//!
//! A file in `/run/bandwise`, the [`Record`], lists the namespaces that were made for a lab. Before
//! a namespace is used or deleted, its identity is compared with the record's: a namespace of the
//! same name that something else made is left alone.
//!
//! # Examples
//!
//! ```no_run
//! use bandwise_lab::{Lab, Record, down, up};
//!
//! let lab = Lab { name: "demo".into(), hosts: 2, rate_bps: 200_000_000, others: 0.1 };
//! up(lab, &|| false)?;
//! for port in Record::open("demo")?.ports()? {
//!     println!("{}: {}", port.name, port.rate);
//! }
//! let removed = down("demo", false)?.expect("made above");
//! assert_eq!(removed.namespaces, 3);
//! # Ok::<(), bandwise_lab::LabError>(())
//! ```

mod down;
mod error;
mod limited;
mod namespaces;
mod parts;
mod ports;
mod record;
mod root;
mod temporary;
mod up;

pub use down::{Removed, down};
pub use error::{LabError, Process, Result};
pub use limited::{Limited, UnfitShare};
pub use namespaces::Identity;
pub use parts::{Lab, QUEUES, SWITCH};
pub use ports::{PortShares, QueueShare};
pub use record::{Made, Record};
pub use root::needs_root;
pub use temporary::Temporary;
pub use up::up;
