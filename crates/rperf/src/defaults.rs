//! The defaults of methods, in the simulator as on devices.

use bandwise_units::Time;

/// The number of samples.
pub const SAMPLES: u64 = 10_000;
/// The number of rounds before the first sample.
pub const WARMUP_ROUNDS: u64 = 20;
/// The longest pause after a message of a method that sends one at a time; pauses are distributed
/// uniformly.
pub const THINK: Time = Time::from_ns(600);
/// The payload of a message whose latency is measured, in bytes.
pub const LATENCY_BYTES: u32 = 64;
/// The number of outstanding messages of a queue pair with bulk traffic, as perftest's.
pub const BULK_DEPTH: u32 = 128;
