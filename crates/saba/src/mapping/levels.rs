//! [`PriorityLevels`]: applications with similar models in one level.

use super::basis::{Basis, BasisError, Scaling};
use super::kmeans::{cluster, distance};
use crate::Share;
use crate::sensitivity::Model;
use std::num::NonZeroU16;

/// A priority level (PL), counted from 0; a service level in InfiniBand. It is a label of packets
/// and implies no order of service.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct PriorityLevel(pub u16);

/// Applications in priority levels (Saba 4.3.3.1), and the point of each level. Level 0 is the
/// least sensitive.
#[derive(Debug, Clone, PartialEq)]
pub struct PriorityLevels {
    basis: Basis,
    factors: Vec<f64>,
    /// The level of each application.
    of: Vec<PriorityLevel>,
    /// The coordinates of the levels' means, in the basis.
    centres: Vec<Vec<f64>>,
    /// The share down to which all models were measured.
    least: Share,
}

impl PriorityLevels {
    /// Groups applications with these models into at most `most` levels. The same models in the
    /// same order give the same levels for the same seed.
    ///
    /// # Errors
    ///
    /// Returns a [`BasisError`] if a model has no coordinates in the basis.
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
        // Means in the basis, because scaling may have removed a coordinate.
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

    /// Returns the level of each application, in the given order.
    pub fn of(&self) -> &[PriorityLevel] {
        &self.of
    }

    /// Returns the number of levels with applications.
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Returns whether there are no applications.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// Returns the model of a level: the mean of its applications in the coordinates of the basis.
    ///
    /// # Panics
    ///
    /// Panics if the level does not exist.
    pub fn model(&self, level: PriorityLevel) -> Model {
        self.basis.model(&self.centres[usize::from(level.0)], self.least)
    }

    /// Returns the level nearest to a model, for a later application; the lower one of two.
    ///
    /// # Errors
    ///
    /// Returns a [`BasisError`] if the model has no coordinates in the basis.
    pub fn nearest(&self, model: &Model) -> Result<Option<PriorityLevel>, BasisError> {
        let point = times(&self.basis.points(&[model])?[0], &self.factors);
        let far = |centre: &Vec<f64>| distance(&times(centre, &self.factors), &point);
        let by_distance = (0..).zip(self.centres.iter().map(far));
        Ok(by_distance.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(level, _)| PriorityLevel(level)))
    }

    /// Returns the scaled point of a level with applications of these models, one or more.
    pub(crate) fn point(&self, models: &[&Model]) -> Result<Vec<f64>, BasisError> {
        let points = self.basis.points(models)?;
        Ok(times(&mean(&points.iter().collect::<Vec<_>>()), &self.factors))
    }

    /// Returns the scaled coordinates of each level.
    pub(super) fn points(&self) -> Vec<Vec<f64>> {
        self.centres.iter().map(|centre| times(centre, &self.factors)).collect()
    }
}

/// Returns the mean of points, one or more.
fn mean(points: &[&Vec<f64>]) -> Vec<f64> {
    let count = points.len() as f64;
    (0..points[0].len()).map(|k| points.iter().map(|p| p[k]).sum::<f64>() / count).collect()
}

fn times(point: &[f64], factors: &[f64]) -> Vec<f64> {
    point.iter().zip(factors).map(|(x, factor)| x * factor).collect()
}

/// Returns the order of levels: the mean slowdown over the measured shares.
fn sensitivity(model: &Model) -> f64 {
    const STEPS: u32 = 64;
    let least = model.least().get();
    let at = |i: u32| least + (1.0 - least) * f64::from(i) / f64::from(STEPS);
    (0..=STEPS).map(|i| model.value(at(i))).sum::<f64>() / f64::from(STEPS + 1)
}
