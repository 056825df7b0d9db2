//! One thread for each part of the queue pairs.

use super::place::Place;
use bandwise_rdma::verbs::Program;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::VerbsError;
use bandwise_verbs::{ByEvents, Clock, End, Wakes, drive, processor_time};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// What a thread has to do.
pub(in crate::rperf) struct Work<D, P> {
    pub(in crate::rperf) device: D,
    pub(in crate::rperf) program: P,
}

/// What has become of it.
pub(in crate::rperf) struct Worked<D, P> {
    /// Not closed yet: the other side is told first that it may close its own.
    pub(in crate::rperf) device: D,
    pub(in crate::rperf) program: P,
    pub(in crate::rperf) end: Result<End, VerbsError>,
    /// When it began and ended; `None` where it did not begin.
    pub(in crate::rperf) active: Option<(Time, Time)>,
    /// How long it kept a processor busy.
    pub(in crate::rperf) busy: Time,
}

/// When threads begin and how.
pub(in crate::rperf) struct How<'a> {
    pub(in crate::rperf) place: &'a Place,
    pub(in crate::rperf) by_events: bool,
    /// Comes back when a thread is to begin; with `false` if it is not to, any more.
    pub(in crate::rperf) begins: &'a (dyn Fn() -> bool + Sync),
}

/// How often somebody with nothing to do looks whether it should stop, and whether others are done.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Runs the first on this thread and each other one on its own, until all are done, one fails, or `stop` says so,
/// which is asked on this thread.
pub(in crate::rperf) fn run<D: Wakes<Error = VerbsError> + Send, P: Program + Send>(
    work: Vec<Work<D, P>>,
    how: &How<'_>,
    clock: &(impl Clock + Sync),
    stop: &mut dyn FnMut() -> bool,
) -> Vec<Worked<D, P>> {
    let over = AtomicBool::new(false);
    let over = &over;
    let one = |work: Work<D, P>, stop: &mut dyn FnMut() -> bool| {
        let Work { mut device, mut program } = work;
        if !(how.begins)() {
            over.store(true, Relaxed);
            return Worked {
                device,
                program,
                end: Ok(End::Stopped),
                active: None,
                busy: Time::ZERO,
            };
        }
        let (began, before) = (clock.now(), processor_time());
        let end = match how.by_events {
            true => drive(&mut program, &mut ByEvents::of(&mut device), clock, stop),
            false => drive(&mut program, &mut device, clock, stop),
        };
        let (ended, busy) = (clock.now(), processor_time() - before);
        if !matches!(end, Ok(End::Done)) {
            over.store(true, Relaxed);
        }
        Worked { device, program, end, active: Some((began, ended)), busy }
    };
    let mut work = work.into_iter().enumerate();
    thread::scope(|scope| {
        let first = work.next();
        let others: Vec<_> = work
            .map(|(number, work)| {
                let one = &one;
                scope.spawn(move || {
                    how.place.take(number);
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
