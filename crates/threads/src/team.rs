//! [`Team`]: an executor of threads.

use crate::barrier::Barrier;
use bandwise_netsim::engine::{Executor, Sequential};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard};

/// A team of threads, one of which is the caller's.
#[derive(Debug, Clone, Copy)]
pub struct Team(NonZeroUsize);

impl Team {
    /// Returns a team with this number of threads.
    pub const fn new(threads: NonZeroUsize) -> Self {
        Team(threads)
    }
}

impl Executor for Team {
    fn workers(&self) -> NonZeroUsize {
        self.0
    }

    fn rounds<T: Send, R: Copy + Send>(
        &self,
        parts: &mut [T],
        mut plan: impl FnMut(&mut [&mut T]) -> Option<R> + Send,
        work: impl Fn(&mut T, R) + Sync,
    ) {
        let threads = self.0.get().min(parts.len());
        if threads < 2 {
            return Sequential.rounds(parts, plan, work);
        }
        // These locks are never contended: the barrier orders their use.
        let parts: Vec<Mutex<&mut T>> = parts.iter_mut().map(Mutex::new).collect();
        let what = Mutex::new(None);
        let barrier = Barrier::new(threads);
        let does = |thread: usize, round: R| {
            for part in parts.iter().skip(thread).step_by(threads) {
                work(&mut **hold(part), round);
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                let (does, what, barrier) = (&does, &what, &barrier);
                scope.spawn(move || {
                    let _guard = barrier.guard();
                    loop {
                        barrier.wait();
                        let Some(round) = *hold(what) else { break };
                        does(thread, round);
                        barrier.wait();
                    }
                });
            }
            let _guard = barrier.guard();
            loop {
                let round = {
                    let mut held: Vec<_> = parts.iter().map(hold).collect();
                    let mut all: Vec<&mut T> = held.iter_mut().map(|part| &mut ***part).collect();
                    plan(&mut all)
                };
                *hold(&what) = round;
                barrier.wait();
                let Some(round) = round else { break };
                does(0, round);
                barrier.wait();
            }
        });
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("a thread that panics breaks the barrier first")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(threads: usize) -> Team {
        Team::new(threads.try_into().unwrap())
    }

    /// Each part runs once a round, and the plan sees the results of all.
    #[test]
    fn each_part_runs_once_a_round() {
        for threads in 1..5 {
            let mut parts = [0u64; 3];
            let mut rounds = 0;
            let plan = |parts: &mut [&mut u64]| {
                assert!(parts.iter().all(|part| **part == rounds * (rounds + 1) / 2));
                rounds += 1;
                (rounds <= 1_000).then_some(rounds)
            };
            team(threads).rounds(&mut parts, plan, |part, round| *part += round);
            assert_eq!(parts, [1_000 * 1_001 / 2; 3]);
        }
    }

    #[test]
    #[should_panic]
    fn panic_of_one_thread_reaches_the_caller() {
        let mut left = 10;
        let plan = |_: &mut [&mut usize]| {
            left -= 1;
            (left > 0).then_some(left)
        };
        let work = |part: &mut usize, round| assert!(*part != 1 || round != 5, "it panics");
        team(2).rounds(&mut [0, 1], plan, work);
    }
}
