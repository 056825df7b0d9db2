//! The sharing of a Linux port's link: a tree of HTB classes (hierarchical token buckets), and filters that select a class
//! by DSCP (differentiated services code point, RFC 2474). No I/O.
//!
//! ```text
//! 5aba:      root; the handle 5aba: marks it as Saba's
//! └ 5aba:1   the link: rate and ceiling are the link's
//!   ├ 5aba:2   other traffic, by default: rate 1 − C_Saba of the link
//!   └ 5aba:3   Saba: rate C_Saba of the link (Saba 4.3.1)
//!     ├ 5aba:10  queue 0: rate by weight
//!     ├ 5aba:11  queue 1
//!     └ …        as many as the port has; a queue without a weight has the least rate
//! ```
//!
//! Each class may borrow up to the link's rate, so sharing is work-conserving, as weighted fair queueing is (Saba 4.3.2).
//! Rates decide while all classes send. Quanta, in the same ratios, divide what is left over.
//!
//! **All queues exist from the start.** A new configuration changes classes and filters in place: no class is removed with
//! packets in it, and every packet always has a class.
//!
//! - [`Layout`] makes the wanted tree; [`changes`] returns the steps to it from another one.
//! - [`netlink`] converts steps and trees to and from the kernel's messages; [`Change::line`] prints a step for `tc`.

mod change;
mod dscp;
mod layout;
pub mod netlink;
mod rate;
mod throttle;
mod tree;

use change::INNER_QUANTUM;
pub use change::{Change, changes};
pub use dscp::{Dscp, Marks, NoDscp};
pub use layout::{Layout, Unfit};
pub use rate::{LEAST, printable, quanta, rates};
pub use throttle::{is_throttle, throttle};
pub use tree::{Class, DEFAULT, Family, Filter, HANDLE, LINK, OURS, QUEUE, Root, SABA, Tree};
