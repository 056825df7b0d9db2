//! Saba's decisions: the slowdown of each application by bandwidth, the shares of a port, and the
//! queues that realise them (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters",
//! thesis 2022, chapter 4; here `Saba`).
//!
//! - [`sensitivity`] fits models of slowdown to measured completion times.
//! - [`table`] stores those times, and reads and writes them.
//! - [`weights`] share a port by those models.
//! - [`mapping`] puts applications into the few priority levels and queues of networks.
//! - [`controller`] does all of that for the present applications, and returns configurations of
//!   ports.
//!
//! The crate does no I/O and reads no clock. It uses only operations that IEEE 754 rounds in one
//! way (sums, products, quotients, square roots), so results are the same on any machine.
//!
//! ```
//! use bandwise_saba::{
//!     Share,
//!     sensitivity::{Kind, Model, Sample, Samples},
//! };
//! use bandwise_units::Time;
//!
//! // Half of the bandwidth: 1.5 times the time; a quarter: 2.5 times.
//! let runs = [(1.0, 10), (0.5, 15), (0.25, 25)];
//! let runs = runs.map(|(share, ms)| Sample {
//!     share: Share::try_from(share).unwrap(),
//!     time: Time::from_ms(ms),
//! });
//! let samples = Samples::new(runs).unwrap();
//! let model = Model::fit(&samples, Kind::Monotone).unwrap();
//! let third = model.predict(Share::try_from(1.0 / 3.0).unwrap());
//! assert!((third.measured().unwrap() - 2.0).abs() < 1e-9);
//! ```

pub mod controller;
pub mod mapping;
mod roots;
pub mod sensitivity;
mod share;
pub mod table;
pub mod weights;

pub use share::{Share, ShareError};
