//! What users of the crate rely on, through what it shows them.

mod blocking;
mod closed_forms;
mod coflows;
mod equilibrium;
mod linear_programme;
mod nets;
mod policies;
mod simulation;
