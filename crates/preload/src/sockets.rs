//! What stands in for the functions of C by which sockets are connected and descriptors closed.
//!
//! No lock is held over a call to the function itself, and `errno` is what that left.

// Functions of C, and what they are called with.
#![allow(unsafe_code)]

use crate::bits::Bits;
use crate::peer::Peer;
use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::system::{self, Errno};
use crate::table::At;
use libc::{c_int, c_uint, c_void, sockaddr, socklen_t};

/// A descriptor as a place in the table; of others nothing is known.
fn place(fd: c_int) -> Option<usize> {
    usize::try_from(fd).ok().filter(|place| *place < crate::DESCRIPTORS)
}

/// Which descriptors are sockets of which nobody has set the byte of IP's header since `socket` made them. Of those
/// that came by other means it is not known.
static FRESH: Bits<{ crate::DESCRIPTORS / 64 }> = Bits::new();

/// A socket is connected with a host elsewhere.
fn connected(fd: c_int, peer: Peer) {
    if let Some(place) = place(fd) {
        WATCH.connected(place, peer);
        process::begin();
    }
}

/// Whether a descriptor is the library's own and this its process: the program does not know it.
fn is_hidden(fd: c_int) -> bool {
    let is_own = |place| WATCH.is_known(place) && WATCH.at(place) == At::Own;
    place(fd).is_some_and(is_own) && !process::is_own() && process::is_this()
}

/// A descriptor of the program is about to be closed.
fn closing(fd: c_int) {
    let Some(place) = place(fd).filter(|place| WATCH.is_known(*place)) else { return };
    if process::is_own() || process::is_this() {
        WATCH.closing(place);
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

/// `close(2)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(fd: c_int) -> c_int {
    // One look, and no more for what is no connection.
    if place(fd).is_some_and(|place| WATCH.is_known(place)) {
        if is_hidden(fd) {
            Errno::set(libc::EBADF);
            return -1;
        }
        closing(fd);
    }
    next!(Next::new(c"close"), (fd => c_int) -> c_int, -1)
}

/// `to` is `from` by now.
fn duplicated(from: c_int, to: c_int) {
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
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup(fd: c_int) -> c_int {
    let result = next!(Next::new(c"dup"), (fd => c_int) -> c_int, -1);
    duplicated(fd, result);
    result
}

/// `dup2(2)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup2(from: c_int, to: c_int) -> c_int {
    if from != to && is_hidden(to) {
        // What dup2(2) says of a descriptor that somebody else is just opening.
        Errno::set(libc::EBUSY);
        return -1;
    }
    let result = next!(Next::new(c"dup2"), (from => c_int, to => c_int) -> c_int, -1);
    duplicated(from, result);
    result
}

/// `dup3(2)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int {
    if from != to && is_hidden(to) {
        Errno::set(libc::EBUSY);
        return -1;
    }
    let result =
        next!(Next::new(c"dup3"), (from => c_int, to => c_int, flags => c_int) -> c_int, -1);
    duplicated(from, result);
    result
}

/// Ranges of descriptors without the library's own.
fn around_own(first: c_uint, last: c_uint) -> Vec<(c_uint, c_uint)> {
    let (mut from, mut ranges) = (first, Vec::new());
    for own in WATCH.own_from(first as usize).map(|own| own as c_uint) {
        if own > last {
            break;
        }
        if own > from {
            ranges.push((from, own - 1));
        }
        from = own + 1;
    }
    if from <= last {
        ranges.push((from, last));
    }
    ranges
}

/// `close_range(2)`: without the library's own, of which the program knows nothing.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    let call = |first: c_uint, last: c_uint| -> c_int {
        next!(
            Next::new(c"close_range"),
            (first => c_uint, last => c_uint, flags => c_int) -> c_int, -1
        )
    };
    // With flags descriptors are another process's, or closed later.
    if flags != 0 || first > last || process::settings().is_none() || !process::is_this() {
        return call(first, last);
    }
    WATCH.known(first as usize, last as usize).for_each(|known| {
        if WATCH.at(known) != At::Own {
            WATCH.closing(known);
        }
    });
    // An empty list is where nothing but own ones would be closed.
    let results = around_own(first, last).into_iter().map(|(first, last)| call(first, last));
    results.fold(0, |all, one| if all == 0 { one } else { all })
}

/// `closefrom(3)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closefrom(first: c_int) {
    let first = c_uint::try_from(first).unwrap_or(0);
    // SAFETY: numbers. The kernel has had it longer than the library has its function for it.
    let result = unsafe { close_range(first, c_uint::MAX, 0) };
    if result != 0 {
        next!(Next::new(c"closefrom"), (first as c_int => c_int) -> (), ())
    }
}
