//! The system calls on sockets, threads and the process.

// The arguments of each C function live as long as the call.
#![allow(unsafe_code)]

use crate::marking::Marking;
use crate::peer::Peer;
use libc::{c_int, c_void, socklen_t};
use std::ffi::CStr;
use std::io;
use std::mem::{MaybeUninit, size_of, zeroed};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// The saved `errno`, which is restored when this is dropped: programs read it after a call.
pub(crate) struct Errno(c_int);

impl Errno {
    pub(crate) fn keep() -> Errno {
        Errno(Errno::get())
    }

    pub(crate) fn get() -> c_int {
        // SAFETY: the location belongs to this thread.
        unsafe { *libc::__errno_location() }
    }

    pub(crate) fn set(value: c_int) {
        // SAFETY: the location belongs to this thread.
        unsafe { *libc::__errno_location() = value };
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        Errno::set(self.0);
    }
}

/// Returns the process id, also in a child that shares the memory (`vfork`).
pub(crate) fn process() -> u32 {
    std::process::id()
}

/// Marks the packets that a socket sends to a peer from now on. The two ECN bits are unchanged: they are read from the
/// socket unless its byte `is_unset`, and the kernel keeps those of streams.
pub(crate) fn mark(fd: c_int, peer: Peer, marking: Marking, is_unset: bool) {
    if marking.class.is_none() {
        return;
    }
    // Packets to an IPv4 address have an IPv4 header, also from an IPv6 socket.
    let (level, name) = match peer.ipv4() {
        Some(_) => (libc::IPPROTO_IP, libc::IP_TOS),
        None => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
    };
    let mut there: c_int = 0;
    let mut length = size_of::<c_int>() as socklen_t;
    // SAFETY: both calls get a pointer to an integer, and its length.
    unsafe {
        if !is_unset && libc::getsockopt(fd, level, name, (&raw mut there).cast(), &mut length) != 0
        {
            return;
        }
        let Some(class) = marking.class_over(there as u8) else { return };
        let class = c_int::from(class);
        // The system call bypasses the interposed function. A socket that can't be marked stays as it is.
        libc::syscall(libc::SYS_setsockopt, fd, level, name, &raw const class, length);
    }
}

/// `getpeername` or `getsockname`.
type Name = unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut socklen_t) -> c_int;

fn name(fd: c_int, name: Name) -> Option<Peer> {
    // SAFETY: an address of zeros is valid and has no family; `length` is the size of the address.
    let (status, address, length) = unsafe {
        let mut address: libc::sockaddr_storage = zeroed();
        let mut length = size_of::<libc::sockaddr_storage>() as socklen_t;
        (name(fd, (&raw mut address).cast(), &mut length), address, length)
    };
    // SAFETY: the slice is not longer than the storage, all of which is initialised.
    let bytes = unsafe {
        let length = (length as usize).min(size_of::<libc::sockaddr_storage>());
        std::slice::from_raw_parts((&raw const address).cast::<u8>(), length)
    };
    Peer::of(bytes).filter(|_| status == 0)
}

/// Returns the address of the other end of a socket.
pub(crate) fn remote(fd: c_int) -> Option<Peer> {
    name(fd, libc::getpeername)
}

/// Returns the local address of a socket.
pub(crate) fn local(fd: c_int) -> Option<Peer> {
    name(fd, libc::getsockname)
}

/// Returns the inode of a socket, or `None` for other files.
pub(crate) fn socket(fd: c_int) -> Option<u64> {
    let mut about = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `fstat` has written the structure if it returns 0.
    let about = unsafe {
        if libc::fstat(fd, about.as_mut_ptr()) != 0 {
            return None;
        }
        about.assume_init()
    };
    (about.st_mode & libc::S_IFMT == libc::S_IFSOCK).then_some(about.st_ino)
}

/// Returns whether a library of the program defines a function.
pub(crate) fn is_defined(name: &CStr) -> bool {
    // SAFETY: the name ends with zero.
    unsafe { !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null() }
}

/// Returns whether system calls of the calling thread are filtered (seccomp(2)).
pub(crate) fn has_seccomp_filter() -> bool {
    // SAFETY: the call takes numbers.
    unsafe { libc::prctl(libc::PR_GET_SECCOMP) == libc::SECCOMP_MODE_FILTER as c_int }
}

/// Runs a function with all signals blocked, so that a new thread receives none of the program's.
pub(crate) fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    // SAFETY: signal sets consist of numbers; each is written before it is read.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let result = run();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        result
    }
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: time.subsec_nanos().into() }
}

/// Waits until the word is [woken](wake), has another value than `is`, or `most` has passed.
pub(crate) fn wait(word: &AtomicU32, is: u32, most: Duration) {
    let most = timespec(most);
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word and the time live as long as the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, is, &raw const most) };
}

pub(crate) fn wake(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is alive.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, i32::MAX) };
}

/// Gives the calling thread descriptors of its own: none of the program's, and `/dev/null` as standard streams.
pub(crate) fn use_own_descriptors() -> io::Result<()> {
    let close_all = |flags: libc::c_uint| {
        // SAFETY: the call takes numbers. The thread has not opened anything.
        match unsafe { libc::syscall(libc::SYS_close_range, 0u32, u32::MAX, flags) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    close_all(libc::CLOSE_RANGE_UNSHARE)?;
    for _ in 0..3 {
        // Without the device, the thread's first sockets have these numbers.
        let _ = std::fs::File::open("/dev/null").map(std::os::fd::IntoRawFd::into_raw_fd);
    }
    Ok(())
}

/// Returns whether the program's threads have ended, and only this number of the library's own is left. False if
/// `/proc` is not there.
pub(crate) fn is_without_program(own: u64) -> bool {
    // The first thread keeps its entry, but no memory, when it has ended before the others.
    let is_gone = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
    std::fs::read_link("/proc/self/exe").is_err_and(is_gone)
        && std::fs::metadata("/proc/self/task").is_ok_and(|tasks| tasks.nlink() == 2 + 1 + own)
}

/// Ends the process as its last thread, which receives the program's signals again, with the status of the first thread.
pub(crate) fn exit() -> ! {
    let status = status_of_first_thread();
    // SAFETY: the set is written before it is read. No other thread of the program is left.
    unsafe {
        let mut none: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        if libc::WIFSIGNALED(status) {
            // A filter of system calls killed the thread.
            let signal = libc::WTERMSIG(status);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        match libc::WEXITSTATUS(status) {
            0 => libc::exit(0),
            // A thread that ends by the system call runs no function of `atexit`.
            code => libc::_exit(code),
        }
    }
}

/// Returns the status of the first thread, which has ended, as `waitpid` would; 0 if it is unknown.
fn status_of_first_thread() -> c_int {
    /// The place of `exit_code` behind the program's name (proc_pid_stat(5)).
    const EXIT_CODE: usize = 49;
    let stat = std::fs::read_to_string(format!("/proc/self/task/{}/stat", process()));
    let stat = stat.unwrap_or_default();
    let behind_name = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    behind_name.split(' ').nth(EXIT_CODE).and_then(|code| code.trim().parse().ok()).unwrap_or(0)
}

/// Waits for events of a descriptor, and returns them.
fn events(fd: c_int, wanted: i16, most: Duration) -> i16 {
    let mut poll = libc::pollfd { fd, events: wanted, revents: 0 };
    let (most, no_mask) = (timespec(most), std::ptr::null::<libc::sigset_t>());
    // SAFETY: the structures live as long as the call.
    unsafe { libc::syscall(libc::SYS_ppoll, &raw mut poll, 1, &raw const most, no_mask, 8) };
    poll.revents
}

/// Returns whether a socket's connection was refused, reset, or closed by both ends. Its pending error stays.
pub(crate) fn has_ended(fd: c_int) -> bool {
    events(fd, 0, Duration::ZERO) & libc::POLLHUP != 0
}

/// Waits until a descriptor can be read. Returns false after the timeout.
pub(crate) fn is_ready(fd: c_int, timeout: Duration) -> bool {
    events(fd, libc::POLLIN, timeout) != 0
}

/// The smallest page of memory.
const PAGE: usize = 4096;

/// Returns whether the kernel can read the 8 bytes at an address.
fn is_readable(address: usize) -> bool {
    const NO_OPERATION: c_int = -1;
    let nothing = std::ptr::null_mut::<u64>();
    // SAFETY: the call reads a set of signals, and refuses the operation.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, address, nothing, 8) };
    Errno::get() == libc::EINVAL
}

/// Returns the peer of an address that a program has passed; `None` also for a pointer that the kernel can't read.
///
/// # Safety
///
/// No other thread unmaps the memory at the address.
pub(crate) unsafe fn peer(address: *const c_void, length: socklen_t) -> Option<Peer> {
    // The lengths of interest; a larger one that the program passes is not trusted.
    let length = (length as usize).min(size_of::<libc::sockaddr_in6>());
    let last = (address as usize).checked_add(length)?.checked_sub(8)?;
    let is_in_one_page = address as usize / PAGE == last / PAGE;
    if length < size_of::<libc::sockaddr_in>()
        || !is_readable(last)
        || !is_in_one_page && !is_readable(address as usize)
    {
        return None;
    }
    // SAFETY: the pages of the first and the last byte are readable, and there is none between.
    Peer::of(unsafe { std::slice::from_raw_parts(address.cast::<u8>(), length) })
}
