//! The interposed C functions that create, mark and connect sockets.
//!
//! No lock is held during a call of the original function, which alone determines `errno`.

// The interposed C functions and their calls of the original ones are unsafe.
#![allow(unsafe_code)]

use crate::bits::Bits;
use crate::descriptors::closing;
use crate::peer::Peer;
use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::system::{self, Errno};
use crate::table::At;
use libc::{c_int, c_void, sockaddr, socklen_t};

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

/// Returns a descriptor as an index of the table, or `None` beyond it.
pub(crate) fn place(fd: c_int) -> Option<usize> {
    usize::try_from(fd).ok().filter(|place| *place < crate::DESCRIPTORS)
}

/// Sockets whose byte of the IP header is unset since `socket` created them. Sockets of other origins are not included.
static FRESH: Bits<{ crate::DESCRIPTORS / 64 }> = Bits::new();

/// Clears the flag of a descriptor that is closed or duplicated.
pub(crate) fn not_fresh(place: usize) {
    FRESH.set(place, false);
}

/// Stores that a socket is connected to another host.
fn connected(fd: c_int, peer: Peer) {
    if let Some(place) = place(fd) {
        WATCH.connected(place, peer);
        process::begin();
    }
}

/// `socket(2)`. The library's own sockets get high descriptors.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    let fd = next!(SOCKET, (domain => c_int, kind => c_int, protocol => c_int) -> c_int, -1);
    if fd < 0 || !process::is_own() {
        if let Some(place) = place(fd).filter(|_| process::settings().is_some()) {
            FRESH.set(place, true);
        }
        return fd;
    }
    let fd = system::move_high(fd);
    if let Some(place) = place(fd) {
        WATCH.opened_own(place);
    }
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
    {
        FRESH.set(place, false);
        if let At::Connection(_, peer) = WATCH.at(place) {
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
    let is_ours = !process::is_own() && process::settings().is_some();
    // SAFETY: the program passes the address to be read.
    let peer = if is_ours { unsafe { system::peer(address.cast(), length) } } else { None };
    let peer = peer.filter(|peer| peer.is_elsewhere());
    if let Some(peer) = peer {
        let errno = Errno::keep();
        let is_fresh = place(fd).is_some_and(|place| FRESH.get(place));
        system::mark(fd, peer, process::marking(), is_fresh);
        drop(errno);
    }
    let result = next!(
        CONNECT,
        (fd => c_int, address => *const sockaddr, length => socklen_t) -> c_int, -1
    );
    if is_ours {
        let errno = Errno::keep();
        // A connection in progress counts too.
        let is_connecting = result == 0 || [libc::EINPROGRESS, libc::EINTR].contains(&Errno::get());
        match peer {
            Some(peer) if is_connecting => connected(fd, peer),
            // A datagram socket is connected to another address.
            None if result == 0 => closing(fd),
            _ => {}
        }
        drop(errno);
    }
    result
}

/// Handles an accepted connection. `address` is the peer's, if the program asked for it.
///
/// # Safety
///
/// `address` is NULL, or `accept` has written `length` bytes there.
unsafe fn accepted(fd: c_int, address: *const sockaddr, length: Option<socklen_t>) {
    if fd < 0 || process::is_own() || process::settings().is_none() {
        return;
    }
    let errno = Errno::keep();
    let peer = match length {
        // SAFETY: the caller ensures that `accept` has written `length` bytes.
        Some(length) => unsafe { system::peer(address.cast(), length) },
        None => system::remote(fd),
    };
    if let Some(peer) = peer.filter(|peer| peer.is_elsewhere()) {
        system::mark(fd, peer, process::marking(), true);
        connected(fd, peer);
    } else {
        closing(fd);
    }
    drop(errno);
}

/// Returns the length of an address that was written completely.
///
/// # Safety
///
/// Both pointers are NULL, or valid as for `accept`.
unsafe fn written(
    address: *const sockaddr,
    length: *const socklen_t,
    room: socklen_t,
) -> Option<socklen_t> {
    if address.is_null() || length.is_null() {
        return None;
    }
    // SAFETY: the caller ensures that `length` is valid.
    Some(unsafe { *length }).filter(|length| *length <= room)
}

/// Returns the room for an address; 0 if there is none.
///
/// # Safety
///
/// `length` is NULL or a number.
unsafe fn room(length: *const socklen_t) -> socklen_t {
    // SAFETY: the caller ensures that `length` is valid if it is not NULL.
    if length.is_null() { 0 } else { unsafe { *length } }
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
    // SAFETY: the program passes NULL or a valid pointer.
    let room = unsafe { room(length) };
    let result = next!(
        ACCEPT,
        (fd => c_int, address => *mut sockaddr, length => *mut socklen_t) -> c_int, -1
    );
    // SAFETY: the pointers are the program's, valid as for `accept`.
    unsafe { accepted(result, address, written(address, length, room)) };
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
    // SAFETY: the program passes NULL or a valid pointer.
    let room = unsafe { room(length) };
    let result = next!(
        ACCEPT4,
        (fd => c_int, address => *mut sockaddr, length => *mut socklen_t, flags => c_int) -> c_int, -1
    );
    // SAFETY: the pointers are the program's, valid as for `accept4`.
    unsafe { accepted(result, address, written(address, length, room)) };
    result
}
