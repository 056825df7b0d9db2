//! K-means clustering (Lloyd's algorithm, several k-means++ starts).
//!
//! The implementation of linfa-clustering runs on a pool of threads, which a pure crate may not
//! start. It also counts the last centre as one more point of each group, so its centres are not
//! means.

use bandwise_random::Stream;
use std::collections::BTreeMap;

/// The number of starts, of which the best is used. For few points any of them finds the optimum.
const STARTS: u64 = 32;

/// The maximum number of rounds. Far fewer are needed, as each lowers the sum.
const MOST_ROUNDS: usize = 1_000;

/// Grouped points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clusters {
    /// The group of each point.
    pub(super) of: Vec<usize>,
    /// The mean of each group. There are no more groups than different points.
    pub(super) centres: Vec<Vec<f64>>,
    /// The sum of squared distances to the means.
    pub(super) inertia: f64,
}

/// Groups points into at most `k` groups with a small sum of squared distances to their means. All
/// points have one dimension; without points there are no groups. The same seed gives the same
/// groups.
pub(super) fn cluster(points: &[Vec<f64>], k: usize, seed: u64) -> Clusters {
    // Many applications run one program. Equal points are merged into one with a weight.
    let mut which: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut heaps: Vec<Heap> = Vec::new();
    let mut heap_of = Vec::with_capacity(points.len());
    for point in points {
        let bits = point.iter().map(|x| x.to_bits()).collect();
        let heap = *which.entry(bits).or_insert(heaps.len());
        if heap == heaps.len() {
            heaps.push(Heap { point, weight: 0.0 });
        }
        heaps[heap].weight += 1.0;
        heap_of.push(heap);
    }
    let start = |number| {
        let centres = spread(&heaps, k, &mut Stream::new(seed, "k-means", number));
        settle(&heaps, centres)
    };
    let all = (0..STARTS).map(start);
    let best = all.min_by(|a, b| a.inertia.total_cmp(&b.inertia)).expect("there are starts");
    Clusters { of: heap_of.into_iter().map(|heap| best.of[heap]).collect(), ..best }
}

/// Equal points.
struct Heap<'p> {
    point: &'p [f64],
    /// The number of points.
    weight: f64,
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Returns distant points: each next one is random, with odds as the squared distance to the
/// nearest previous one (Arthur and Vassilvitskii, "k-means++: The Advantages of Careful Seeding",
/// 2007).
fn spread(heaps: &[Heap], k: usize, chance: &mut Stream) -> Vec<Vec<f64>> {
    let mut centres: Vec<Vec<f64>> = Vec::new();
    let mut far = vec![1.0; heaps.len()];
    while centres.len() < k {
        let odds = |i: usize| far[i] * heaps[i].weight;
        let sum: f64 = (0..heaps.len()).map(odds).sum();
        if sum <= 0.0 {
            break;
        }
        let mut draw = chance.fraction() * sum;
        let drawn = (0..heaps.len()).find(|&i| {
            draw -= odds(i);
            draw <= 0.0 && odds(i) > 0.0
        });
        let last = far.iter().rposition(|&far| far > 0.0);
        let Some(next) = drawn.or(last) else { break };
        for (far, heap) in far.iter_mut().zip(heaps) {
            let distance = distance(heap.point, heaps[next].point);
            *far = if centres.is_empty() { distance } else { far.min(distance) };
        }
        centres.push(heaps[next].point.to_vec());
    }
    centres
}

/// Moves points to the nearest centre and centres to the mean of their points, until none moves.
fn settle(heaps: &[Heap], mut centres: Vec<Vec<f64>>) -> Clusters {
    let nearest = |centres: &[Vec<f64>], heap: &Heap| {
        let far = centres.iter().map(|centre| distance(heap.point, centre)).enumerate();
        far.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |nearest| nearest.0)
    };
    let mut of: Vec<usize> = heaps.iter().map(|heap| nearest(&centres, heap)).collect();
    for _ in 0..MOST_ROUNDS {
        centres = means(heaps, &of, centres);
        let moved: Vec<usize> = heaps.iter().map(|heap| nearest(&centres, heap)).collect();
        if moved == of {
            break;
        }
        of = moved;
    }
    // Groups without points are removed.
    let mut number = vec![None; centres.len()];
    let mut left = Vec::new();
    for group in &mut of {
        *group = *number[*group].get_or_insert_with(|| {
            left.push(centres[*group].clone());
            left.len() - 1
        });
    }
    let far = |(heap, &group): (&Heap, &usize)| heap.weight * distance(heap.point, &left[group]);
    let inertia = heaps.iter().zip(&of).map(far).sum();
    Clusters { of, centres: left, inertia }
}

fn means(heaps: &[Heap], of: &[usize], mut centres: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut sums: Vec<(f64, Vec<f64>)> =
        centres.iter().map(|centre| (0.0, vec![0.0; centre.len()])).collect();
    for (heap, &group) in heaps.iter().zip(of) {
        let (weight, sum) = &mut sums[group];
        *weight += heap.weight;
        sum.iter_mut().zip(heap.point).for_each(|(sum, x)| *sum += heap.weight * x);
    }
    // A centre without points stays in place.
    for (centre, (weight, sum)) in centres.iter_mut().zip(sums).filter(|of| of.1.0 > 0.0) {
        *centre = sum.into_iter().map(|sum| sum / weight).collect();
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the least sum over all groupings.
    fn by_trying_all(points: &[Vec<f64>], k: usize) -> f64 {
        let ways = k.pow(points.len() as u32);
        let sum = |way: usize| {
            let of: Vec<usize> = (0..points.len()).map(|i| way / k.pow(i as u32) % k).collect();
            let heaps: Vec<Heap> = points.iter().map(|point| Heap { point, weight: 1.0 }).collect();
            let centres = means(&heaps, &of, vec![vec![0.0; points[0].len()]; k]);
            points.iter().zip(&of).map(|(p, &g)| distance(p, &centres[g])).sum::<f64>()
        };
        (0..ways).map(sum).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn kmeans_finds_the_least_sum() {
        for case in 0..200 {
            let mut chance = Stream::new(case, "points", 0);
            let mut points: Vec<Vec<f64>> = (0..3 + chance.below(3))
                .map(|_| vec![chance.fraction(), chance.fraction()])
                .collect();
            // Some points occur several times.
            for _ in 0..chance.below(3) {
                points.insert(0, points[chance.below(points.len() as u64) as usize].clone());
            }
            let k = 1 + chance.below(3) as usize;
            let found = cluster(&points, k, 1);
            let least = by_trying_all(&points, k);
            assert!(found.inertia <= least + 1e-12, "{case}: {} {least}", found.inertia);
            assert!(found.centres.len() <= k && found.of.iter().all(|&g| g < found.centres.len()));
        }
    }

    #[test]
    fn groups_are_limited_by_distinct_points() {
        let points = [[1.0], [1.0], [2.0], [2.0]].map(|p| p.to_vec());
        let found = cluster(&points, 3, 1);
        assert_eq!((found.centres.len(), found.inertia), (2, 0.0));
        assert_eq!(found.of[0], found.of[1]);
        assert!(cluster(&[], 3, 1).centres.is_empty());
    }
}
