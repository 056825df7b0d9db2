//! Weights: how to share a port among the applications that send through it, so that the sum of their
//! slowdowns is least (Saba 4.3.1, eq. 4.2).
//!
//! - A [`Catalogue`] holds what there is to know of models. [`Floors`] say what nobody goes below.
//! - [`Solver`] finds the weights of a port: the optimum, or one within a stated bound of it.
//! - [`equal`] is the control: what the same port does without knowing any model.
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
