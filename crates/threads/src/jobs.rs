//! Parallel jobs with ordered results. The results have the order of the jobs, so that no output
//! depends on the number of threads.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs jobs on several threads (0: one a core) and returns the results in the order of the jobs. A
/// free thread takes the next job, so that first jobs complete first.
///
/// # Errors
///
/// Returns the error of the first job, in their order, that fails.
pub fn in_order<J, R, E>(
    threads: usize,
    jobs: &[J],
    job: impl Fn(&J) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E>
where
    J: Sync,
    R: Send + Sync,
    E: Send + Sync,
{
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = if threads == 0 { cores() } else { threads };
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Result<R, E>>> = jobs.iter().map(|_| OnceLock::new()).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(input), Some(place)) = (jobs.get(i), results.get(i)) else { break };
                    // Each place is written once, by one thread.
                    let _ = place.set(job(input));
                }
            });
        }
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..20).collect();
        for threads in [0, 1, 3, 50] {
            let results = in_order(threads, &jobs, |&n| {
                // The first jobs take longest.
                std::thread::sleep(Duration::from_micros(100 * (20 - n)));
                Ok::<_, ()>(n * n)
            });
            assert_eq!(results, Ok(jobs.iter().map(|n| n * n).collect()));
        }
    }

    #[test]
    fn the_first_error_in_order_is_returned() {
        let results = in_order(4, &[1, 2, 3, 4], |&n| if n % 2 == 0 { Err(n) } else { Ok(n) });
        assert_eq!(results, Err(2));
    }
}
