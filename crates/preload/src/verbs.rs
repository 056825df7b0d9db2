//! What stands in for functions of libibverbs by which queue pairs and address handles get their way through the
//! network. Those of RDMA-CM come here too: librdmacm connects its queue pairs by `ibv_modify_qp`.
//!
//! A program that looks these functions up itself (NCCL) is given these by `lookup`. One that speaks to its device past
//! them (UCX with mlx5) does not come here: `UCX_IB_SL` and its like are for those.

// Functions of C, and what they are called with.
#![allow(unsafe_code)]

use crate::marking::Marking;
use crate::peer::Peer;
use crate::process::{self, WATCH};
use crate::real::{Next, next};
use crate::slots::Slots;
use crate::system::Errno;
use crate::verbs_layout::{AhAttr, QP_AV, QpAttr};
use crate::{DESCRIPTORS, WAYS};
use libc::{c_int, c_void};
use std::ptr::null_mut;

pub(crate) const LIBRARY: &std::ffi::CStr = c"libibverbs.so.1";

/// Queue pairs that are connected, and address handles: the two that lead to another host.
static THERE: Slots<WAYS> = Slots::new();

/// One of them leads there from now on.
fn leads(one: *mut c_void, peer: Peer) {
    let errno = Errno::keep();
    if let Some(number) = THERE.take(one as usize) {
        WATCH.connected(DESCRIPTORS + number, peer);
    }
    drop(errno);
}

/// One of them is about to be destroyed: afterwards another may have its address.
fn ends(one: *mut c_void) {
    if process::settings().is_some()
        && let Some(number) = THERE.free(one as usize)
    {
        WATCH.closing(DESCRIPTORS + number);
    }
}

/// The same way with the mark; none if it has that already, or there is none.
fn marked(attr: &AhAttr, marking: Marking) -> Option<AhAttr> {
    let mut marked = *attr;
    if let Some(service_level) = marking.service_level {
        marked.sl = service_level;
    }
    // The traffic class stands in a header that packets within one subnet need not have.
    if let Some(class) = marking.class_over(attr.grh.traffic_class).filter(|_| attr.is_global != 0)
    {
        marked.grh.traffic_class = class;
    }
    (marked != *attr).then_some(marked)
}

/// Where it leads, if that can be told: a way within a subnet has a number that no host is called by.
fn peer(attr: &AhAttr) -> Option<Peer> {
    let half = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (high, low) = attr.grh.dgid.split_at(8);
    let peer = Peer::from_words([half(high), half(low)]);
    Some(peer).filter(|peer| attr.is_global != 0 && peer.is_elsewhere())
}

/// `ibv_modify_qp(3)`: with the mark, if an address vector is set; without, if the device takes it only so.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_modify_qp(qp: *mut c_void, attr: *mut QpAttr, mask: c_int) -> c_int {
    let call = |attr: *mut QpAttr| -> c_int {
        next!(
            Next::of(LIBRARY, c"ibv_modify_qp"),
            (qp => *mut c_void, attr => *mut QpAttr, mask => c_int) -> c_int, libc::ENOSYS
        )
    };
    let settings = process::settings().filter(|_| mask & QP_AV != 0 && !attr.is_null());
    let Some(settings) = settings else { return call(attr) };
    let marking = process::marking_of_queue_pair(settings);
    // SAFETY: the mask says that the program has written it. It is the program's again when this returns.
    let vector = unsafe { &raw mut (*attr).ah_attr };
    let before = unsafe { vector.read() };
    let result = match marked(&before, marking) {
        None => call(attr),
        Some(marked) => {
            // In its place: how long what stands around it is, the program's library knows.
            unsafe { vector.write(marked) };
            let result = call(attr);
            unsafe { vector.write(before) };
            if result == 0 { result } else { call(attr) }
        }
    };
    if let Some(peer) = peer(&before).filter(|_| result == 0) {
        leads(qp, peer);
    }
    result
}

/// `ibv_create_ah(3)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_create_ah(pd: *mut c_void, attr: *mut AhAttr) -> *mut c_void {
    let call = |attr: *mut AhAttr| -> *mut c_void {
        next!(
            Next::of(LIBRARY, c"ibv_create_ah"),
            (pd => *mut c_void, attr => *mut AhAttr) -> *mut c_void, null_mut()
        )
    };
    let settings = process::settings().filter(|_| !attr.is_null());
    let Some(settings) = settings else { return call(attr) };
    let marking = process::marking_of_queue_pair(settings);
    // SAFETY: the program wants it read.
    let before = unsafe { attr.read() };
    let mut handle = null_mut();
    if let Some(mut marked) = marked(&before, marking) {
        handle = call(&raw mut marked);
    }
    if handle.is_null() {
        handle = call(attr);
    }
    if let Some(peer) = peer(&before).filter(|_| !handle.is_null()) {
        leads(handle, peer);
    }
    handle
}

/// `ibv_destroy_ah(3)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_destroy_ah(ah: *mut c_void) -> c_int {
    ends(ah);
    next!(Next::of(LIBRARY, c"ibv_destroy_ah"), (ah => *mut c_void) -> c_int, libc::ENOSYS)
}

/// `ibv_destroy_qp(3)`.
///
/// # Safety
///
/// As that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ibv_destroy_qp(qp: *mut c_void) -> c_int {
    ends(qp);
    next!(Next::of(LIBRARY, c"ibv_destroy_qp"), (qp => *mut c_void) -> c_int, libc::ENOSYS)
}
