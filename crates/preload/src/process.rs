//! The life of the process: the library's settings and threads, `fork`, and the end of the program.

// `fork` calls a function here.
#![allow(unsafe_code)]

use crate::marking::{Marking, Shared};
use crate::settings::Settings;
use crate::watch::Watch;
use crate::{DESCRIPTORS, QUEUE_PAIRS, handler, observer, reporter, system};
use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{OnceLock, mpsc};
use std::thread::Builder;
use std::time::{Duration, Instant};

const ALL: usize = DESCRIPTORS + QUEUE_PAIRS;

/// The table of descriptors, followed by queue pairs and address handles. Pages that are never written take no memory.
pub(crate) static WATCH: Watch<ALL, { ALL / 64 }, { (ALL / 64).div_ceil(64) }> = Watch::new();

static MARKING: Shared = Shared::new();
static SETTINGS: OnceLock<Settings> = OnceLock::new();
/// The id of this memory's process. A child of `vfork` has another id and shares the memory, which it must not change.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The state of the library's threads.
static THREADS: AtomicU32 = AtomicU32::new(NONE);
const NONE: u32 = 0;
const RUNS: u32 = 1;
const IS_TO_END: u32 = 2;
const ENDED: u32 = 3;
/// The number of the library's threads.
const COUNT: u64 = 2;

/// The program can't have the library's threads.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// The kernel has refused a namespace to the program, which has the library's threads.
static WAS_DENIED: AtomicBool = AtomicBool::new(false);

/// The attempts to start the threads since a connection was made in a signal handler, where no thread can be started.
static ATTEMPTS: AtomicU32 = AtomicU32::new(0);

/// The attempts that look for a handler. Of later ones few do, since remains of a handler can stay on a stack, and the
/// search takes up to 0.1 ms.
const MAX_ATTEMPTS: u32 = 64;

/// Functions of the sanitizers that take the reads and writes of the library's threads for faults of the program.
const SANITIZERS: [&CStr; 2] = [c"__tsan_init", c"__msan_init"];

/// A function of liburing, by whose requests a program connects and accepts without a call of an interposed function.
const IO_URING: &CStr = c"io_uring_queue_init";

/// The time for which the end of a program waits for the goodbye. Without a goodbye, the lease has
/// to expire.
const GOODBYE_TIMEOUT: Duration = Duration::from_millis(250);

/// The time for which the first queue pair waits for the mark, since a queue pair can't be marked
/// later.
const MARK_TIMEOUT: Duration = Duration::from_millis(100);

thread_local! {
    /// Set in the library's own threads, whose calls are not interposed.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this is one of the library's own threads.
pub(crate) fn is_own() -> bool {
    THREADS.load(Relaxed) != NONE && IS_OWN.get()
}

/// Returns whether this process owns the descriptors in this memory.
pub(crate) fn is_this() -> bool {
    PROCESS.load(Relaxed) == system::process()
}

/// Returns the settings, if the program is to run under a controller. The process id is not checked, which would take a
/// system call. So a child that was created without `fork` has its sockets marked, but reports none.
pub(crate) fn settings() -> Option<&'static Settings> {
    SETTINGS.get()
}

/// Returns the mark of packets, as far as it is known.
pub(crate) fn marking() -> Marking {
    MARKING.get()
}

/// Returns the mark for a queue pair. The first call waits for the mark.
pub(crate) fn marking_of_queue_pair(settings: &Settings) -> Marking {
    static HAS_WAITED: AtomicBool = AtomicBool::new(false);
    begin();
    if MARKING.get() == Marking::default() && !HAS_WAITED.swap(true, Relaxed) {
        let began = Instant::now();
        while THREADS.load(Relaxed) == RUNS
            && MARKING.get() == Marking::default()
            && began.elapsed() < MARK_TIMEOUT
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    settings.of_queue_pairs(MARKING.get())
}

/// Starts the library's threads, if they are not running. In a signal handler, a later call of [`resume`] starts them.
pub(crate) fn begin() {
    if THREADS.load(Relaxed) != NONE || !is_this() {
        return;
    }
    let attempt = ATTEMPTS.load(Relaxed).wrapping_add(1);
    if attempt > MAX_ATTEMPTS && !attempt.is_power_of_two() || handler::is_possible() {
        ATTEMPTS.store(attempt, Relaxed);
        return;
    }
    ATTEMPTS.store(0, Relaxed);
    if THREADS.compare_exchange(NONE, RUNS, AcqRel, Relaxed).is_err() {
        return;
    }
    if system::without_signals(|| thread("saba").spawn(observe)).is_err() {
        // A program at its limit of threads runs without reports.
        ended();
    }
}

/// Starts the threads for connections that were made in a signal handler.
pub(crate) fn resume() {
    if ATTEMPTS.load(Relaxed) != 0 {
        let errno = system::Errno::keep();
        begin();
        drop(errno);
    }
}

/// Stores that the kernel has refused a namespace to a process with several threads.
pub(crate) fn was_denied() {
    if THREADS.load(Relaxed) == RUNS && is_this() {
        WAS_DENIED.store(true, Relaxed);
    }
}

/// Returns whether the kernel has refused a namespace since the last call.
fn take_denied() -> bool {
    WAS_DENIED.swap(false, Relaxed)
}

/// Returns a thread to start. Its stack has room for the program's functions of `atexit`, which the last thread calls.
fn thread(name: &str) -> Builder {
    Builder::new().name(name.into()).stack_size(1 << 20)
}

/// Runs the observing thread, which starts the reporting one.
fn observe() {
    IS_OWN.set(true);
    let Some(settings) = SETTINGS.get() else { return };
    let (sender, changes) = mpsc::channel();
    let reports = move || {
        IS_OWN.set(true);
        reporter::run(settings, &changes, &MARKING, take_denied);
        ended();
    };
    if thread("saba-reports").spawn(reports).is_err() {
        return ended();
    }
    observer::run(&WATCH, &MARKING, sender, |most| {
        if THREADS.load(Acquire) == RUNS {
            system::wait(&THREADS, RUNS, most);
        }
        THREADS.load(Acquire) != RUNS || system::is_without_program(COUNT)
    });
    // The program's last thread has ended by `pthread_exit`, so this one ends the process.
    if THREADS.load(Acquire) == RUNS {
        end();
        system::exit();
    }
}

fn ended() {
    THREADS.store(ENDED, Release);
    system::wake(&THREADS);
}

/// Reads the settings when the library is loaded.
pub(crate) fn load() {
    let Some(settings) = Settings::from_environment() else { return };
    if let Some(mark) = settings.mark {
        MARKING.set(mark.into());
    }
    PROCESS.store(system::process(), Relaxed);
    if let Some(sanitizer) = SANITIZERS.iter().find(|name| system::is_defined(name)) {
        settings.log.write(&format!("connections are not reported: the program has {sanitizer:?}"));
        IS_SILENT.store(true, Relaxed);
        THREADS.store(ENDED, Relaxed);
    }
    if system::is_defined(IO_URING) {
        settings.log.write(
            "the program has liburing: connections by io_uring are neither marked nor reported",
        );
    }
    // SAFETY: `child` makes only calls that are allowed in a forked child.
    if unsafe { libc::pthread_atfork(None, None, Some(child)) } == 0 {
        // The loader calls this once.
        let _ = SETTINGS.set(settings);
    }
}

/// Resets the library in a forked child: the threads are gone, and the connections are the parent's.
extern "C" fn child() {
    WATCH.restart();
    PROCESS.store(system::process(), Relaxed);
    THREADS.store(if IS_SILENT.load(Relaxed) { ENDED } else { NONE }, Release);
    ATTEMPTS.store(0, Relaxed);
    WAS_DENIED.store(false, Relaxed);
    IS_OWN.set(false);
}

/// Says goodbye when the program ends.
pub(crate) extern "C" fn end() {
    let began = Instant::now();
    if !is_this() || THREADS.compare_exchange(RUNS, IS_TO_END, AcqRel, Relaxed).is_err() {
        return;
    }
    system::wake(&THREADS);
    while THREADS.load(Acquire) == IS_TO_END && began.elapsed() < GOODBYE_TIMEOUT {
        system::wait(&THREADS, IS_TO_END, GOODBYE_TIMEOUT.saturating_sub(began.elapsed()));
    }
}
