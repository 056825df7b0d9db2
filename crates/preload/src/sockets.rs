//! The interposed C functions that create, mark and connect sockets.
//!
//! No lock is held during a call of the original function, which alone determines `errno`.

// The interposed C functions and their calls of the original ones are unsafe.
#![allow(unsafe_code)]

use crate::descriptors::closing;
use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::system::{self, Errno};
use crate::table::At;
use libc::{c_int, c_void, sockaddr, socklen_t};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static SOCKET: Next = Next::new(c"socket");
static SETSOCKOPT: Next = Next::new(c"setsockopt");
static CONNECT: Next = Next::new(c"connect");
static ACCEPT: Next = Next::new(c"accept");
static ACCEPT4: Next = Next::new(c"accept4");

/// Looks up the original functions.
pub(crate) fn look_up() {
    for next in [&SOCKET, &SETSOCKOPT, &CONNECT, &ACCEPT, &ACCEPT4] {
        next.find();
    }
}

/// The program has set the byte of the IP header of a socket, which then may have ECN bits.
static HAS_SET_BYTES: AtomicBool = AtomicBool::new(false);

/// Returns a descriptor as an index of the table, or `None` beyond it.
pub(crate) fn place(fd: c_int) -> Option<usize> {
    usize::try_from(fd).ok().filter(|place| *place < crate::DESCRIPTORS)
}

/// `socket(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    let fd = next!(SOCKET, (domain => c_int, kind => c_int, protocol => c_int) -> c_int, -1);
    process::resume();
    // A descriptor of this number was closed unnoticed.
    closing(fd);
    fd
}

/// `setsockopt(2)`. A connection keeps the application's mark if the program sets another one; the ECN bits are the
/// program's.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn setsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    let result = next!(
        SETSOCKOPT,
        (fd => c_int, level => c_int, name => c_int, value => *const c_void, length => socklen_t) -> c_int, -1
    );
    let is_byte = [(libc::IPPROTO_IP, libc::IP_TOS), (libc::IPPROTO_IPV6, libc::IPV6_TCLASS)];
    if is_byte.contains(&(level, name))
        && result == 0
        && let Some(place) = place(fd)
        && !process::is_own()
    {
        process::resume();
        HAS_SET_BYTES.store(true, Relaxed);
        if let At::Connection(_, peer) = WATCH.at(place)
            && process::is_this()
        {
            let errno = Errno::keep();
            system::mark(fd, peer, process::marking(), false);
            drop(errno);
        }
    }
    result
}

/// `connect(2)`. The socket is marked before the call, and noted after it.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn connect(
    fd: c_int,
    address: *const sockaddr,
    length: socklen_t,
) -> c_int {
    let original = |fd: c_int, address: *const sockaddr, length: socklen_t| -> c_int {
        next!(
            CONNECT,
            (fd => c_int, address => *const sockaddr, length => socklen_t) -> c_int, -1
        )
    };
    if process::is_own() || process::settings().is_none() {
        return original(fd, address, length);
    }
    process::resume();
    let errno = Errno::keep();
    // SAFETY: the program keeps the address's memory during the call.
    let peer = unsafe { system::peer(address.cast(), length) };
    let peer = peer.filter(|peer| peer.is_elsewhere());
    // A child that shares this memory has its own descriptors: its socket is marked, and nothing else.
    let place =
        place(fd).filter(|place| (peer.is_some() || WATCH.is_known(*place)) && process::is_this());
    if let Some(peer) = peer {
        system::mark(fd, peer, process::marking(), !HAS_SET_BYTES.load(Relaxed));
    }
    drop(errno);
    let result = original(fd, address, length);
    let errno = Errno::keep();
    // A connection in progress counts too.
    let is_connecting = result == 0 || [libc::EINPROGRESS, libc::EINTR].contains(&Errno::get());
    match (place, peer) {
        (Some(place), Some(peer)) if is_connecting => {
            WATCH.connected_once(place, peer);
            process::begin();
        }
        // A datagram socket is connected to another address.
        (Some(place), None) if result == 0 => WATCH.closing(place),
        _ => {}
    }
    drop(errno);
    result
}

/// Handles an accepted connection. The peer is asked from the kernel, as the program's pointers may be invalid.
fn accepted(fd: c_int) {
    if fd < 0 || process::is_own() || process::settings().is_none() {
        return;
    }
    process::resume();
    let errno = Errno::keep();
    if let Some(peer) = system::remote(fd).filter(|peer| peer.is_elsewhere()) {
        system::mark(fd, peer, process::marking(), true);
        if let Some(place) = place(fd).filter(|_| process::is_this()) {
            WATCH.connected(place, peer);
            process::begin();
        }
    } else {
        closing(fd);
    }
    drop(errno);
}

/// `accept(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn accept(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    let result = next!(
        ACCEPT,
        (fd => c_int, address => *mut sockaddr, length => *mut socklen_t) -> c_int, -1
    );
    accepted(result);
    result
}

/// `accept4(2)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn accept4(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    let result = next!(
        ACCEPT4,
        (fd => c_int, address => *mut sockaddr, length => *mut socklen_t, flags => c_int) -> c_int, -1
    );
    accepted(result);
    result
}
