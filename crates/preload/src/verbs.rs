//! The interposed functions of libibverbs that set the path of queue pairs and address handles.
//! RDMA-CM connects its queue pairs by `ibv_modify_qp`, so this module covers them too.
//!
//! A program that looks up these functions itself (NCCL) gets them by `lookup`. A program that
//! bypasses libibverbs (UCX with mlx5) is not covered; it needs `UCX_IB_SL` and similar variables.

// The interposed C functions and their calls of the original ones are unsafe.
#![allow(unsafe_code)]

use crate::marking::Marking;
use crate::peer::Peer;
use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::slots::Slots;
use crate::system::Errno;
use crate::verbs_layout::{AhAttr, QP_AV, QpAttr};
use crate::{DESCRIPTORS, QUEUE_PAIRS};
use libc::{c_int, c_void};
use std::ptr::null_mut;

pub(crate) const LIBRARY: &std::ffi::CStr = c"libibverbs.so.1";

static MODIFY_QP: Next = Next::of(LIBRARY, c"ibv_modify_qp");
static CREATE_AH: Next = Next::of(LIBRARY, c"ibv_create_ah");
static DESTROY_AH: Next = Next::of(LIBRARY, c"ibv_destroy_ah");
static DESTROY_QP: Next = Next::of(LIBRARY, c"ibv_destroy_qp");

/// The slots of connected queue pairs and of address handles, both of which lead to another host.
static TO_OTHER_HOSTS: Slots<QUEUE_PAIRS> = Slots::new();

/// Stores that a queue pair or address handle leads to a peer.
fn store(object: *mut c_void, peer: Peer) {
    let errno = Errno::keep();
    if let Some(number) = TO_OTHER_HOSTS.take(object as usize) {
        WATCH.connected(DESCRIPTORS + number, peer);
    }
    drop(errno);
}

/// Destroys a queue pair or address handle by a call, and clears it if that succeeds. Another object may have the
/// address as soon as the call succeeds, so the number is set aside before.
fn destroy(object: *mut c_void, call: impl FnOnce() -> c_int) -> c_int {
    let aside = process::settings().and_then(|_| TO_OTHER_HOSTS.set_aside(object as usize));
    let result = call();
    if let Some(number) = aside {
        if result == 0 {
            WATCH.closing(DESCRIPTORS + number);
            TO_OTHER_HOSTS.free(number);
        } else {
            TO_OTHER_HOSTS.restore(number, object as usize);
        }
    }
    result
}

/// Returns the address vector with the mark; `None` if it has the mark already, or there is none.
fn marked(attr: &AhAttr, marking: Marking) -> Option<AhAttr> {
    let mut marked = *attr;
    if let Some(service_level) = marking.service_level {
        marked.sl = service_level;
    }
    // The traffic class is part of the global header, which packets within a subnet may lack.
    if let Some(class) = marking.class_over(attr.grh.traffic_class).filter(|_| attr.is_global != 0)
    {
        marked.grh.traffic_class = class;
    }
    (marked != *attr).then_some(marked)
}

/// Returns the peer, if it is known. A path within a subnet has only a LID, which names no host.
fn peer(attr: &AhAttr) -> Option<Peer> {
    let half = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (high, low) = attr.grh.dgid.split_at(8);
    let peer = Peer::from_words([half(high), half(low)]);
    Some(peer).filter(|peer| attr.is_global != 0 && peer.is_elsewhere())
}

/// `ibv_modify_qp(3)`. An address vector is set with the mark, or without it if the device refuses that.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ibv_modify_qp(
    qp: *mut c_void,
    attr: *mut QpAttr,
    mask: c_int,
) -> c_int {
    let call = |attr: *mut QpAttr| -> c_int {
        next!(
            MODIFY_QP,
            (qp => *mut c_void, attr => *mut QpAttr, mask => c_int) -> c_int, libc::ENOSYS
        )
    };
    let settings = process::settings().filter(|_| mask & QP_AV != 0 && !attr.is_null());
    let Some(settings) = settings else { return call(attr) };
    let marking = process::marking_of_queue_pair(settings);
    // SAFETY: the mask states that the program has set the vector.
    let before = unsafe { (&raw const (*attr).ah_attr).read() };
    // The program's structure stays as it is: another thread may read it, or it may be constant.
    // SAFETY: the structure is one for the mask.
    let copy = marked(&before, marking)
        .and_then(|marked| unsafe { QpAttr::with_path(attr, mask, marked) });
    let result = match copy.map(|mut copy| call(copy.as_mut_ptr())) {
        Some(0) => 0,
        _ => call(attr),
    };
    if let Some(peer) = peer(&before).filter(|_| result == 0) {
        store(qp, peer);
    }
    result
}

/// `ibv_create_ah(3)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ibv_create_ah(pd: *mut c_void, attr: *mut AhAttr) -> *mut c_void {
    let call = |attr: *mut AhAttr| -> *mut c_void {
        next!(
            CREATE_AH,
            (pd => *mut c_void, attr => *mut AhAttr) -> *mut c_void, null_mut()
        )
    };
    let settings = process::settings().filter(|_| !attr.is_null());
    let Some(settings) = settings else { return call(attr) };
    let marking = process::marking_of_queue_pair(settings);
    // SAFETY: the pointer is not null, and the program passes it to be read.
    let before = unsafe { attr.read() };
    let mut handle = null_mut();
    if let Some(mut marked) = marked(&before, marking) {
        handle = call(&raw mut marked);
    }
    if handle.is_null() {
        handle = call(attr);
    }
    if let Some(peer) = peer(&before).filter(|_| !handle.is_null()) {
        store(handle, peer);
    }
    handle
}

/// `ibv_destroy_ah(3)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ibv_destroy_ah(ah: *mut c_void) -> c_int {
    let call = || -> c_int { next!(DESTROY_AH, (ah => *mut c_void) -> c_int, libc::ENOSYS) };
    destroy(ah, call)
}

/// `ibv_destroy_qp(3)`.
///
/// # Safety
///
/// As for the original.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ibv_destroy_qp(qp: *mut c_void) -> c_int {
    let call = || -> c_int { next!(DESTROY_QP, (qp => *mut c_void) -> c_int, libc::ENOSYS) };
    destroy(qp, call)
}
