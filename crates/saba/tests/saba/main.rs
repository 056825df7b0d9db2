//! Tests of the public interface.

#[cfg(feature = "baseline")]
mod baseline;
mod common;
mod controller;
mod default_model;
mod mapping;
mod models;
mod samples;
mod tables;
mod weights;
