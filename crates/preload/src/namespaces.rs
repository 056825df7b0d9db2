//! The interposed `unshare`, for a message: some namespaces need a process with one thread, and the library has two.

// The interposed C function and its call of the original one are unsafe.
#![allow(unsafe_code)]

use crate::process;
use crate::real::{Next, next};
use crate::system::Errno;
use libc::c_int;

static UNSHARE: Next = Next::new(c"unshare");

/// Looks up the original function.
pub(crate) fn look_up() {
    UNSHARE.find();
}

/// The flags that the kernel refuses to a process with several threads (unshare(2)).
const ALONE: c_int =
    libc::CLONE_NEWUSER | libc::CLONE_THREAD | libc::CLONE_SIGHAND | libc::CLONE_VM;

/// `unshare(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn unshare(flags: c_int) -> c_int {
    let result = next!(UNSHARE, (flags => c_int) -> c_int, -1);
    if result != 0 && flags & ALONE != 0 && Errno::get() == libc::EINVAL && !process::is_own() {
        process::was_denied();
    }
    result
}
