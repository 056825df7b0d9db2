//! The messages of rtnetlink (rtnetlink(7), and the constants of `linux/{rtnetlink,pkt_sched,pkt_cls}.h`). No I/O.
//!
//! - [`Request`]: a [`Change`](super::Change), or a query of the configuration.
//! - [`Answer`]: the answer to a request, collected from datagrams.
//! - [`root`], [`classes`] and [`filters`]: a [`Root`](super::Root) from the objects in answers.
//! - [`switch`], [`hardware_root`] and [`priorities`]: the switch that forwards a device's packets in hardware, and its settings.
//!
//! Only objects of Saba are decoded: newer kernels report more, and other programs may have added filters of any kind.

mod answer;
mod attributes;
mod bands;
mod class;
mod filter;
mod read;
mod request;

pub use answer::{Answer, NoAnswer, Object};
pub use attributes::Unreadable;
pub use read::{classes, filters, hardware_root, priorities, root, switch};
pub use request::Request;
