//! [`Laps`]: how long a run would take that nothing disturbed.

use std::time::Instant;

/// How long each part of a run took, seconds. Every run has the same parts, since the same simulation looks up from its
/// work at the same simulated times.
///
/// Neighbours of a machine take cores and caches for a while. A short run may pass between two such times and a long one
/// can't, so that the medians of both, or their best, are no fair comparison.
pub(super) struct Laps {
    began: Instant,
    laps: Vec<f64>,
}

impl Laps {
    /// A run begins.
    pub(super) fn begin() -> Self {
        Laps { began: Instant::now(), laps: Vec::new() }
    }

    /// A part of it ends.
    pub(super) fn lap(&mut self) {
        let now = Instant::now();
        self.laps.push((now - self.began).as_secs_f64());
        self.began = now;
    }

    /// The whole of it ends.
    pub(super) fn end(mut self) -> Vec<f64> {
        self.lap();
        self.laps
    }
}

/// The sum over all parts of the least that any run took for it, seconds, and how many parts there are. Nothing for
/// a single run, or if runs have other parts.
pub(super) fn undisturbed<'a>(
    mut runs: impl ExactSizeIterator<Item = &'a [f64]>,
) -> Option<(f64, usize)> {
    if runs.len() < 2 {
        return None;
    }
    let mut least = runs.next()?.to_vec();
    for run in runs {
        if run.len() != least.len() {
            return None;
        }
        least.iter_mut().zip(run).for_each(|(least, lap)| *least = least.min(*lap));
    }
    Some((least.iter().sum(), least.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts_at_its_fastest() {
        let runs: [&[f64]; 2] = [&[1.0, 5.0, 2.0], &[3.0, 4.0, 2.5]];
        assert_eq!(undisturbed(runs.into_iter()), Some((7.0, 3)));
        assert_eq!(undisturbed(runs[..1].iter().copied()), None);
        assert_eq!(undisturbed([runs[0], &[1.0]].into_iter()), None);
    }

    #[test]
    fn a_run_is_the_sum_of_its_laps() {
        let began = Instant::now();
        let mut laps = Laps::begin();
        laps.lap();
        laps.lap();
        let laps = laps.end();
        assert_eq!(laps.len(), 3);
        assert!(laps.iter().sum::<f64>() <= began.elapsed().as_secs_f64());
    }
}
