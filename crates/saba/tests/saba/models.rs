//! Models of sensitivity, compared with closed forms and by properties.

use crate::common::{PROFILED, any_samples, lr, samples, share, sql};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{
    Conditions, Dataset, Degree, FitError, Kind, Model, Monotone, Polynomial, Prediction, Quality,
    Setting, Warning,
};
use proptest::prelude::*;
use std::num::NonZeroU32;

const DEGREES: [Degree; 3] = [Degree::ONE, Degree::TWO, Degree::THREE];

#[test]
fn linear_fit_matches_the_textbook_formula() {
    let fitted = Polynomial::fit(&lr(), Degree::ONE).unwrap();
    // Slope and intercept follow from covariance and variance.
    let (b, d) = ([0.1, 0.25, 0.75, 1.0], [4.5, 3.4, 1.3, 1.0]);
    let mean = |x: &[f64; 4]| x.iter().sum::<f64>() / 4.0;
    let covariance: f64 =
        b.iter().zip(&d).map(|(b, d)| b * d).sum::<f64>() / 4.0 - mean(&b) * mean(&d);
    let variance = b.iter().map(|b| b * b).sum::<f64>() / 4.0 - mean(&b) * mean(&b);
    let [c0, c1, c2, c3] = fitted.coefficients();
    assert!((c1 - covariance / variance).abs() < 1e-12);
    assert!((c0 - (mean(&d) - c1 * mean(&b))).abs() < 1e-12);
    assert_eq!((c2, c3), (0.0, 0.0));
    // R² of a line is the squared correlation.
    let spread = d.iter().map(|d| d * d).sum::<f64>() / 4.0 - mean(&d) * mean(&d);
    let r_squared = Model::Polynomial(fitted).r_squared(&lr());
    assert!((r_squared - covariance * covariance / variance / spread).abs() < 1e-12);
}

#[test]
fn invalid_degrees_are_refused() {
    for degree in [0, 4, 255] {
        assert_eq!(Degree::try_from(degree), Err(FitError::Degree(degree)));
    }
    let error = Polynomial::fit(&sql(), Degree::THREE).unwrap_err();
    assert_eq!(error, FitError::TooFewShares { degree: 3, shares: 3 });
    assert_eq!(error.allowed(), "samples at 4 shares or more, or a lower degree");
}

#[test]
fn monotone_model_is_exact_for_compute_then_send() {
    // The application computes for 40% of the time and sends for 60%.
    let time = |b: f64| 0.4 + 0.6 / b;
    let model = Monotone::fit(&samples(&[1.0, 0.5, 0.25].map(|b| (b, time(b)))));
    let model = Model::Monotone(model);
    for b in [0.25, 0.3, 0.4, 0.6, 0.9, 1.0] {
        let slowdown = model.predict(share(b)).measured().unwrap();
        assert!((slowdown - time(b)).abs() < 1e-9, "{b}: {slowdown}");
    }
    // Below the samples the model is pessimistic, as if the application only sent.
    let Prediction::Extrapolated { slowdown, least } = model.predict(share(0.125)) else {
        panic!("0.125 was not measured");
    };
    assert!((slowdown - 2.0 * time(0.25)).abs() < 1e-9 && slowdown > time(0.125));
    assert_eq!(least, share(0.25));
}

#[test]
fn faster_run_with_less_bandwidth_is_smoothed() {
    let noisy = samples(&[(1.0, 1.0), (0.9, 0.96), (0.75, 1.3), (0.5, 1.2), (0.25, 2.0)]);
    let Model::Monotone(model) = Model::fit(&noisy, Kind::default()).unwrap() else {
        panic!("the default is monotone");
    };
    let slowdowns: Vec<f64> = model.knots().iter().map(|knot| knot.1).collect();
    assert_eq!(slowdowns, [2.0, 1.25, 1.25, 1.0, 1.0]);
}

#[test]
fn doubtful_model_use_gives_warnings() {
    let line = Model::fit(&lr(), Kind::Polynomial(Degree::ONE)).unwrap();
    assert_eq!(Quality::of(&line, &lr(), None).warnings, []);
    let setting = |nodes, dataset: &str| Setting {
        nodes: NonZeroU32::new(nodes),
        dataset: (!dataset.is_empty()).then(|| dataset.parse().unwrap()),
    };
    let measured = setting(8, "10000 samples");
    let warnings = |used: Setting| Conditions { measured: &measured, used: &used }.warnings();
    assert_eq!(warnings(setting(24, "1000 samples")), []);
    assert_eq!(warnings(setting(4, "100000 samples")), []);
    assert_eq!(warnings(setting(0, "5 GB")), []);
    assert_eq!(warnings(setting(32, "")), [Warning::Nodes { times: 4.0 }]);
    assert_eq!(warnings(setting(2, "")), [Warning::Nodes { times: 0.25 }]);
    assert_eq!(warnings(setting(8, "200000 samples")), [Warning::Dataset { times: 20.0 }]);
    assert!(warnings(setting(32, ""))[0].to_string().contains("4.00 times the nodes"));

    let rises = samples(&[(1.0, 1.0), (0.9, 3.0), (0.5, 1.0), (0.4, 3.0), (0.1, 1.0)]);
    let cubic = Model::fit(&rises, Kind::Polynomial(Degree::THREE)).unwrap();
    let quality = Quality::of(&cubic, &rises, None);
    assert!(
        matches!(quality.warnings[..], [Warning::LowRSquared { .. }, Warning::Rises { .. }]),
        "{quality:?}"
    );
}

/// Each kind of model needs a number of shares, and one more tests it. Repetitions of a share add no shape.
#[test]
fn model_of_no_more_shares_than_it_needs_is_doubtful() {
    let all = [(1.0, 1.0), (0.8, 1.3), (0.6, 1.7), (0.4, 2.5), (0.2, 5.0)];
    let polynomial = |degree| Kind::Polynomial(degree);
    for (kind, needed) in [
        (Kind::Monotone, 3),
        (polynomial(Degree::ONE), 2),
        (polynomial(Degree::TWO), 3),
        (polynomial(Degree::THREE), 4),
    ] {
        for shares in needed.max(3)..=5 {
            let samples = samples(&[&all[..shares], &all[..shares]].concat());
            let quality = Quality::of(&Model::fit(&samples, kind).unwrap(), &samples, None);
            let is_said = quality.warnings.contains(&Warning::FewShares { shares });
            assert_eq!(is_said, shares == needed, "{kind:?} {shares}");
        }
    }
    let text = Warning::FewShares { shares: 3 }.to_string();
    assert!(text.starts_with("the model was learned from 3 shares of the bandwidth"), "{text}");
}

#[test]
fn r_squared_of_other_samples_may_be_negative() {
    let model = Model::fit(&lr(), Kind::default()).unwrap();
    assert_eq!(model.r_squared(&lr()), 1.0);
    let flat = samples(&[(1.0, 1.0), (0.5, 1.0), (0.25, 1.0)]);
    assert_eq!(model.r_squared(&flat), f64::NEG_INFINITY);
    let even = Model::fit(&flat, Kind::Polynomial(Degree::TWO)).unwrap();
    assert_eq!(even.r_squared(&flat), 1.0);
    assert!(model.r_squared(&sql()) < 0.0);
}

proptest! {
    #[test]
    fn monotone_models_never_rise(samples in any_samples(), b in 0.001f64..1.0, more in 0.0f64..1.0) {
        let model = Model::fit(&samples, Kind::Monotone).unwrap();
        let more = b + more * (1.0 - b);
        let of = |b| model.predict(share(b)).even_extrapolated();
        prop_assert!(of(b) >= of(more) - 1e-9, "{} {}", of(b), of(more));
        prop_assert!(of(more) >= 1.0 - 1e-9);
        prop_assert_eq!(of(1.0), 1.0);
        prop_assert_eq!(model.predict(share(b)).is_measured(), share(b) >= samples.least());
        // Below the samples, half of the bandwidth at most doubles the slowdown.
        let least = samples.least().get();
        prop_assert!((of(least / 2.0) - 2.0 * of(least)).abs() < 1e-9);
    }

    /// The model has the least squares of all monotone values at the samples.
    #[test]
    fn monotone_models_are_the_closest(samples in any_samples(), bump in 0usize..9, by in -0.5f64..0.5) {
        let model = Monotone::fit(&samples);
        let points = samples.points();
        let error = |of: &dyn Fn(usize) -> f64| -> f64 {
            (0..points.len()).map(|i| (points[i].slowdown - of(i)).powi(2)).sum()
        };
        let own = error(&|i| model.knots()[i].1);
        let mut other: Vec<f64> = model.knots().iter().map(|knot| knot.1).collect();
        let bump = bump % (other.len() - 1);
        other[bump] += by;
        if other.windows(2).all(|pair| pair[0] >= pair[1]) {
            prop_assert!(own <= error(&|i| other[i]) + 1e-9);
        }
    }

    /// Samples of a polynomial yield that polynomial.
    #[test]
    fn polynomial_samples_give_that_polynomial(
        c in prop::array::uniform4(-5.0f64..5.0), shares in prop::sample::subsequence(&PROFILED[..6], 4..=6),
    ) {
        let value = |b: f64| 40.0 + c[0] + c[1] * b + c[2] * b * b + c[3] * b * b * b;
        let all: Vec<(f64, f64)> = shares.iter().chain(&[1.0]).map(|&b| (b, value(b))).collect();
        let fitted = Polynomial::fit(&samples(&all), Degree::THREE).unwrap();
        for b in PROFILED {
            let slowdown = Model::Polynomial(fitted).predict(share(b)).even_extrapolated();
            // Times are whole picoseconds of about 100 s.
            prop_assert!((slowdown - value(b) / value(1.0)).abs() < 1e-9, "{slowdown}");
        }
    }

    /// A higher degree never explains less, and no other coefficients explain more.
    #[test]
    fn polynomials_have_the_least_squares(
        samples in any_samples(), k in 0usize..4, by in -0.1f64..0.1,
    ) {
        let mut before = 0.0;
        for degree in DEGREES {
            let Ok(fitted) = Polynomial::fit(&samples, degree) else { continue };
            let r_squared = Model::Polynomial(fitted).r_squared(&samples);
            prop_assert!(r_squared >= before - 1e-9, "{r_squared} < {before}");
            before = r_squared;
            let mut c = fitted.coefficients();
            c[k % (usize::from(degree.get()) + 1)] += by;
            let other = Model::Polynomial(Polynomial::new(c, samples.least()).unwrap());
            prop_assert!(other.r_squared(&samples) <= r_squared + 1e-9);
        }
    }

    #[test]
    fn reported_rise_is_the_rising_interval(samples in any_samples()) {
        let Ok(fitted) = Polynomial::fit(&samples, Degree::THREE) else { return Ok(()) };
        let model = Model::Polynomial(fitted);
        let of = |b| model.predict(share(b)).even_extrapolated();
        match fitted.rises() {
            Some((from, to)) => {
                prop_assert!(samples.least() <= from && from < to && to <= Share::ALL);
                prop_assert!(of(to.get()) > of(from.get()));
            }
            None => {
                let step = |i: u32| samples.least().get() + (1.0 - samples.least().get()) * f64::from(i) / 50.0;
                for i in 0..50 {
                    prop_assert!(of(step(i)) >= of(step(i + 1).min(1.0)) - 1e-6);
                }
            }
        }
    }
}

#[test]
fn dataset_sizes_scale() {
    let dataset: Dataset = "300 GB".parse().unwrap();
    let more = dataset.scaled(2.5);
    assert_eq!(more.to_string(), "750 GB");
    assert_eq!(more.times(&dataset), Some(2.5));
}

#[test]
fn amounts_of_bytes_compare_whatever_their_unit() {
    let times = |used: &str, had: &str| -> Option<f64> {
        used.parse::<Dataset>().unwrap().times(&had.parse().unwrap())
    };
    for (used, expected) in [
        ("1000 GB", 1e3),
        ("1 TB", 1e3),
        ("1 PB", 1e6),
        ("10 MB", 0.01),
        ("1 kB", 1e-6),
        ("1e12 B", 1e3),
        ("1000 GiB", 1.024f64.powi(3) * 1e3),
        ("1 PiB", 1.024f64.powi(5) * 1e6),
    ] {
        let times = times(used, "1 GB").unwrap_or_else(|| panic!("{used}"));
        assert!((times / expected - 1.0).abs() < 1e-12, "{used}: {times}, not {expected}");
    }
    assert_eq!(times("10 samples", "1 samples"), Some(10.0));
    assert_eq!(times("10 samples", "1 GB"), None);
    assert_eq!(times("10 rows", "1 samples"), None);
}

#[test]
fn ratios_of_data_print_with_all_their_leading_digits() {
    let text = |times| Warning::Dataset { times }.to_string();
    assert!(text(1000.0).contains("1000.000 times"), "{}", text(1000.0));
    assert!(text(0.01).contains("0.010 times"), "{}", text(0.01));
    assert!(text(1e-6).contains("0.000001 times"), "{}", text(1e-6));
}

#[test]
fn extrapolation_names_the_measured_range() {
    let warning = Warning::Extrapolated { share: share(0.04), least: share(0.25) };
    let text = "used for 4% of the bandwidth, measured down to 25%: the model extrapolates there";
    assert_eq!(warning.to_string(), text);
}
