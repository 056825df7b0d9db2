//! The life of the process: loading of the library, `fork`, and the end of the program.

// The loader and `fork` call these functions.
#![allow(unsafe_code)]

use crate::marking::{Marking, Shared};
use crate::settings::Settings;
use crate::watch::Watch;
use crate::{DESCRIPTORS, QUEUE_PAIRS, reporter, system};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::{Duration, Instant};

const ALL: usize = DESCRIPTORS + QUEUE_PAIRS;

/// The table of descriptors, followed by queue pairs and address handles. Pages that are never written take no memory.
pub(crate) static WATCH: Watch<ALL, { ALL / 64 }, { (ALL / 64).div_ceil(64) }> = Watch::new();

static MARKING: Shared = Shared::new();
static SETTINGS: OnceLock<Settings> = OnceLock::new();
/// The id of this memory's process. A child of `vfork` has another id and shares the memory, which it must not change.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The state of the reporting thread.
static THREAD: AtomicU32 = AtomicU32::new(NONE);
const NONE: u32 = 0;
const RUNS: u32 = 1;
const IS_TO_END: u32 = 2;
const ENDED: u32 = 3;

/// The time for which the end of a program waits for the goodbye. Without a goodbye, the lease has
/// to expire.
const GOODBYE_TIMEOUT: Duration = Duration::from_millis(250);

/// The time for which the first queue pair waits for the mark, since a queue pair can't be marked
/// later.
const MARK_TIMEOUT: Duration = Duration::from_millis(100);

thread_local! {
    /// Set in the library's own thread, whose calls are not interposed.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this is the library's own thread.
pub(crate) fn is_own() -> bool {
    THREAD.load(Relaxed) != NONE && IS_OWN.get()
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
        while THREAD.load(Relaxed) == RUNS
            && MARKING.get() == Marking::default()
            && began.elapsed() < MARK_TIMEOUT
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    settings.of_queue_pairs(MARKING.get())
}

/// Starts the reporting thread, if it is not running.
pub(crate) fn begin() {
    if THREAD.load(Relaxed) != NONE || THREAD.compare_exchange(NONE, RUNS, AcqRel, Relaxed).is_err()
    {
        return;
    }
    let thread = std::thread::Builder::new().name("saba".into()).stack_size(256 << 10);
    if system::without_signals(|| thread.spawn(run)).is_err() {
        // A program at its limit of threads runs without reports.
        THREAD.store(ENDED, Release);
    }
}

fn run() {
    IS_OWN.set(true);
    if let Some(settings) = SETTINGS.get() {
        reporter::run(settings, &WATCH, &MARKING, |most| {
            if THREAD.load(Acquire) == RUNS {
                system::wait(&THREAD, RUNS, most);
            }
            THREAD.load(Acquire) != RUNS
        });
    }
    THREAD.store(ENDED, Release);
    system::wake(&THREAD);
}

fn load() {
    let Some(settings) = Settings::from_environment() else { return };
    if let Some(mark) = settings.mark {
        MARKING.set(mark.into());
    }
    PROCESS.store(system::process(), Relaxed);
    // SAFETY: `child` makes only calls that are allowed in a forked child.
    if unsafe { libc::pthread_atfork(None, None, Some(child)) } == 0 {
        // The loader calls this once.
        let _ = SETTINGS.set(settings);
    }
}

/// Resets the library in a forked child: the thread is gone, and the connections are the parent's.
extern "C" fn child() {
    for own in WATCH.own_from(0) {
        system::close_now(own as libc::c_int);
    }
    WATCH.restart();
    PROCESS.store(system::process(), Relaxed);
    THREAD.store(NONE, Release);
    IS_OWN.set(false);
}

extern "C" fn end() {
    let began = Instant::now();
    if !is_this() || THREAD.compare_exchange(RUNS, IS_TO_END, AcqRel, Relaxed).is_err() {
        return;
    }
    system::wake(&THREAD);
    while THREAD.load(Acquire) == IS_TO_END && began.elapsed() < GOODBYE_TIMEOUT {
        system::wait(&THREAD, IS_TO_END, GOODBYE_TIMEOUT.saturating_sub(began.elapsed()));
    }
}

/// The functions that the loader calls before the program starts and when it ends.
#[cfg(not(test))]
mod loader {
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOAD: extern "C" fn() = load;
    #[used]
    #[unsafe(link_section = ".fini_array")]
    static END: extern "C" fn() = super::end;

    extern "C" fn load() {
        crate::sockets::look_up();
        crate::descriptors::look_up();
        super::load();
    }
}
