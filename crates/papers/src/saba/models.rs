//! Workloads alone and models of them (figures 3.1, 3.3 and 4.3 to 4.6), independent of policies.

use bandwise_saba::sensitivity::{Degree, Kind, Model, Samples};
use bandwise_scenario::jobs::profile;
use bandwise_units::BitRate;
use bandwise_workload::job::{PROFILE_INSTANCES, REFERENCE_RATE, Scale, WORKLOADS, Workload};
use std::collections::BTreeMap;

/// The published degrees.
const DEGREES: [Degree; 3] = [Degree::ONE, Degree::TWO, Degree::THREE];

/// Numbers of nodes as multiples of the profiled number (figure 4.6).
pub(super) const NODES: [(&str, u32); 5] =
    [("0.5x", 4), ("1x", 8), ("2x", 16), ("3x", 24), ("4x", 32)];

/// Datasets as multiples of the profiled size (figure 4.5).
pub(super) const DATA: [(&str, f64); 3] = [("0.1x", 0.1), ("1x", 1.0), ("10x", 10.0)];

/// Returns all numbers by name.
pub(super) fn numbers() -> BTreeMap<String, f64> {
    let mut numbers = BTreeMap::new();
    for name in WORKLOADS {
        let seconds = |percent: u64| {
            let job = workload(name).job(Scale::default()).expect("a scale that is allowed");
            let rate = BitRate::from_bps(REFERENCE_RATE.as_bps() / 100 * percent);
            job.alone(rate).as_s_f64()
        };
        for percent in [75, 25, 10] {
            numbers.insert(format!("slowdown {name} {percent}"), seconds(percent) / seconds(100));
            numbers.insert(format!("seconds {name} {percent}"), seconds(percent));
        }
        let profiled = samples(name, Scale::default());
        let r2 = |kind, of: &Samples| {
            let model = Model::fit(&profiled, kind).expect("seven shares are enough");
            model.r_squared(of)
        };
        for degree in DEGREES {
            let key = format!("r2 {name} k={}", degree.get());
            numbers.insert(key, r2(Kind::Polynomial(degree), &profiled));
        }
        numbers.insert(format!("r2 {name} monotone"), r2(Kind::Monotone, &profiled));
        let cubic = Kind::Polynomial(Degree::THREE);
        for (called, data) in DATA {
            let scale = Scale { instances: PROFILE_INSTANCES, data };
            let key = format!("r2 {name} data {called}");
            numbers.insert(key, r2(cubic, &samples(name, scale)));
        }
        for (called, instances) in NODES {
            let scale = Scale { instances, data: 1.0 };
            let key = format!("r2 {name} nodes {called}");
            numbers.insert(key, r2(cubic, &samples(name, scale)));
        }
    }
    numbers
}

fn workload(name: &str) -> Workload {
    Workload::by_name(name).expect("a workload of the table")
}

fn samples(name: &str, scale: Scale) -> Samples {
    profile(&workload(name).job(scale).expect("a scale that is allowed"), REFERENCE_RATE)
}
