//! Percentiles by nearest rank. All percentiles of the workspace's results come from here.
//!
//! The `p`-th percentile of `n` samples is the sample at rank ⌈p/100 · n⌉ in ascending order, counted
//! from 1. It is always one of the samples, never a value interpolated between two of them.
//!
//! ```
//! use bandwise_stats::Percentile;
//!
//! let latencies_us = [3, 4, 4, 5, 7, 8, 9, 12, 20, 95];
//! assert_eq!(Percentile::MEDIAN.of_sorted(&latencies_us), Some(7));
//! assert_eq!(Percentile::P90.of_sorted(&latencies_us), Some(20));
//! assert_eq!(Percentile::P99.of_sorted(&latencies_us), Some(95));
//! ```

/// A percentile between 0 and 100, exact to a ten-thousandth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percentile {
    /// The share of samples that the percentile covers, in parts per million.
    ppm: u32,
}

impl Percentile {
    /// The 50th percentile.
    pub const MEDIAN: Percentile = Percentile::from_permille(500);
    /// The 90th percentile.
    pub const P90: Percentile = Percentile::from_permille(900);
    /// The 95th percentile.
    pub const P95: Percentile = Percentile::from_permille(950);
    /// The 99th percentile.
    pub const P99: Percentile = Percentile::from_permille(990);
    /// The 99.9th percentile.
    pub const P99_9: Percentile = Percentile::from_permille(999);
    /// The 99.99th percentile.
    pub const P99_99: Percentile = Percentile::from_ppm(999_900);

    /// Returns the percentile that covers `ppm` parts per million of the samples.
    ///
    /// # Panics
    ///
    /// Panics if `ppm` is greater than 1,000,000.
    pub const fn from_ppm(ppm: u32) -> Self {
        assert!(ppm <= 1_000_000, "a percentile covers at most all samples");
        Percentile { ppm }
    }

    /// Returns the percentile that covers `permille` thousandths of the samples.
    ///
    /// # Panics
    ///
    /// Panics if `permille` is greater than 1,000.
    pub const fn from_permille(permille: u32) -> Self {
        assert!(permille <= 1_000, "a percentile covers at most all samples");
        Percentile { ppm: permille * 1_000 }
    }

    /// Returns the rank of this percentile among `count` samples in ascending order, counted from 1.
    /// The lowest rank is 1, also for percentile 0. Returns `None` if `count` is zero.
    pub const fn rank(self, count: u64) -> Option<u64> {
        if count == 0 {
            return None;
        }
        // No overflow: the product is below 2^84, the quotient at most `count`.
        let rank = (count as u128 * self.ppm as u128).div_ceil(1_000_000) as u64;
        Some(if rank == 0 { 1 } else { rank })
    }

    /// Returns this percentile of samples in ascending order, or `None` if there are no samples.
    pub fn of_sorted<T: Copy>(self, sorted: &[T]) -> Option<T> {
        let rank = self.rank(sorted.len() as u64)?;
        sorted.get(rank as usize - 1).copied()
    }
}

/// Returns the percentiles of samples that are stored in several parts, each in ascending order.
/// The result is that of one sorted list of all samples, which need not exist. Returns `None` if
/// there are no samples.
///
/// # Panics
///
/// Panics if `percentiles` are not in ascending order.
pub fn of_sorted_parts<T: Copy + PartialOrd, const N: usize>(
    parts: &[&[T]],
    percentiles: [Percentile; N],
) -> Option<[T; N]> {
    assert!(percentiles.is_sorted(), "percentiles are in ascending order");
    let count = parts.iter().map(|part| part.len() as u64).sum();
    let mut found = [*parts.iter().find_map(|part| part.first())?; N];
    let ranks = percentiles.map(|percentile| percentile.rank(count));
    let mut pending = ranks.into_iter().zip(&mut found).peekable();
    // A merge of all parts: `next[i]` is the index of the first sample of part i that is not merged.
    let mut next = vec![0; parts.len()];
    for rank in 1..=count {
        let unmerged = (0..parts.len()).filter(|&i| next[i] < parts[i].len());
        let least =
            unmerged.reduce(|a, b| if parts[b][next[b]] < parts[a][next[a]] { b } else { a })?;
        while let Some((_, found)) = pending.next_if(|(wanted, _)| *wanted == Some(rank)) {
            *found = parts[least][next[least]];
        }
        next[least] += 1;
    }
    Some(found)
}
