//! The system calls on sockets, threads and the process.

// The arguments of each C function live as long as the call.
#![allow(unsafe_code)]

use crate::marking::Marking;
use crate::peer::Peer;
use libc::{c_int, c_void, socklen_t};
use std::mem::{MaybeUninit, size_of, zeroed};
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

/// Marks the packets that a socket sends to a peer from now on. The two ECN bits are unchanged:
/// they are read from the socket if it may have any, and the kernel keeps those of streams.
pub(crate) fn mark(fd: c_int, peer: Peer, marking: Marking, is_fresh: bool) {
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
        if !is_fresh && libc::getsockopt(fd, level, name, (&raw mut there).cast(), &mut length) != 0
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

/// Waits until the word is [woken](wake), has another value than `is`, or `most` has passed.
pub(crate) fn wait(word: &AtomicU32, is: u32, most: Duration) {
    let most = libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    };
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word and the time live as long as the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, is, &raw const most) };
}

pub(crate) fn wake(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is alive.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, i32::MAX) };
}

/// Moves a descriptor to a high number: returns a duplicate and closes the original. A
/// program that expects the lowest free descriptors gets the same ones as without the library.
pub(crate) fn move_high(fd: c_int) -> c_int {
    /// High enough for most programs, with a descriptor table of 16 KB.
    const FAR: libc::rlim_t = 2000;
    // SAFETY: the limits are numbers, and the descriptor is the library's own.
    unsafe {
        let mut limits: libc::rlimit = zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limits);
        let least = limits.rlim_cur.saturating_sub(32).min(FAR) as c_int;
        match libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, least) {
            -1 => fd,
            far => {
                close_now(fd);
                far
            }
        }
    }
}

/// Closes a descriptor, bypassing the interposed function.
pub(crate) fn close_now(fd: c_int) {
    // SAFETY: the call takes only a number.
    unsafe { libc::syscall(libc::SYS_close, fd) };
}

/// Returns the peer of an address that a program has passed.
///
/// # Safety
///
/// `address` is NULL or points to `length` bytes.
pub(crate) unsafe fn peer(address: *const c_void, length: socklen_t) -> Option<Peer> {
    // The longest address of interest; a larger length that the program passes is not trusted.
    let length = (length as usize).min(size_of::<libc::sockaddr_in6>());
    if address.is_null() || (address as usize) < 4096 {
        return None;
    }
    // SAFETY: the caller ensures that `address` points to `length` bytes.
    Peer::of(unsafe { std::slice::from_raw_parts(address.cast::<u8>(), length) })
}
