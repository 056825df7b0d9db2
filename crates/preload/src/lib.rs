//! `libsaba_preload.so`: puts a program under Saba that knows nothing of it (Katebzadeh, "Application-Centric Bandwidth
//! Allocation in Datacenters", thesis 2022, section 4.4). With `LD_PRELOAD` it stands in for the functions of C by which
//! connections are made and closed, marks sockets and queue pairs with what the controller said, and reports
//! connections to other hosts. Without `SABA_APP` in the environment, or without a controller, it changes nothing.
//!
//! What a calling thread does is: decide whether there is another host at the other end (`peer`), set the mark
//! (`marking`), note the descriptor in a table (`table`) and a bit that it changed (`changes`). No lock is taken,
//! nothing is allocated, nobody is woken. One thread, which begins with the first such connection, looks at what
//! changed (`ledger`) and speaks to the controller (`reporter`).

// Tests are of decisions; they don't stand in for anything.
#![cfg_attr(test, allow(dead_code))]

mod bits;
mod changes;
#[cfg(not(test))]
mod descriptors;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod elf;
mod hosts;
mod ledger;
mod log;
#[cfg(all(not(test), target_arch = "x86_64"))]
mod lookup;
mod marking;
mod peer;
mod process;
#[cfg(not(test))]
mod real;
mod reporter;
mod reports;
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

/// Descriptors below this are reported; others are marked only.
const DESCRIPTORS: usize = 1 << 18;

/// How many queue pairs and address handles are reported; others are marked only.
const WAYS: usize = 1 << 12;
