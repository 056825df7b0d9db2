//! The controller, alone and in several instances.

mod by_hand;
mod instances;
mod orders;
mod shares;
mod world;
