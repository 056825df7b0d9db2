//! The command as its users meet it: flags in, text, files and exit codes out.
#![allow(missing_docs)]

#[cfg(not(feature = "verbs"))]
mod absent;
#[cfg(feature = "verbs")]
mod agents;
mod bad_files;
mod bad_flags;
mod bench;
mod common;
mod compare;
mod controller;
#[cfg(feature = "verbs")]
mod devices;
mod ethernet_switch;
mod fabric;
mod lab;
mod papers;
mod parquet;
mod profile;
mod rperf;
#[cfg(feature = "verbs")]
mod rperf_device;
mod running;
mod saba;
mod saba_packets;
mod saba_rates;
mod saba_run;
mod sim;
mod sweep;
mod trace;
