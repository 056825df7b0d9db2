//! Synthetic workloads: "the amount of computation, communication, and the number of stages varies
//! across the workloads to emulate varying degrees of bandwidth sensitivity" (Saba 4.6.1).

use super::{REFERENCE_RATE, Workload};
use bandwise_random::Stream;

/// The maximum number of synthetic workloads.
pub const MAX_SYNTHETIC: u32 = 1_000;

/// Generates `count` workloads of a seed, at most [`MAX_SYNTHETIC`], most sensitive first.
///
/// Saba states only that they vary, so all parameters are uniform in the range of table 2.1's
/// workloads:
///
/// - Exposed communication takes 5% to 80% of the time alone. Each of `count` equal parts of that
///   range has one workload, so that there are sensitive and insensitive ones for any seed.
/// - Communication hidden behind computing takes up to a half of the rest, divided by three. The
///   computing that hides it takes one to three times as long.
/// - 2 to 40 rounds; 60 to 180 s alone; up to half of the exposed bytes are broadcast.
pub fn synthetic(seed: u64, count: u32) -> Vec<Workload> {
    let count = count.min(MAX_SYNTHETIC);
    let workload = |index: u32| {
        let mut stream = Stream::new(seed, "synthetic workload", u64::from(index));
        let mut within = |least: f64, most: f64| least + (most - least) * stream.fraction();
        let step = (0.80 - 0.05) / f64::from(count);
        let most = 0.80 - step * f64::from(index);
        let exposed = within(most - step, most);
        let hidden = within(0.0, 0.5) * (1.0 - exposed) / 3.0;
        let behind = hidden * within(1.0, 3.0);
        Workload {
            name: format!("W{}", index + 1),
            about: "made up".into(),
            exposed,
            hidden,
            behind,
            seconds: within(60.0, 180.0),
            rate: REFERENCE_RATE,
            broadcast: within(0.0, 0.5),
            rounds: within(2.0, 41.0) as u32,
        }
    };
    (0..count).map(workload).collect()
}
