//! Captures of simulated packets, as pcapng files that Wireshark and tshark read.
//!
//! A [`Capture`] receives the frames that a run of an Ethernet scenario reports and writes one
//! packet block for each. [`pcapng`] holds the file format alone. The crate writes to any
//! [`std::io::Write`] and opens no file itself.
//!
//! # Examples
//!
//! A file with one port and one frame:
//!
//! ```
//! use bandwise_netsim::ethernet::Direction;
//! use bandwise_trace::pcapng;
//! use bandwise_units::{BitRate, Time};
//!
//! let mut file = Vec::new();
//! pcapng::section("example", &mut file);
//! pcapng::interface("h1:1", BitRate::from_gbps(100), 0, &mut file);
//! pcapng::packet(0, Time::from_us(3), Direction::Out, &[0; 64], 0, &mut file);
//! assert_eq!(file[..4], [0x0a, 0x0d, 0x0d, 0x0a]);
//! assert_eq!(file.len() % 4, 0);
//! ```

mod capture;
pub mod pcapng;
mod selection;

pub use capture::{Capture, Limits, NoFormat, Summary};
pub use selection::{UnknownPort, all_ports, ports_named};
