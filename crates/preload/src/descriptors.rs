//! The interposed C functions that close and duplicate descriptors.
//!
//! A child of `vfork` shares this memory but has its own descriptors: its calls change nothing here. Neither do those of
//! the library's threads, which have descriptors of their own.

// The interposed C functions and their calls of the original ones are unsafe.
#![allow(unsafe_code)]

use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::sockets::place;
use libc::{c_int, c_uint};

static CLOSE: Next = Next::new(c"close");
static DUP: Next = Next::new(c"dup");
static DUP2: Next = Next::new(c"dup2");
static DUP3: Next = Next::new(c"dup3");
static CLOSE_RANGE: Next = Next::new(c"close_range");
static CLOSEFROM: Next = Next::new(c"closefrom");

/// Looks up the original functions.
pub(crate) fn look_up() {
    for next in [&CLOSE, &DUP, &DUP2, &DUP3, &CLOSE_RANGE, &CLOSEFROM] {
        next.find();
    }
}

/// Handles a descriptor that the program is about to close.
pub(crate) fn closing(fd: c_int) {
    let Some(place) = place(fd).filter(|place| WATCH.is_known(*place)) else { return };
    if !process::is_own() && process::is_this() {
        WATCH.closing(place);
    }
}

/// `close(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn close(fd: c_int) -> c_int {
    process::resume();
    closing(fd);
    next!(CLOSE, (fd => c_int) -> c_int, -1)
}

/// Handles a descriptor `to` that is now a duplicate of `from`.
fn duplicated(from: c_int, to: c_int) {
    process::resume();
    if let (Some(from), Some(to)) = (place(from), place(to)) {
        let is_known = WATCH.is_known(from) || WATCH.is_known(to);
        if from != to && is_known && process::is_this() {
            WATCH.duplicated(from, to);
        }
    }
}

/// `dup(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn dup(fd: c_int) -> c_int {
    let result = next!(DUP, (fd => c_int) -> c_int, -1);
    duplicated(fd, result);
    result
}

/// `dup2(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn dup2(from: c_int, to: c_int) -> c_int {
    let result = next!(DUP2, (from => c_int, to => c_int) -> c_int, -1);
    duplicated(from, result);
    result
}

/// `dup3(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int {
    let result = next!(DUP3, (from => c_int, to => c_int, flags => c_int) -> c_int, -1);
    duplicated(from, result);
    result
}

/// `close_range(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    process::resume();
    // With flags, the call concerns other descriptors than the process's, or closes them later.
    if flags == 0 && first <= last && process::settings().is_some() && process::is_this() {
        WATCH.known(first as usize, last as usize).for_each(|known| WATCH.closing(known));
    }
    next!(CLOSE_RANGE, (first => c_uint, last => c_uint, flags => c_int) -> c_int, -1)
}

/// `closefrom(3)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn closefrom(first: c_int) {
    let first = c_uint::try_from(first).unwrap_or(0);
    // SAFETY: the arguments are numbers. If the kernel lacks `close_range`, the call fails and the
    // original `closefrom` runs.
    let result = unsafe { close_range(first, c_uint::MAX, 0) };
    if result != 0 {
        next!(CLOSEFROM, (first as c_int => c_int) -> (), Default::default())
    }
}
