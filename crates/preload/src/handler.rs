//! The detection of signal handlers. POSIX allows `connect` and most of the interposed functions there, but not to start
//! a thread: the interrupted code may be in the middle of `malloc`, or hold the lock that a new thread needs.
//!
//! It makes system calls only, allocates nothing, and takes no lock.

// The stack and the table of signals are read by system calls.
#![allow(unsafe_code)]

use std::ptr::null;

/// The size of a signal set of the kernel, in bytes.
const SET: usize = 8;

/// Returns whether the calling thread may be in a signal handler. Rarely, remains of a handler are taken for one.
pub(crate) fn is_possible() -> bool {
    let mut stack = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: 0, ss_size: 0 };
    // SAFETY: the call writes to `stack`.
    let is_known = unsafe { libc::sigaltstack(null(), &raw mut stack) } == 0;
    if !is_known || stack.ss_flags & libc::SS_ONSTACK != 0 {
        return true;
    }
    #[cfg(target_arch = "x86_64")]
    let is_on_stack = frames::is_on_stack();
    #[cfg(not(target_arch = "x86_64"))]
    let is_on_stack = None;
    is_on_stack.unwrap_or_else(is_any_blocked)
}

/// Returns whether a signal is blocked, as it usually is in its handler.
fn is_any_blocked() -> bool {
    let mut blocked = 0u64;
    let to = &raw mut blocked;
    // SAFETY: the call writes a set of signals to `blocked`.
    let result =
        unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_BLOCK, null::<u64>(), to, SET) };
    result != 0 || blocked != 0
}

/// The search for a frame that the kernel has pushed to call a handler.
#[cfg(target_arch = "x86_64")]
mod frames {
    use super::SET;
    use libc::{c_int, c_void};
    use std::ptr::null;

    /// The highest number of a signal.
    const SIGNALS: c_int = 64;

    /// The distance above the current frame that is searched. A handler with larger frames is not detected.
    const REACH: usize = 256 << 10;

    /// The words that are read at once. A thread's smallest stack (16 KiB) has room for them.
    const WORDS: usize = 128;

    /// The words at the start of a frame: the return address, then `ucontext` up to the code segment.
    const CONTEXT: usize = 1 + 24;

    /// `struct sigaction` of the kernel.
    #[repr(C)]
    struct Action {
        handler: usize,
        flags: u64,
        restorer: usize,
        mask: u64,
    }

    /// Addresses that handlers return to, usually one for all signals. It stays in the table of signals when a handler
    /// is removed.
    #[derive(Debug)]
    struct Restorers {
        all: [usize; 4],
        count: usize,
    }

    impl Restorers {
        /// Reads the table of signals. Returns `None` if there are too many addresses.
        fn read() -> Option<Restorers> {
            let mut restorers = Restorers { all: [0; 4], count: 0 };
            for signal in 1..=SIGNALS {
                let mut action = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };
                let (from, to) = (null::<Action>(), &raw mut action);
                // SAFETY: the call writes the structure.
                let result =
                    unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, from, to, SET) };
                let address = action.restorer;
                if result == 0 && address != 0 && !restorers.contains(address) {
                    *restorers.all.get_mut(restorers.count)? = address;
                    restorers.count += 1;
                }
            }
            Some(restorers)
        }

        fn contains(&self, address: usize) -> bool {
            self.all[..self.count].contains(&address)
        }
    }

    /// Copies memory that may be unmapped. Returns the number of copied words, or `None` if the system call is
    /// forbidden.
    fn copy(from: usize, to: &mut [usize]) -> Option<usize> {
        let bytes = size_of_val(to);
        let ours = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: bytes };
        let theirs = libc::iovec { iov_base: from as *mut c_void, iov_len: bytes };
        // SAFETY: the kernel checks the addresses that it reads, and writes at most `bytes` to `to`.
        let copied = unsafe {
            let process = libc::syscall(libc::SYS_getpid);
            libc::syscall(
                libc::SYS_process_vm_readv,
                process,
                &raw const ours,
                1usize,
                &raw const theirs,
                1usize,
                0usize,
            )
        };
        match usize::try_from(copied) {
            Ok(copied) => Some(copied / size_of::<usize>()),
            Err(_) if crate::system::Errno::get() == libc::EFAULT => Some(0),
            Err(_) => None,
        }
    }

    /// Returns whether words are the start of a frame, rather than those around another copy of the address.
    fn is_frame(words: &[usize; CONTEXT]) -> bool {
        /// Flags of `ucontext` are below this.
        const FLAGS: usize = 8;
        /// The code segment of 64-bit programs.
        const SEGMENT: usize = 0x33;
        let (flags, link, segments) = (words[1], words[2], words[CONTEXT - 1]);
        flags < FLAGS && link == 0 && segments & 0xffff == SEGMENT
    }

    /// Returns whether there is a frame above the current one; `None` if the stack can't be read.
    pub(super) fn is_on_stack() -> Option<bool> {
        let restorers = Restorers::read()?;
        if restorers.count == 0 {
            return Some(false);
        }
        let mut words = [0usize; WORDS];
        let begin = (&raw const words) as usize + size_of_val(&words);
        for chunk in (begin..begin + REACH).step_by(size_of_val(&words)) {
            let copied = copy(chunk, &mut words)?;
            for (i, word) in words[..copied].iter().enumerate() {
                let at = chunk + i * size_of::<usize>();
                let mut frame = [0; CONTEXT];
                if restorers.contains(*word) && copy(at, &mut frame)? == CONTEXT && is_frame(&frame)
                {
                    return Some(true);
                }
            }
            if copied < WORDS {
                break;
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use libc::c_int;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    static FOUND: AtomicU32 = AtomicU32::new(9);

    extern "C" fn handle(_: c_int) {
        FOUND.store(is_possible().into(), Relaxed);
    }

    /// A handler is detected also if its signal is not blocked, and code outside although signals are.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn only_handlers_are_detected() {
        let outside = || std::thread::spawn(|| crate::system::without_signals(is_possible)).join();
        for flags in [0, libc::SA_NODEFER, libc::SA_NODEFER | libc::SA_RESETHAND] {
            FOUND.store(9, Relaxed);
            // SAFETY: the structure consists of numbers, and `handle` makes system calls only.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = flags;
                assert_eq!(libc::sigaction(libc::SIGUSR2, &action, std::ptr::null_mut()), 0);
                assert!(!outside().unwrap(), "{flags:x}");
                libc::raise(libc::SIGUSR2);
            }
            assert_eq!(FOUND.load(Relaxed), 1, "{flags:x}");
        }
        assert!(!outside().unwrap());
    }

    #[test]
    fn blocked_signals_are_noticed() {
        assert!(crate::system::without_signals(is_any_blocked));
    }
}
