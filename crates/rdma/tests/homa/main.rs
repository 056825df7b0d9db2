//! Homa's hosts, driven through networks that drop, reorder and duplicate, in virtual time.

mod delivery;
mod harness;
mod naive;
mod order;
mod priorities;
mod recovery;
