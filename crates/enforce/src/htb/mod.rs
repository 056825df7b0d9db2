//! How a port of Linux shares its link: a tree of HTB's classes (hierarchical token buckets), and filters
//! that put packets into them by DSCP (differentiated services code point, RFC 2474). No I/O.
//!
//! ```text
//! 5aba:      root, handle 5aba: the mark by which it is known as Saba's
//! └ 5aba:1   the link: rate and ceiling are the link's
//!   ├ 5aba:2   everyone else, by default: rate 1 − C_Saba of the link
//!   └ 5aba:3   Saba: rate C_Saba of the link (Saba 4.3.1)
//!     ├ 5aba:10  queue 0: rate by weight
//!     ├ 5aba:11  queue 1
//!     └ …        as many as the port has; those without a weight have next to nothing
//! ```
//!
//! Each class may borrow up to the link's rate, so whatever one leaves the others take: sharing is
//! work-conserving, as weighted fair queueing is (Saba 4.3.2). Rates say who gets what while all send;
//! quanta, in the same ratios, say who gets what of that which nobody else wants.
//!
//! **All queues are there from the start.** A new configuration changes classes and filters in place:
//! no class goes away with packets in it, and no packet is without a class meanwhile.
//!
//! - [`Layout`] makes the tree that is wanted, [`changes`] says what leads there from another.
//! - [`netlink`] is the kernel's language, in and out; [`Change::line`] is that of `tc`, for people.

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
