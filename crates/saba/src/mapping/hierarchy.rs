//! [`Hierarchy`]: priority levels, merged one after the other.

use super::{PriorityLevel, PriorityLevels, Queues};
use kodama::{Method, linkage};
use std::collections::BTreeSet;
use std::num::NonZeroU8;

/// How priority levels merge (Saba 4.3.3.2): in the first step each is by itself, and in each further
/// one the two nearest clusters are one, until all are. A cluster stands where the midpoint of the two
/// was that it is made of, whatever their sizes. Known as median linkage (or WPGMC).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// The cluster of each level in each step, by the lowest level that is in it.
    steps: Vec<Vec<PriorityLevel>>,
}

impl Hierarchy {
    /// The hierarchy of the levels, by the distances that they were grouped with.
    pub fn new(levels: &PriorityLevels) -> Self {
        Hierarchy::of_points(&levels.points())
    }

    /// The hierarchy of levels with these coordinates, all of one dimension.
    ///
    /// Panics for coordinates that are no numbers.
    pub fn of_points(points: &[Vec<f64>]) -> Self {
        let n = points.len();
        let mut distances = Vec::with_capacity(n * n.saturating_sub(1) / 2);
        for (i, a) in points.iter().enumerate() {
            distances.extend(points[i + 1..].iter().map(|b| super::kmeans::distance(a, b).sqrt()));
        }
        let merges = linkage(&mut distances, n, Method::Median);
        let mut cluster: Vec<PriorityLevel> = (0..n as u16).map(PriorityLevel).collect();
        // Which cluster is called what: levels first, and then each merge.
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

    /// The clusters of a step, counted from 0: of each level the lowest that it is with. Step 0 has
    /// each by itself, and the last has one cluster.
    pub fn step(&self, step: usize) -> Option<&[PriorityLevel]> {
        self.steps.get(step).map(Vec::as_slice)
    }

    /// How many steps there are: as many as levels, or one.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The queues of a port at which these levels are present: those of the first step in which they
    /// are in no more clusters than it has queues, numbered in the order of their lowest level present.
    /// Levels that the hierarchy doesn't know are left out.
    pub fn queues(&self, present: &BTreeSet<PriorityLevel>, queues: NonZeroU8) -> Queues {
        let known = |level: &&PriorityLevel| usize::from(level.0) < self.steps[0].len();
        let known: Vec<PriorityLevel> = present.iter().filter(known).copied().collect();
        let (mut found, mut of_cluster) = (Vec::new(), Vec::new());
        self.queues_of(&known, queues, &mut found, &mut of_cluster);
        known.into_iter().zip(found).collect()
    }

    /// The same of levels that the hierarchy knows, in their order and each once: `found` has the queue
    /// of each. `of_cluster` is memory.
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
        // Clusters only merge. In the last step there is one, and a port has a queue.
        let first = self.steps.partition_point(|step| !fits(step));
        fits(&self.steps[first.min(self.steps.len() - 1)]);
    }
}
