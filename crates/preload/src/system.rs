//! What the system is asked and told of a socket, of threads and of the process: one call each.

// Calls of C. What they are given lives as long as the call.
#![allow(unsafe_code)]

use crate::marking::Marking;
use crate::peer::Peer;
use libc::{c_int, c_void, socklen_t};
use std::mem::{MaybeUninit, size_of, zeroed};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// `errno` as it was before, when it is dropped: programs look at it.
pub(crate) struct Errno(c_int);

impl Errno {
    pub(crate) fn keep() -> Errno {
        Errno(Errno::get())
    }

    pub(crate) fn get() -> c_int {
        // SAFETY: the place is the thread's own.
        unsafe { *libc::__errno_location() }
    }

    pub(crate) fn set(value: c_int) {
        // SAFETY: the same.
        unsafe { *libc::__errno_location() = value };
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        Errno::set(self.0);
    }
}

/// The process, also in a child that shares our memory (`vfork`).
pub(crate) fn process() -> u32 {
    std::process::id()
}

/// Marks what a socket sends to a peer from now on. The two bits for congestion stay: of a socket that may have some it
/// is asked which; of streams the kernel itself keeps them.
pub(crate) fn mark(fd: c_int, peer: Peer, marking: Marking, is_fresh: bool) {
    if marking.class.is_none() {
        return;
    }
    // What goes to an address of IPv4 has its header, also from a socket of IPv6.
    let (level, name) = match peer.ipv4() {
        Some(_) => (libc::IPPROTO_IP, libc::IP_TOS),
        None => (libc::IPPROTO_IPV6, libc::IPV6_TCLASS),
    };
    let mut there: c_int = 0;
    let mut length = size_of::<c_int>() as socklen_t;
    // SAFETY: both calls are given a number and its length.
    unsafe {
        if !is_fresh && libc::getsockopt(fd, level, name, (&raw mut there).cast(), &mut length) != 0
        {
            return;
        }
        let Some(class) = marking.class_over(there as u8) else { return };
        let class = c_int::from(class);
        // Without what stands in for it. A socket that can't be marked stays as it is.
        libc::syscall(libc::SYS_setsockopt, fd, level, name, &raw const class, length);
    }
}

/// `getpeername` or `getsockname`.
type Name = unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut socklen_t) -> c_int;

fn name(fd: c_int, name: Name) -> Option<Peer> {
    // SAFETY: zeros are an address, of no family; the length is its own.
    let (said, address, length) = unsafe {
        let mut address: libc::sockaddr_storage = zeroed();
        let mut length = size_of::<libc::sockaddr_storage>() as socklen_t;
        (name(fd, (&raw mut address).cast(), &mut length), address, length)
    };
    // SAFETY: the storage is that long, and all of it was written.
    let bytes = unsafe {
        let length = (length as usize).min(size_of::<libc::sockaddr_storage>());
        std::slice::from_raw_parts((&raw const address).cast::<u8>(), length)
    };
    Peer::of(bytes).filter(|_| said == 0)
}

/// Who is at the other end of a socket.
pub(crate) fn remote(fd: c_int) -> Option<Peer> {
    name(fd, libc::getpeername)
}

/// Its own end.
pub(crate) fn local(fd: c_int) -> Option<Peer> {
    name(fd, libc::getsockname)
}

/// The inode of a socket; none if that is none.
pub(crate) fn socket(fd: c_int) -> Option<u64> {
    let mut about = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: it is written if the call says so.
    let about = unsafe {
        if libc::fstat(fd, about.as_mut_ptr()) != 0 {
            return None;
        }
        about.assume_init()
    };
    (about.st_mode & libc::S_IFMT == libc::S_IFSOCK).then_some(about.st_ino)
}

/// With all signals blocked: a thread that begins then has none of the program's.
pub(crate) fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    // SAFETY: sets of signals are numbers; each is written before it is read.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let result = run();
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        result
    }
}

/// Waits until somebody [wakes](wake) this word, it is another, or the time is over.
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
    // SAFETY: the word lives.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, i32::MAX) };
}

/// A descriptor like this one, far from those that programs count on, with this one closed; or this one. A program that
/// is given the lowest one that is free finds those that it would have found.
pub(crate) fn out_of_the_way(fd: c_int) -> c_int {
    /// Far enough for most, and a table of descriptors of 16 KB.
    const FAR: libc::rlim_t = 2000;
    // SAFETY: limits are numbers, and calls on a descriptor of ours.
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

/// Without what stands in for `close`.
pub(crate) fn close_now(fd: c_int) {
    // SAFETY: a number.
    unsafe { libc::syscall(libc::SYS_close, fd) };
}

/// The bytes of an address that a program gave; none if it gave none.
///
/// # Safety
///
/// `address` is NULL or `length` bytes.
pub(crate) unsafe fn peer(address: *const c_void, length: socklen_t) -> Option<Peer> {
    // The longest that matters; a length that a program made up is not read further.
    let length = (length as usize).min(size_of::<libc::sockaddr_in6>());
    if address.is_null() || (address as usize) < 4096 {
        return None;
    }
    // SAFETY: as the caller says.
    Peer::of(unsafe { std::slice::from_raw_parts(address.cast::<u8>(), length) })
}
