//! The process: from when the library is loaded, over what `fork` makes of it, to its end.

// What the loader calls, and what a child is told by.
#![allow(unsafe_code)]

use crate::marking::{Marking, Shared};
use crate::settings::Settings;
use crate::watch::Watch;
use crate::{DESCRIPTORS, WAYS, reporter, system};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::{Duration, Instant};

const ALL: usize = DESCRIPTORS + WAYS;

/// What is known of descriptors and, behind those, queue pairs and address handles. Pages that are never written are none.
pub(crate) static WATCH: Watch<ALL, { ALL / 64 }, { (ALL / 64).div_ceil(64) }> = Watch::new();

static MARKING: Shared = Shared::new();
static SETTINGS: OnceLock<Settings> = OnceLock::new();
/// The process that this memory is. A child of `vfork` has another number and the same memory, which it must not touch.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// What the thread does.
static THREAD: AtomicU32 = AtomicU32::new(NONE);
const NONE: u32 = 0;
const RUNS: u32 = 1;
const IS_TO_END: u32 = 2;
const ENDED: u32 = 3;

/// How long a program's end waits for the thread to say goodbye. If it can't by then, the lease ends.
const GOODBYE: Duration = Duration::from_millis(250);

/// How long a first queue pair waits for a mark that nobody has said yet; it can't be marked later.
const FOR_A_MARK: Duration = Duration::from_millis(100);

thread_local! {
    /// Whether this is the library's own thread, whose calls are no business of it.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is the library's own thread.
pub(crate) fn is_own() -> bool {
    THREAD.load(Relaxed) != NONE && IS_OWN.get()
}

/// Whether descriptors of this memory are those of this process.
pub(crate) fn is_this() -> bool {
    PROCESS.load(Relaxed) == system::process()
}

/// What the library goes by, if the program is to be under Saba. It is not asked whose process this is, which is a
/// call of the system: a child that was made by other means than `fork` has its sockets marked, and reports none.
pub(crate) fn settings() -> Option<&'static Settings> {
    SETTINGS.get()
}

/// What packets are to carry, as far as it is known.
pub(crate) fn marking() -> Marking {
    MARKING.get()
}

/// The same for a queue pair, for which it is waited once.
pub(crate) fn marking_of_queue_pair(settings: &Settings) -> Marking {
    static HAS_WAITED: AtomicBool = AtomicBool::new(false);
    begin();
    if MARKING.get() == Marking::default() && !HAS_WAITED.swap(true, Relaxed) {
        let began = Instant::now();
        while THREAD.load(Relaxed) == RUNS
            && MARKING.get() == Marking::default()
            && began.elapsed() < FOR_A_MARK
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    settings.of_queue_pairs(MARKING.get())
}

/// The thread begins, if it has not.
pub(crate) fn begin() {
    if THREAD.load(Relaxed) != NONE || THREAD.compare_exchange(NONE, RUNS, AcqRel, Relaxed).is_err()
    {
        return;
    }
    let thread = std::thread::Builder::new().name("saba".into()).stack_size(256 << 10);
    if system::without_signals(|| thread.spawn(run)).is_err() {
        // A program that may have no more threads runs on without.
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

extern "C" fn load() {
    let Some(settings) = Settings::from_environment() else { return };
    if let Some(mark) = settings.mark {
        MARKING.set(mark.into());
    }
    PROCESS.store(system::process(), Relaxed);
    // SAFETY: the function does nothing but calls that a child may make.
    if unsafe { libc::pthread_atfork(None, None, Some(child)) } == 0 {
        // It is called once.
        let _ = SETTINGS.set(settings);
    }
}

/// In a child that has its own memory: the thread is not there, and connections are its parent's.
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
    while THREAD.load(Acquire) == IS_TO_END && began.elapsed() < GOODBYE {
        system::wait(&THREAD, IS_TO_END, GOODBYE.saturating_sub(began.elapsed()));
    }
}

/// What the loader calls before the program begins, and when it ends.
#[cfg(not(test))]
mod loader {
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOAD: extern "C" fn() = super::load;
    #[used]
    #[unsafe(link_section = ".fini_array")]
    static END: extern "C" fn() = super::end;
}
