//! Bandwidth shares at the ports of a network: finds ports and paths, plans a change of a port, writes it and reads it
//! back (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters",
//! thesis 2022, section 4.3.2; here `Saba`).
//!
//! - [`htb`] decides, without I/O, how a port of Linux shares its link: classes of HTB by DSCP.
//! - [`ets`] decides the same for a port of a switch that forwards in hardware: bands of ETS by priority.
//! - [`tc`] writes and reads such ports by netlink.
//! - [`infiniband`] decides, without I/O, how a port of InfiniBand shares its link: virtual lanes by service
//!   level. It also finds ports and paths.
//! - [`umad`] writes and reads such ports by SMPs.
//!
//! A controller uses both through the trait [`Switches`](bandwise_switches::Switches).
//!
//! # Examples
//!
//! The changes of a Linux port with a link of 200 Mbit/s whose two queues share 3 to 1, as lines of `tc -batch`:
//!
//! ```
//! use bandwise_enforce::htb::{Layout, Marks, Root, changes};
//! use bandwise_saba::{Share, controller::PortConfig, mapping::PriorityLevel};
//! use bandwise_units::{BitRate, Bytes};
//! use std::num::NonZeroU8;
//!
//! let (link, others) = (BitRate::from_bps(200_000_000), Share::try_from(0.1).unwrap());
//! let layout = Layout::new(link, others, NonZeroU8::new(2).unwrap(), Bytes::new(1514))?;
//! let table = [(PriorityLevel(0), 0), (PriorityLevel(1), 1)].into_iter().collect();
//! let tree = layout.tree(&PortConfig { table, weights: vec![3, 1] }, &Marks::local())?;
//! let lines: Vec<String> =
//!     changes(&Root::Kernel, &Root::Saba(tree)).iter().map(|change| change.line("eth0")).collect();
//! assert_eq!(lines[0], "qdisc add dev eth0 root handle 5aba: htb default 2");
//! assert!(lines.iter().any(|line| line.contains("classid 5aba:10 htb rate 135000000bit")));
//! # Ok::<(), bandwise_enforce::htb::Unfit>(())
//! ```

pub mod ets;
pub mod htb;
pub mod infiniband;
mod paths;
pub mod tc;
pub mod umad;
