//! Ports of InfiniBand without InfiniBand: what is decided, and what is written to a model of a fabric.
#![allow(missing_docs)]

mod common;
mod discovery;
mod exchange;
mod fake;
mod lanes;
mod smp;
mod written;
