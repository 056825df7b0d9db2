//! `libsaba_preload.so`: runs an unmodified program under a controller (Katebzadeh, "Application-Centric Bandwidth
//! Allocation in Datacenters", thesis 2022, section 4.4). Loaded by `LD_PRELOAD`, it interposes the C functions that
//! open and close connections, marks sockets and queue pairs, and reports connections to other hosts. Without
//! `SABA_APP` in the environment, or without a controller, it changes nothing.
//!
//! A calling thread decides whether the peer is another host (`peer`), sets the mark (`marking`), and notes the
//! descriptor in a table (`table`) with a changed bit (`changes`). It takes no lock, allocates nothing and wakes
//! nobody, so the program may call it in a signal handler. Two threads start with the first connection to another host,
//! unless that is made in a handler (`handler`). One reads the changes (`observer`, `ledger`). The other reports them to
//! the controller (`reporter`), with descriptors of its own.
//!
//! # Examples
//!
//! ```text
//! $ SABA_APP=sort SABA_CONTROLLER=unix:/run/bandwise/controller.sock LD_PRELOAD=libsaba_preload.so ./sort
//! ```

// Tests cover the decisions and interpose nothing.
#![cfg_attr(test, allow(dead_code))]

mod changes;
#[cfg(not(test))]
mod descriptors;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod elf;
mod handler;
mod hosts;
mod ledger;
#[cfg(not(test))]
mod loader;
mod log;
#[cfg(all(not(test), target_arch = "x86_64"))]
mod lookup;
mod marking;
#[cfg(not(test))]
mod namespaces;
mod observer;
mod peer;
mod process;
#[cfg(not(test))]
mod real;
mod reporter;
mod reports;
mod resolver;
mod settings;
mod slots;
#[cfg(not(test))]
mod sockets;
mod system;
mod table;
#[cfg(not(test))]
mod verbs;
mod verbs_layout;
mod watch;

/// The number of descriptors that are reported; higher ones are only marked.
const DESCRIPTORS: usize = 1 << 18;

/// The number of queue pairs and address handles that are reported; others are only marked.
const QUEUE_PAIRS: usize = 1 << 12;
