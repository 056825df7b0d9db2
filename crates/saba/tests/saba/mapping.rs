//! The mapping of applications to priority levels and of levels to queues.

use crate::common::{any_samples, lr, samples, share, sql};
use bandwise_saba::mapping::{Basis, Hierarchy, PriorityLevel, PriorityLevels, Queues, Scaling};
use bandwise_saba::sensitivity::{Degree, Kind, Model, Monotone};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::num::{NonZeroU8, NonZeroU16};

fn levels(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}

fn present(levels: &[u16]) -> BTreeSet<PriorityLevel> {
    levels.iter().map(|&level| PriorityLevel(level)).collect()
}

fn queues(hierarchy: &Hierarchy, of: &[u16], queues: u8) -> Vec<u8> {
    let found = hierarchy.queues(&present(of), NonZeroU8::new(queues).unwrap());
    of.iter().map(|&level| found.of(PriorityLevel(level)).unwrap()).collect()
}

/// The paper's ten workloads. LR, SQL, TS and PR have the slowdowns that the text gives for a
/// quarter of the bandwidth (3.2, 4, 4.2.2). The paper has neither numbers for the others nor
/// coordinates of figure 4.7. Those here form three groups, as in the figure.
fn workloads() -> Vec<(&'static str, Model)> {
    let at =
        |quarter: f64| samples(&[(1.0, 1.0), (0.75, 1.0 + 0.2 * (quarter - 1.0)), (0.25, quarter)]);
    let all = [
        ("LR", lr()),
        ("RF", at(3.3)),
        ("GBT", at(3.0)),
        ("SVM", at(2.1)),
        ("NI", at(2.0)),
        ("NW", at(1.9)),
        ("TS", at(1.1)),
        ("WC", at(1.15)),
        ("PR", at(1.4)),
        ("SQL", at(1.2)),
    ];
    let fit = |samples| Model::fit(&samples, Kind::Polynomial(Degree::ONE)).unwrap();
    all.into_iter().map(|(name, samples)| (name, fit(samples))).collect()
}

/// Figure 4.7: ten workloads with k = 1 in three priority levels.
#[test]
fn ten_workloads_map_to_three_levels() {
    let workloads = workloads();
    let models: Vec<&Model> = workloads.iter().map(|w| &w.1).collect();
    let grouped =
        PriorityLevels::group(&models, levels(3), Basis::Coefficients, Scaling::None, 1).unwrap();
    let names = |level: u16| -> Vec<&str> {
        let of = workloads.iter().zip(grouped.of()).filter(|w| *w.1 == PriorityLevel(level));
        of.map(|w| w.0.0).collect()
    };
    assert_eq!(names(0), ["TS", "WC", "PR", "SQL"]);
    assert_eq!(names(1), ["SVM", "NI", "NW"]);
    assert_eq!(names(2), ["LR", "RF", "GBT"]);
    // A level has the mean of its members' coefficients, and is more sensitive than the previous
    // one.
    let Model::Polynomial(middle) = grouped.model(PriorityLevel(1)) else { panic!("a polynomial") };
    let c1 = |model: &Model| match model {
        Model::Polynomial(p) => p.coefficients()[1],
        Model::Monotone(_) => f64::NAN,
    };
    let mean = [3, 4, 5].map(|i| c1(models[i])).iter().sum::<f64>() / 3.0;
    assert!((middle.coefficients()[1] - mean).abs() < 1e-12);
    // A later application joins the nearest level.
    assert_eq!(grouped.nearest(models[1]).unwrap(), Some(PriorityLevel(2)));
    // Slowdowns at common shares give the same groups.
    let basis = Basis::measured(&models);
    let again = PriorityLevels::group(&models, levels(3), basis, Scaling::None, 1).unwrap();
    assert_eq!(again.of(), grouped.of());
}

#[test]
fn monotone_models_have_no_coefficients() {
    let models = [Model::Monotone(Monotone::fit(&lr())), Model::Monotone(Monotone::fit(&sql()))];
    let models: Vec<&Model> = models.iter().collect();
    let refused = PriorityLevels::group(&models, levels(2), Basis::Coefficients, Scaling::None, 1);
    assert_eq!(refused.unwrap_err().index, 0);
    let basis = Basis::measured(&models);
    assert_eq!(basis, Basis::Slowdowns([0.1, 0.25, 0.5, 0.75, 0.9, 1.0].map(share).to_vec()));
    let grouped = PriorityLevels::group(&models, levels(8), basis, Scaling::Deviation, 1).unwrap();
    assert_eq!(grouped.of(), [PriorityLevel(1), PriorityLevel(0)]);
    // A level with one application has its coefficients.
    for (model, level) in models.iter().zip(grouped.of()) {
        let own = model.predict(share(0.25)).measured().unwrap();
        let stands = grouped.model(*level).predict(share(0.25)).measured().unwrap();
        assert!((own - stands).abs() < 1e-12);
    }
}

/// Figures 4.8 and 4.9, whose levels are numbered from 1: eight levels, switches with two queues.
/// The figure has no coordinates. On this line 1 and 2 are nearest, then 5 and 6, 7 and 8, and 3
/// and 4.
#[test]
fn eight_levels_map_to_two_queues_as_in_the_paper() {
    let line = [0.0, 0.1, 1.0, 1.4, 3.0, 3.2, 4.0, 4.3];
    let hierarchy = Hierarchy::of_points(&line.map(|x| vec![x]));
    assert_eq!(hierarchy.steps(), 8);
    assert_eq!(hierarchy.step(0).unwrap(), (0..8).map(PriorityLevel).collect::<Vec<_>>());
    let step = |i| hierarchy.step(i).unwrap().iter().map(|level| level.0).collect::<Vec<_>>();
    assert_eq!(step(1), [0, 0, 2, 3, 4, 5, 6, 7]);
    assert_eq!(step(2), [0, 0, 2, 3, 4, 4, 6, 7]);
    assert_eq!(step(3), [0, 0, 2, 3, 4, 4, 6, 6]);
    assert_eq!(step(4), [0, 0, 2, 2, 4, 4, 6, 6]);
    assert_eq!(step(7), [0; 8]);
    // Port P1 of figure 4.9: levels 1 and 4, each with its own queue.
    assert_eq!(queues(&hierarchy, &[0, 3], 2), [0, 1]);
    // Port P2: levels 1 and 2 share the first queue, level 3 has the second.
    assert_eq!(queues(&hierarchy, &[0, 1, 2], 2), [0, 0, 1]);
    // With three queues no level shares one. All eight levels share two queues.
    assert_eq!(queues(&hierarchy, &[0, 1, 2], 3), [0, 1, 2]);
    assert_eq!(queues(&hierarchy, &[0, 1, 2, 3, 4, 5, 6, 7], 2), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(queues(&hierarchy, &[2, 5, 7], 1), [0, 0, 0]);
}

#[test]
fn a_queue_has_the_sum_of_its_applications() {
    let hierarchy = Hierarchy::of_points(&[0.0, 0.1, 1.0].map(|x| vec![x]));
    let queues = hierarchy.queues(&present(&[0, 1, 2]), NonZeroU8::new(2).unwrap());
    let of = |level: u16, share: f64| (PriorityLevel(level), share);
    assert_eq!(queues.shares([of(0, 0.25), of(2, 0.5), of(1, 0.125), of(0, 0.125)]), [0.5, 0.5]);
    assert!(Hierarchy::of_points(&[]).queues(&present(&[]), NonZeroU8::MIN).is_empty());
    assert_eq!(Queues::default().shares([of(0, 1.0)]), [0.0; 0]);
}

/// Returns the clusters of each step, by comparison of all pairs of midpoints.
fn by_midpoints(points: &[Vec<f64>]) -> Vec<Vec<PriorityLevel>> {
    let mut clusters: Vec<(Vec<usize>, Vec<f64>)> =
        points.iter().enumerate().map(|(i, p)| (vec![i], p.clone())).collect();
    let mut steps = Vec::new();
    loop {
        let mut of = vec![PriorityLevel(0); points.len()];
        for (members, _) in &clusters {
            for &i in members {
                of[i] = PriorityLevel(*members.iter().min().unwrap() as u16);
            }
        }
        steps.push(of);
        if clusters.len() < 2 {
            return steps;
        }
        let far = |a: usize, b: usize| -> f64 {
            clusters[a].1.iter().zip(&clusters[b].1).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let pairs = (0..clusters.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let (a, b) = pairs.min_by(|x, y| far(x.0, x.1).total_cmp(&far(y.0, y.1))).unwrap();
        let (members, point) = clusters.remove(b);
        clusters[a].0.extend(members);
        let midpoint = clusters[a].1.iter().zip(&point).map(|(a, b)| 0.5 * (a + b)).collect();
        clusters[a].1 = midpoint;
    }
}

proptest! {
    #[test]
    fn nearest_clusters_merge_at_their_midpoint(
        points in prop::collection::vec(prop::collection::vec(-5.0f64..5.0, 3), 1..12),
    ) {
        let hierarchy = Hierarchy::of_points(&points);
        let steps: Vec<_> = (0..hierarchy.steps()).map(|i| hierarchy.step(i).unwrap().to_vec()).collect();
        prop_assert_eq!(steps, by_midpoints(&points));
    }

    /// The number of queues is not exceeded, each queue has a level, and none is shared if queues
    /// suffice.
    #[test]
    fn queues_are_limited_and_used(
        points in prop::collection::vec(prop::collection::vec(-5.0f64..5.0, 2), 1..17),
        some in prop::collection::btree_set(0u16..16, 1..16), count in 1u8..16,
    ) {
        let hierarchy = Hierarchy::of_points(&points);
        let known: BTreeSet<PriorityLevel> =
            some.iter().filter(|&&l| usize::from(l) < points.len()).map(|&l| PriorityLevel(l)).collect();
        let queues = hierarchy.queues(&present(&some.into_iter().collect::<Vec<_>>()), NonZeroU8::new(count).unwrap());
        prop_assert!(queues.len() <= usize::from(count));
        prop_assert_eq!(queues.iter().map(|(level, _)| level).collect::<BTreeSet<_>>(), known.clone());
        let used: BTreeSet<u8> = queues.iter().map(|(_, queue)| queue).collect();
        prop_assert_eq!(used, (0..queues.len() as u8).collect::<BTreeSet<u8>>());
        if known.len() <= usize::from(count) {
            prop_assert_eq!(queues.len(), known.len());
        }
    }

    #[test]
    fn applications_are_in_the_nearest_level(all in prop::collection::vec(any_samples(), 1..12), n in 1u16..5) {
        let models: Vec<Model> = all.iter().map(|s| Model::fit(s, Kind::Monotone).unwrap()).collect();
        let models: Vec<&Model> = models.iter().collect();
        let basis = Basis::measured(&models);
        let grouped = PriorityLevels::group(&models, levels(n), basis, Scaling::None, 1).unwrap();
        prop_assert!(grouped.len() <= usize::from(n));
        let used: BTreeSet<u16> = grouped.of().iter().map(|level| level.0).collect();
        prop_assert_eq!(used, (0..grouped.len() as u16).collect::<BTreeSet<u16>>());
        for (model, level) in models.iter().zip(grouped.of()) {
            prop_assert_eq!(grouped.nearest(model).unwrap(), Some(*level));
        }
    }
}
