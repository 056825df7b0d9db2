//! What the kernel is told and says by rtnetlink (rtnetlink(7), and `linux/{rtnetlink,pkt_sched,pkt_cls}.h`, whose
//! names stand at the numbers here). Bytes in, bytes out, no I/O.
//!
//! - [`Request`]: a [`Change`](super::Change), or the question what stands at a device.
//! - [`Answer`]: what came of one, out of datagrams.
//! - [`root`], [`classes`] and [`filters`]: a [`Root`](super::Root) from the objects in answers.
//!
//! Of answers only what is Saba's is looked into: kernels say more from year to year, and others may have put
//! filters of any kind beside.

mod answer;
mod attributes;
mod class;
mod filter;
mod read;
mod request;

pub use answer::{Answer, NoAnswer, Object};
pub use attributes::Unreadable;
pub use read::{classes, filters, root};
pub use request::Request;
