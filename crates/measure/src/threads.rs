//! Measuring threads, each with its own queue pairs and program.

use bandwise_rdma::verbs::Program;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::VerbsError;
use bandwise_verbs::{ByEvents, Clock, DriveEnd, Wakes, drive, processor_time};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// The work of a thread.
pub struct Work<D, P> {
    /// Queue pairs.
    pub device: D,
    /// Program.
    pub program: P,
}

/// A thread's work when it has ended.
pub struct Finished<D, P> {
    /// Queue pairs, still open: the other side must learn of the end before they close.
    pub device: D,
    /// Program, with its results.
    pub program: P,
    /// Reason for the end.
    pub end: Result<DriveEnd, VerbsError>,
    /// Start and end; `None` if the work did not begin.
    pub active: Option<(Time, Time)>,
    /// Processor time used.
    pub busy: Time,
}

/// The conditions under which threads run.
pub struct Conditions<'a> {
    /// Function that binds the calling thread, by its number, to its processors.
    pub bind: &'a (dyn Fn(usize) + Sync),
    /// `true` if threads sleep until an event instead of polling.
    pub by_events: bool,
    /// Function that blocks until a thread must begin, and returns `false` if it must not.
    pub begins: &'a (dyn Fn() -> bool + Sync),
}

/// The interval at which an idle thread checks for the end.
const END_CHECK: Duration = Duration::from_millis(10);

/// Runs the first item on this thread and each other item on a thread of its own. Ends when all are
/// done, one fails, or `stop` returns `true`. Calls `stop` on this thread.
///
/// # Panics
///
/// Panics if a program panics.
pub fn run<D: Wakes<Error = VerbsError> + Send, P: Program + Send>(
    work: Vec<Work<D, P>>,
    conditions: &Conditions<'_>,
    clock: &(impl Clock + Sync),
    stop: &mut dyn FnMut() -> bool,
) -> Vec<Finished<D, P>> {
    let over = AtomicBool::new(false);
    let over = &over;
    let one = |work: Work<D, P>, stop: &mut dyn FnMut() -> bool| {
        let Work { mut device, mut program } = work;
        if !(conditions.begins)() {
            over.store(true, Relaxed);
            return Finished {
                device,
                program,
                end: Ok(DriveEnd::Stopped),
                active: None,
                busy: Time::ZERO,
            };
        }
        let (began, before) = (clock.now(), processor_time());
        let end = match conditions.by_events {
            true => drive(&mut program, &mut ByEvents::of(&mut device), clock, stop),
            false => drive(&mut program, &mut device, clock, stop),
        };
        let (ended, busy) = (clock.now(), processor_time() - before);
        if !matches!(end, Ok(DriveEnd::Done)) {
            over.store(true, Relaxed);
        }
        Finished { device, program, end, active: Some((began, ended)), busy }
    };
    let mut work = work.into_iter().enumerate();
    thread::scope(|scope| {
        let first = work.next();
        let others: Vec<_> = work
            .map(|(number, work)| {
                let one = &one;
                scope.spawn(move || {
                    (conditions.bind)(number);
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
            thread::sleep(END_CHECK);
        }
        worked.extend(others.into_iter().map(|other| match other.join() {
            Ok(worked) => worked,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        worked
    })
}
