//! Valid and invalid samples.

use crate::common::{samples, share};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Sample, Samples, SamplesError};
use bandwise_units::Time;

fn run(b: f64, seconds: u64) -> Sample {
    Sample { share: share(b), time: Time::from_ms(1000 * seconds) }
}

#[test]
fn slowdowns_are_relative_to_all_of_the_bandwidth() {
    let samples = Samples::new([run(0.25, 300), run(1.0, 100), run(0.5, 150)]).unwrap();
    let points: Vec<_> = samples.points().iter().map(|p| (p.share.get(), p.slowdown)).collect();
    assert_eq!(points, [(0.25, 3.0), (0.5, 1.5), (1.0, 1.0)]);
    assert_eq!(samples.least(), share(0.25));
}

#[test]
fn repeated_runs_are_one_point() {
    let runs = [run(1.0, 90), run(0.5, 200), run(1.0, 110), run(0.25, 300), run(1.0, 100)];
    let samples = Samples::new(runs).unwrap();
    let points: Vec<_> = samples.points().iter().map(|p| (p.slowdown, p.runs)).collect();
    assert_eq!(points, [(3.0, 1), (2.0, 1), (1.0, 3)]);
    assert_eq!(samples.runs().len(), 5);
}

#[test]
fn invalid_samples_are_refused() {
    let refused = |runs: &[Sample]| Samples::new(runs.iter().copied()).unwrap_err();
    assert_eq!(refused(&[]), SamplesError::NoWhole);
    assert_eq!(refused(&[run(0.9, 1), run(0.5, 2), run(0.1, 3)]), SamplesError::NoWhole);
    assert_eq!(refused(&[run(1.0, 1), run(0.5, 2)]), SamplesError::TooFew { shares: 2 });
    let twice = [run(1.0, 1), run(1.0, 1), run(0.5, 2)];
    assert_eq!(refused(&twice), SamplesError::TooFew { shares: 2 });
    let zero = [run(1.0, 1), run(0.25, 0), run(0.5, 2)];
    assert_eq!(refused(&zero), SamplesError::NoTime { index: 1 });
    for no_share in [0.0, -0.5, 1.3, 1e-10, f64::NAN, f64::INFINITY] {
        assert!(Share::try_from(no_share).is_err(), "{no_share}");
    }
}

#[test]
fn samples_without_a_point_are_validated() {
    let all = samples(&[(1.0, 1.0), (0.75, 1.3), (0.25, 3.4), (0.1, 4.5)]);
    let rest = all.without(share(0.25)).unwrap();
    assert_eq!(rest.points().len(), 3);
    assert_eq!(rest.without(share(0.1)), Err(SamplesError::TooFew { shares: 2 }));
    assert_eq!(all.without(Share::ALL), Err(SamplesError::NoWhole));
}
