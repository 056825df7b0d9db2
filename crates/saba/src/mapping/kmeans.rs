//! K-means clustering (Lloyd's algorithm, k-means++ starts, several of them).
//!
//! Our own, because the one of linfa-clustering runs on a pool of threads, which nothing here may
//! start, and takes the last centre for one more point of each group, so that its centres are no means.

use bandwise_random::Stream;

/// Starts, of which the best is taken. Where there are few points any one of them finds the optimum.
const STARTS: u64 = 32;

/// Rounds are many fewer; each lowers the sum, so there is an end.
const MOST_ROUNDS: usize = 1_000;

/// Points in groups.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clusters {
    /// The group of each point.
    pub(super) of: Vec<usize>,
    /// The mean of each group. There may be fewer than asked for: no more than different points.
    pub(super) centres: Vec<Vec<f64>>,
    /// The sum of squared distances to them.
    pub(super) inertia: f64,
}

/// At most `k` groups of the points with a small sum of squared distances to their means. Points are
/// of one dimension; with none there are no groups. The same seed gives the same groups.
pub(super) fn cluster(points: &[Vec<f64>], k: usize, seed: u64) -> Clusters {
    let start = |number| {
        let centres = spread(points, k, &mut Stream::new(seed, "k-means", number));
        settle(points, centres)
    };
    let all = (0..STARTS).map(start);
    all.min_by(|a, b| a.inertia.total_cmp(&b.inertia)).expect("there are starts")
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Points far from each other: each next one by chance, with odds as the squared distance to the
/// nearest before (Arthur and Vassilvitskii, "k-means++: The Advantages of Careful Seeding", 2007).
fn spread(points: &[Vec<f64>], k: usize, chance: &mut Stream) -> Vec<Vec<f64>> {
    let mut centres: Vec<Vec<f64>> = Vec::new();
    let mut far = vec![1.0; points.len()];
    while centres.len() < k {
        let sum: f64 = far.iter().sum();
        if sum <= 0.0 {
            break;
        }
        let mut draw = chance.fraction() * sum;
        let drawn = far.iter().position(|&odds| {
            draw -= odds;
            draw <= 0.0 && odds > 0.0
        });
        let last = far.iter().rposition(|&odds| odds > 0.0);
        let Some(next) = drawn.or(last) else { break };
        for (far, point) in far.iter_mut().zip(points) {
            let distance = distance(point, &points[next]);
            *far = if centres.is_empty() { distance } else { far.min(distance) };
        }
        centres.push(points[next].clone());
    }
    centres
}

/// Moves points to the nearest centre and centres to the mean of their points, until none moves.
fn settle(points: &[Vec<f64>], mut centres: Vec<Vec<f64>>) -> Clusters {
    let nearest = |centres: &[Vec<f64>], point: &Vec<f64>| {
        let by_distance = |a: &usize, b: &usize| {
            distance(point, &centres[*a]).total_cmp(&distance(point, &centres[*b]))
        };
        (0..centres.len()).min_by(by_distance).unwrap_or(0)
    };
    let mut of: Vec<usize> = points.iter().map(|point| nearest(&centres, point)).collect();
    for _ in 0..MOST_ROUNDS {
        centres = means(points, &of, centres);
        let moved: Vec<usize> = points.iter().map(|point| nearest(&centres, point)).collect();
        if moved == of {
            break;
        }
        of = moved;
    }
    // Groups that lost all their points are none.
    let mut number = vec![None; centres.len()];
    let mut left = Vec::new();
    for group in &mut of {
        *group = *number[*group].get_or_insert_with(|| {
            left.push(centres[*group].clone());
            left.len() - 1
        });
    }
    let inertia = points.iter().zip(&of).map(|(point, &group)| distance(point, &left[group])).sum();
    Clusters { of, centres: left, inertia }
}

fn means(points: &[Vec<f64>], of: &[usize], before: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mean = |(group, before): (usize, Vec<f64>)| {
        let members = || points.iter().zip(of).filter(|of| *of.1 == group).map(|of| of.0);
        let count = members().count();
        if count == 0 {
            return before;
        }
        (0..before.len()).map(|k| members().map(|p| p[k]).sum::<f64>() / count as f64).collect()
    };
    before.into_iter().enumerate().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least sum over all ways to put the points into groups.
    fn by_trying_all(points: &[Vec<f64>], k: usize) -> f64 {
        let ways = k.pow(points.len() as u32);
        let sum = |way: usize| {
            let of: Vec<usize> = (0..points.len()).map(|i| way / k.pow(i as u32) % k).collect();
            let centres = means(points, &of, vec![vec![0.0; points[0].len()]; k]);
            points.iter().zip(&of).map(|(p, &g)| distance(p, &centres[g])).sum::<f64>()
        };
        (0..ways).map(sum).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn finds_the_least_sum() {
        for case in 0..200 {
            let mut chance = Stream::new(case, "points", 0);
            let points: Vec<Vec<f64>> = (0..3 + chance.below(5))
                .map(|_| vec![chance.fraction(), chance.fraction()])
                .collect();
            let k = 1 + chance.below(3) as usize;
            let found = cluster(&points, k, 1);
            let least = by_trying_all(&points, k);
            assert!(found.inertia <= least + 1e-12, "{case}: {} {least}", found.inertia);
            assert!(found.centres.len() <= k && found.of.iter().all(|&g| g < found.centres.len()));
        }
    }

    #[test]
    fn no_more_groups_than_different_points() {
        let points = [[1.0], [1.0], [2.0], [2.0]].map(|p| p.to_vec());
        let found = cluster(&points, 3, 1);
        assert_eq!((found.centres.len(), found.inertia), (2, 0.0));
        assert_eq!(found.of[0], found.of[1]);
        assert!(cluster(&[], 3, 1).centres.is_empty());
    }
}
