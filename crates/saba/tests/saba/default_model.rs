//! The reason why the monotone model is the default: its error at samples that it has not seen.

use crate::common::{lr, sql, staged};
use bandwise_saba::sensitivity::{Degree, Kind, Model, Point, Polynomial, Samples};

const POLYNOMIALS: [Degree; 3] = [Degree::ONE, Degree::TWO, Degree::THREE];

/// Returns the error at each inner sample, each by a model of all other samples, or `None` if these
/// are too few.
fn left_out(samples: &Samples, kind: Kind) -> Option<Vec<f64>> {
    let points = samples.points();
    let inner = &points[1..points.len() - 1];
    let error = |point: &Point| {
        let model = Model::fit(&samples.without(point.share).ok()?, kind).ok()?;
        Some(model.predict(point.share).measured()? - point.slowdown)
    };
    inner.iter().map(error).collect()
}

fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Runs over applications of random stages, with a measuring error of up to 3%.
fn over_stages(kind: Kind) -> f64 {
    let errors = |i| left_out(&staged(i, 0.03), kind).unwrap();
    root_mean_square(&(0..200).flat_map(errors).collect::<Vec<_>>())
}

#[test]
fn monotone_model_is_closest_for_staged_applications() {
    let monotone = over_stages(Kind::Monotone);
    let polynomials = POLYNOMIALS.map(|k| over_stages(Kind::Polynomial(k)));
    eprintln!("left out, root mean square: monotone {monotone:.3}, k = 1 to 3 {polynomials:.3?}");
    assert!(polynomials.iter().all(|p| monotone < 0.5 * p), "{monotone} {polynomials:?}");
}

#[test]
fn polynomials_are_closer_for_published_lr_samples() {
    // SQL has three samples, LR has four. Without one of them no cubic exists, and for SQL no
    // model.
    assert_eq!(left_out(&sql(), Kind::Monotone), None);
    assert_eq!(left_out(&lr(), Kind::Polynomial(Degree::THREE)), None);
    let error = |kind| root_mean_square(&left_out(&lr(), kind).unwrap());
    let [monotone, line, parabola] =
        [Kind::Monotone, Kind::Polynomial(Degree::ONE), Kind::Polynomial(Degree::TWO)].map(error);
    eprintln!("LR left out: monotone {monotone:.3}, k = 1 {line:.3}, k = 2 {parabola:.3}");
    // LR is the paper's example of a nearly linear application (Saba 4.2.2). Its samples are
    // concave, so polynomials are closer.
    assert!(line < monotone && parabola < monotone);
}

#[test]
fn polynomial_fits_often_rise_with_bandwidth() {
    let rises = |i, degree| Polynomial::fit(&staged(i, 0.0), degree).unwrap().rises().is_some();
    let rising = POLYNOMIALS.map(|degree| (0..200).filter(|&i| rises(i, degree)).count());
    eprintln!("of 200 noise-free fits, rising ones by degree: {rising:?}");
    assert!(rising[1] > 150 && rising[2] > 150, "{rising:?}");
}
