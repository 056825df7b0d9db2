//! What stands in for the functions of C by which sockets are made, marked and connected.
//!
//! No lock is held over a call to the function itself, and `errno` is what that left.

// Functions of C, and what they are called with.
#![allow(unsafe_code)]

use crate::bits::Bits;
use crate::descriptors::closing;
use crate::peer::Peer;
use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::system::{self, Errno};
use crate::table::At;
use libc::{c_int, c_void, sockaddr, socklen_t};

/// A descriptor as a place in the table; of others nothing is known.
pub(crate) fn place(fd: c_int) -> Option<usize> {
    usize::try_from(fd).ok().filter(|place| *place < crate::DESCRIPTORS)
}

/// Which descriptors are sockets of which nobody has set the byte of IP's header since `socket` made them. Of those
/// that came by other means it is not known.
static FRESH: Bits<{ crate::DESCRIPTORS / 64 }> = Bits::new();

/// A descriptor is closed, or what has it another one besides.
pub(crate) fn not_fresh(place: usize) {
    FRESH.set(place, false);
}

/// A socket is connected with a host elsewhere.
fn connected(fd: c_int, peer: Peer) {
    if let Some(place) = place(fd) {
        WATCH.connected(place, peer);
        process::begin();
    }
}

/// `socket(2)`: that of the library itself goes out of the program's way.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    let fd = next!(Next::new(c"socket"), (domain => c_int, kind => c_int, protocol => c_int) -> c_int, -1);
    if fd < 0 || !process::is_own() {
        if let Some(place) = place(fd).filter(|_| process::settings().is_some()) {
            FRESH.set(place, true);
        }
        return fd;
    }
    let fd = system::out_of_the_way(fd);
    if let Some(place) = place(fd) {
        WATCH.opened_own(place);
    }
    fd
}

/// `setsockopt(2)`: a connection that the program marks itself keeps the mark of its application. The two bits for
/// congestion are the program's.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setsockopt(
    fd: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    length: socklen_t,
) -> c_int {
    let result = next!(
        Next::new(c"setsockopt"),
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

/// `connect(2)`: marked before, noted after.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn connect(fd: c_int, address: *const sockaddr, length: socklen_t) -> c_int {
    let is_ours = !process::is_own() && process::settings().is_some();
    // SAFETY: it is what the program wants read.
    let peer = if is_ours { unsafe { system::peer(address.cast(), length) } } else { None };
    let peer = peer.filter(|peer| peer.is_elsewhere());
    if let Some(peer) = peer {
        let errno = Errno::keep();
        let is_fresh = place(fd).is_some_and(|place| FRESH.get(place));
        system::mark(fd, peer, process::marking(), is_fresh);
        drop(errno);
    }
    let result = next!(
        Next::new(c"connect"),
        (fd => c_int, address => *const sockaddr, length => socklen_t) -> c_int, -1
    );
    if is_ours {
        let errno = Errno::keep();
        // What goes on without the program waiting is a connection too.
        let goes_on = result == 0 || [libc::EINPROGRESS, libc::EINTR].contains(&Errno::get());
        match peer {
            Some(peer) if goes_on => connected(fd, peer),
            // A socket of datagrams that goes elsewhere from now on.
            None if result == 0 => closing(fd),
            _ => {}
        }
        drop(errno);
    }
    result
}

/// What was accepted, whose address stands in `address` if the program wanted it.
///
/// # Safety
///
/// `address` is NULL, or what `accept` has written `length` bytes of.
unsafe fn accepted(fd: c_int, address: *const sockaddr, length: Option<socklen_t>) {
    if fd < 0 || process::is_own() || process::settings().is_none() {
        return;
    }
    let errno = Errno::keep();
    let peer = match length {
        // SAFETY: as the caller says.
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

/// How much of an address was written, if all of it was.
///
/// # Safety
///
/// Both are NULL or as `accept` wants them.
unsafe fn written(
    address: *const sockaddr,
    length: *const socklen_t,
    room: socklen_t,
) -> Option<socklen_t> {
    if address.is_null() || length.is_null() {
        return None;
    }
    // SAFETY: as the caller says.
    Some(unsafe { *length }).filter(|length| *length <= room)
}

/// # Safety
///
/// `length` is NULL or a number.
unsafe fn room(length: *const socklen_t) -> socklen_t {
    // SAFETY: as the caller says.
    if length.is_null() { 0 } else { unsafe { *length } }
}

/// `accept(2)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
) -> c_int {
    // SAFETY: as the program has it.
    let room = unsafe { room(length) };
    let result = next!(
        Next::new(c"accept"),
        (fd => c_int, address => *mut sockaddr, length => *mut socklen_t) -> c_int, -1
    );
    // SAFETY: the same.
    unsafe { accepted(result, address, written(address, length, room)) };
    result
}

/// `accept4(2)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn accept4(
    fd: c_int,
    address: *mut sockaddr,
    length: *mut socklen_t,
    flags: c_int,
) -> c_int {
    // SAFETY: as the program has it.
    let room = unsafe { room(length) };
    let result = next!(
        Next::new(c"accept4"),
        (fd => c_int, address => *mut sockaddr, length => *mut socklen_t, flags => c_int) -> c_int, -1
    );
    // SAFETY: the same.
    unsafe { accepted(result, address, written(address, length, room)) };
    result
}
