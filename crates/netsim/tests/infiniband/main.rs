//! The InfiniBand simulator against closed forms, invariants and other implementations.

mod by_hand;
mod common;
mod conservation;
mod credits;
mod deadlock;
mod determinism;
mod fcfs;
mod md1;
mod programs;
mod scheduling;
mod shares;
mod steps;
