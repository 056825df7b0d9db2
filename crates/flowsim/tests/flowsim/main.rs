//! Tests of the public interface.

mod blocking;
mod closed_forms;
mod coflows;
mod equilibrium;
mod linear_programme;
mod nets;
mod policies;
mod simulation;
