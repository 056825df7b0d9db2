//! One thread for each part of the queue pairs.

use super::driven::driven;
use super::place::Place;
use bandwise_rdma::verbs::Program;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::{QueuePairs, VerbsError};
use bandwise_verbs::{Clock, End, processor_time};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// What a thread has to do.
pub(super) struct Work<P> {
    pub(super) device: QueuePairs,
    pub(super) program: P,
}

/// What has become of it.
pub(super) struct Worked<P> {
    /// Not closed yet: the other side is told first that it may close its own.
    pub(super) device: QueuePairs,
    pub(super) program: P,
    pub(super) end: Result<End, VerbsError>,
    /// How long it kept a processor busy.
    pub(super) busy: Time,
}

/// How often somebody with nothing to do looks whether it should stop, and whether others are done.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Runs the first on this thread and each other one on its own, until all are done, one fails, or `stop` says so,
/// which is asked on this thread.
pub(super) fn run<P: Program + Send>(
    work: Vec<Work<P>>,
    place: &Place,
    by_events: bool,
    clock: &(impl Clock + Sync),
    stop: &mut dyn FnMut() -> bool,
) -> Vec<Worked<P>> {
    let over = AtomicBool::new(false);
    let over = &over;
    let one = |work: Work<P>, stop: &mut dyn FnMut() -> bool| {
        let Work { mut device, mut program } = work;
        let before = processor_time();
        let end = driven(&mut program, &mut device, clock, by_events, stop);
        if !matches!(end, Ok(End::Done)) {
            over.store(true, Relaxed);
        }
        Worked { device, program, end, busy: processor_time() - before }
    };
    let mut work = work.into_iter().enumerate();
    thread::scope(|scope| {
        let first = work.next();
        let others: Vec<_> = work
            .map(|(number, work)| {
                let one = &one;
                scope.spawn(move || {
                    place.take(number);
                    one(work, &mut || over.load(Relaxed))
                })
            })
            .collect();
        let mut worked = Vec::with_capacity(1 + others.len());
        worked.extend(first.map(|(_, work)| one(work, &mut || over.load(Relaxed) || stop())));
        while !others.iter().all(|other| other.is_finished()) {
            if !over.load(Relaxed) && stop() {
                over.store(true, Relaxed);
            }
            thread::sleep(LOOK_EVERY);
        }
        worked.extend(others.into_iter().map(|other| match other.join() {
            Ok(worked) => worked,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        worked
    })
}
