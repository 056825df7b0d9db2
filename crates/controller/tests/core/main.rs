//! The core against clients that lose answers, stores that fail, ports that refuse, and crashes.

mod by_hand;
mod discovery;
mod groups;
mod jobs;
mod random_faults;
mod replaced_store;
#[cfg(feature = "etcd")]
mod twin;
mod world;
