//! Homa's hosts on networks that drop, reorder and duplicate packets, in virtual time.

mod delivery;
mod harness;
mod naive;
mod order;
mod priorities;
mod recovery;
