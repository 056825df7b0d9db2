//! [`PriorityLevels`]: applications with like models in one level.

use super::basis::{Basis, BasisError, Scaling};
use super::kmeans::{cluster, distance};
use crate::Share;
use crate::sensitivity::Model;
use std::num::NonZeroU16;

/// A priority level (PL), counted from 0; a service level in InfiniBand. It is a label of packets, and
/// no level goes before another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct PriorityLevel(pub u16);

/// Applications in priority levels (Saba 4.3.3.1), and what stands for each level. Level 0 is the least
/// sensitive.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorityLevels {
    basis: Basis,
    factors: Vec<f64>,
    /// The level of each application.
    of: Vec<PriorityLevel>,
    /// The coordinates of the levels' means, in the basis.
    centres: Vec<Vec<f64>>,
    /// Down to which share all models were measured.
    least: Share,
}

impl PriorityLevels {
    /// Puts applications with these models into at most so many levels. The same models in the same
    /// order, and the same seed, give the same levels.
    pub fn group(
        models: &[&Model],
        levels: NonZeroU16,
        basis: Basis,
        scaling: Scaling,
        seed: u64,
    ) -> Result<Self, BasisError> {
        let points = basis.points(models)?;
        let factors = scaling.factors(&points);
        let scaled: Vec<Vec<f64>> = points.iter().map(|point| times(point, &factors)).collect();
        let clusters = cluster(&scaled, usize::from(levels.get()), seed);
        let least = models.iter().map(|model| model.least()).max().unwrap_or(Share::ALL);
        // Means in the basis, as a coordinate may have been scaled to nothing.
        let mean = |group: usize| -> Vec<f64> {
            let members = points.iter().zip(&clusters.of).filter(|p| *p.1 == group).map(|p| p.0);
            mean(&members.collect::<Vec<_>>())
        };
        let mut centres: Vec<(f64, usize, Vec<f64>)> = (0..clusters.centres.len())
            .map(|group| {
                let centre = mean(group);
                (sensitivity(&basis.model(&centre, least)), group, centre)
            })
            .collect();
        centres.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut number = vec![PriorityLevel(0); centres.len()];
        for (level, centre) in (0..).zip(&centres) {
            number[centre.1] = PriorityLevel(level);
        }
        let of = clusters.of.iter().map(|&group| number[group]).collect();
        let centres = centres.into_iter().map(|centre| centre.2).collect();
        Ok(PriorityLevels { basis, factors, of, centres, least })
    }

    /// The level of each application, in the order in which they were given.
    pub fn of(&self) -> &[PriorityLevel] {
        &self.of
    }

    /// How many levels have an application.
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Whether there is no application.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// The model that stands for a level: the mean of its applications in the coordinates of the
    /// basis. Panics for a level that is not there.
    pub fn model(&self, level: PriorityLevel) -> Model {
        self.basis.model(&self.centres[usize::from(level.0)], self.least)
    }

    /// The level that a model is nearest to, for an application that came later; the lower one of two.
    pub fn nearest(&self, model: &Model) -> Result<Option<PriorityLevel>, BasisError> {
        let point = times(&self.basis.points(&[model])?[0], &self.factors);
        let far = |centre: &Vec<f64>| distance(&times(centre, &self.factors), &point);
        let by_distance = (0..).zip(self.centres.iter().map(far));
        Ok(by_distance.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(level, _)| PriorityLevel(level)))
    }

    /// Where a level stands that has applications with these models, one or more: the coordinates that
    /// distances are measured in.
    pub(crate) fn point(&self, models: &[&Model]) -> Result<Vec<f64>, BasisError> {
        let points = self.basis.points(models)?;
        Ok(times(&mean(&points.iter().collect::<Vec<_>>()), &self.factors))
    }

    /// Of each level the coordinates that distances are measured in.
    pub(super) fn points(&self) -> Vec<Vec<f64>> {
        self.centres.iter().map(|centre| times(centre, &self.factors)).collect()
    }
}

/// The mean of points, one or more.
fn mean(points: &[&Vec<f64>]) -> Vec<f64> {
    let count = points.len() as f64;
    (0..points[0].len()).map(|k| points.iter().map(|p| p[k]).sum::<f64>() / count).collect()
}

fn times(point: &[f64], factors: &[f64]) -> Vec<f64> {
    point.iter().zip(factors).map(|(x, factor)| x * factor).collect()
}

/// What orders levels: the mean slowdown over the measured shares.
fn sensitivity(model: &Model) -> f64 {
    const STEPS: u32 = 64;
    let least = model.least().get();
    let at = |i: u32| least + (1.0 - least) * f64::from(i) / f64::from(STEPS);
    (0..=STEPS).map(|i| model.value(at(i))).sum::<f64>() / f64::from(STEPS + 1)
}
