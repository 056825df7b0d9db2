//! [`Hierarchy`]: priority levels, merged one after the other.

use super::{PriorityLevel, PriorityLevels, Queues};
use kodama::{Method, linkage};
use std::collections::BTreeSet;
use std::num::NonZeroU8;

/// The merging of priority levels (Saba 4.3.3.2). In the first step each level is a cluster, and
/// each further step merges the two nearest clusters, until one is left. The point of a merged
/// cluster is the midpoint of its two parts, independent of their sizes: median linkage (WPGMC).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// The cluster of each level in each step, named by its lowest level.
    steps: Vec<Vec<PriorityLevel>>,
}

impl Hierarchy {
    /// Returns the hierarchy of levels, by the distances of their grouping.
    pub fn new(levels: &PriorityLevels) -> Self {
        Hierarchy::of_points(&levels.points())
    }

    /// Returns the hierarchy of levels with these coordinates, all of one dimension.
    ///
    /// # Panics
    ///
    /// Panics if a coordinate is not a number.
    pub fn of_points(points: &[Vec<f64>]) -> Self {
        let n = points.len();
        let mut distances = Vec::with_capacity(n * n.saturating_sub(1) / 2);
        for (i, a) in points.iter().enumerate() {
            distances.extend(points[i + 1..].iter().map(|b| super::kmeans::distance(a, b).sqrt()));
        }
        let merges = linkage(&mut distances, n, Method::Median);
        let mut cluster: Vec<PriorityLevel> = (0..n as u16).map(PriorityLevel).collect();
        // The names of clusters: levels first, then each merge.
        let mut called = cluster.clone();
        let mut steps = vec![cluster.clone()];
        for merge in merges.steps() {
            let [a, b] = [merge.cluster1, merge.cluster2].map(|name| called[name]);
            let (kept, gone) = (a.min(b), a.max(b));
            for of in cluster.iter_mut().filter(|of| **of == gone) {
                *of = kept;
            }
            called.push(kept);
            steps.push(cluster.clone());
        }
        Hierarchy { steps }
    }

    /// Returns the clusters of a step, counted from 0: for each level the lowest one in its
    /// cluster. In step 0 each level is a cluster, and the last step has one cluster.
    pub fn step(&self, step: usize) -> Option<&[PriorityLevel]> {
        self.steps.get(step).map(Vec::as_slice)
    }

    /// Returns the number of steps: that of levels, or one.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns the queues of a port at which these levels are present: the clusters of the first
    /// step that has no more of them than queues, numbered in the order of their lowest level
    /// present. Levels outside of the hierarchy are omitted.
    pub fn queues(&self, present: &BTreeSet<PriorityLevel>, queues: NonZeroU8) -> Queues {
        let known = |level: &&PriorityLevel| usize::from(level.0) < self.steps[0].len();
        let known: Vec<PriorityLevel> = present.iter().filter(known).copied().collect();
        let (mut found, mut of_cluster) = (Vec::new(), Vec::new());
        self.queues_of(&known, queues, &mut found, &mut of_cluster);
        known.into_iter().zip(found).collect()
    }

    /// Computes the queues of levels of the hierarchy, in order and each once. `found` gets the
    /// queue of each; `of_cluster` is a buffer.
    pub(crate) fn queues_of(
        &self,
        present: &[PriorityLevel],
        queues: NonZeroU8,
        found: &mut Vec<u8>,
        of_cluster: &mut Vec<u8>,
    ) {
        /// There are at most 255 queues, from 0.
        const NONE: u8 = u8::MAX;
        let mut fits = |step: &[PriorityLevel]| {
            of_cluster.clear();
            of_cluster.resize(step.len(), NONE);
            found.clear();
            let mut next = 0;
            present.iter().all(|level| {
                let queue = &mut of_cluster[usize::from(step[usize::from(level.0)].0)];
                if *queue == NONE {
                    if next == queues.get() {
                        return false;
                    }
                    *queue = next;
                    next += 1;
                }
                found.push(*queue);
                true
            })
        };
        // Clusters only merge. The last step has one, and a port has at least one queue.
        let first = self.steps.partition_point(|step| !fits(step));
        fits(&self.steps[first.min(self.steps.len() - 1)]);
    }
}
