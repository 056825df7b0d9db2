//! [`Laps`]: the times of the parts of a run, and the time of a run without disturbance.

use std::time::Instant;

/// The times of the parts of a run, in seconds. Every run has the same parts, because a simulation
/// reports its progress at the same simulated times.
///
/// Other programs on the machine take cores and caches for a while. A short run may fall between
/// two such periods, but a long run can't. The medians of short and long runs, or the fastest of
/// each, are therefore no fair comparison.
pub(super) struct Laps {
    began: Instant,
    laps: Vec<f64>,
}

impl Laps {
    /// Starts the clock at the beginning of a run.
    pub(super) fn begin() -> Self {
        Laps { began: Instant::now(), laps: Vec::new() }
    }

    /// Records the end of a part.
    pub(super) fn lap(&mut self) {
        let now = Instant::now();
        self.laps.push((now - self.began).as_secs_f64());
        self.began = now;
    }

    /// Records the end of the last part, and returns the times of all parts in seconds.
    pub(super) fn end(mut self) -> Vec<f64> {
        self.lap();
        self.laps
    }
}

/// Returns the sum of each part's shortest time over all runs, in seconds, and the number of parts.
/// Returns `None` for fewer than two runs, or if the numbers of parts differ.
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
    fn undisturbed_time_sums_the_fastest_laps() {
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
