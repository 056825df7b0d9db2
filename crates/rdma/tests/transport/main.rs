//! The transports on networks that drop, reorder and duplicate packets, in virtual time.

mod delivery;
mod go_back_n;
mod harness;
mod irn;
mod iwarp;
mod timeouts;
