//! The command as its users meet it: flags in, text, files and exit codes out.
#![allow(missing_docs)]

mod agents;
mod bad_files;
mod bad_flags;
mod bench;
mod common;
mod compare;
mod controller;
mod devices;
mod fabric;
mod lab;
mod papers;
mod parquet;
mod profile;
mod rperf;
mod rperf_device;
mod saba;
mod saba_packets;
mod saba_rates;
mod saba_run;
mod sim;
mod sweep;
mod trace;
