//! Weights: the shares of a port's applications with the least sum of slowdowns (Saba 4.3.1, eq.
//! 4.2).
//!
//! - A [`Catalogue`] holds models. [`Floors`] are lower bounds of shares.
//! - [`Solver`] finds the weights of a port: the optimum, or one within a stated bound of it.
//! - [`equal`] is the control: the same port without any model.
//! - `slsqp` is the published solver, with the feature `baseline`.

mod bounding;
mod bracket;
mod catalogue;
mod curve;
mod fill;
mod floors;
mod piece;
mod price;
mod problem;
#[cfg(feature = "baseline")]
pub mod slsqp;
mod solver;

pub use bounding::Effort;
pub use catalogue::{Catalogue, ModelId};
pub use floors::Floors;
pub(crate) use problem::Granted;
pub use solver::{Guarantee, Solver, Weights, equal};
