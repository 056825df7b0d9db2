//! The used parts of libibverbs's structures, in the layout of its header verbs.h. A test compares them.

// The program's structures are copied.
#![allow(unsafe_code)]

use libc::c_int;
use std::mem::{MaybeUninit, offset_of};

/// `ibv_global_route`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub(crate) struct GlobalRoute {
    /// The GID of the other end.
    pub dgid: [u8; 16],
    /// Unchanged.
    pub flow_label: u32,
    /// Unchanged.
    pub sgid_index: u8,
    /// Unchanged.
    pub hop_limit: u8,
    /// The byte of the IP header.
    pub traffic_class: u8,
}

/// `ibv_ah_attr`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct AhAttr {
    /// The global header.
    pub grh: GlobalRoute,
    /// The LID of the other end.
    pub dlid: u16,
    /// The service level.
    pub sl: u8,
    /// Unchanged.
    pub src_path_bits: u8,
    /// Unchanged.
    pub static_rate: u8,
    /// The packets have a global header if not 0.
    pub is_global: u8,
    /// Unchanged.
    pub port_num: u8,
}

/// `ibv_qp_attr`.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct QpAttr {
    before: [u32; 14],
    /// The path to the other end.
    pub ah_attr: AhAttr,
    alternative: AhAttr,
    after: [u8; 16],
    /// Absent from programs of an older libibverbs.
    rate_limit: u32,
}

/// `IBV_QP_AV`: the address vector is set.
pub(crate) const QP_AV: c_int = 1 << 7;

/// `IBV_QP_RATE_LIMIT`: the rate limit is set.
const QP_RATE_LIMIT: c_int = 1 << 25;

/// The bits of all fields of [`QpAttr`].
const QP_KNOWN: c_int = ((1 << 21) - 1) | QP_RATE_LIMIT;

impl QpAttr {
    /// Returns a copy of the fields that a mask states, with another address vector. Returns `None` if the mask states
    /// fields of a later version, which may follow those here.
    ///
    /// # Safety
    ///
    /// `attr` points to a structure of a libibverbs that has the fields of the mask.
    pub(crate) unsafe fn with_path(
        attr: *const QpAttr,
        mask: c_int,
        path: AhAttr,
    ) -> Option<MaybeUninit<QpAttr>> {
        if mask & !QP_KNOWN != 0 {
            return None;
        }
        let size = match mask & QP_RATE_LIMIT {
            0 => offset_of!(QpAttr, rate_limit),
            _ => size_of::<QpAttr>(),
        };
        let mut copy = MaybeUninit::<QpAttr>::uninit();
        // SAFETY: the caller ensures that the structure has `size` bytes, and the copy has no fewer.
        unsafe {
            attr.cast::<u8>().copy_to_nonoverlapping(copy.as_mut_ptr().cast(), size);
            (&raw mut (*copy.as_mut_ptr()).ah_attr).write(path);
        }
        Some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rdma_mummy_sys as sys;
    #[test]
    fn layout_matches_libibverbs() {
        assert_eq!(offset_of!(QpAttr, ah_attr), offset_of!(sys::ibv_qp_attr, ah_attr));
        assert_eq!(offset_of!(QpAttr, rate_limit), offset_of!(sys::ibv_qp_attr, rate_limit));
        assert_eq!(size_of::<QpAttr>(), size_of::<sys::ibv_qp_attr>());
        assert_eq!(size_of::<AhAttr>(), size_of::<sys::ibv_ah_attr>());
        assert_eq!(size_of::<GlobalRoute>(), size_of::<sys::ibv_global_route>());
        let ours = [
            offset_of!(AhAttr, grh),
            offset_of!(AhAttr, sl),
            offset_of!(AhAttr, is_global),
            offset_of!(GlobalRoute, dgid),
            offset_of!(GlobalRoute, traffic_class),
        ];
        let theirs = [
            offset_of!(sys::ibv_ah_attr, grh),
            offset_of!(sys::ibv_ah_attr, sl),
            offset_of!(sys::ibv_ah_attr, is_global),
            offset_of!(sys::ibv_global_route, dgid),
            offset_of!(sys::ibv_global_route, traffic_class),
        ];
        assert_eq!(ours, theirs);
        assert_eq!(QP_AV as u32, sys::ibv_qp_attr_mask::IBV_QP_AV.0);
        assert_eq!(QP_RATE_LIMIT as u32, sys::ibv_qp_attr_mask::IBV_QP_RATE_LIMIT.0);
        assert_eq!(QP_KNOWN as u32, sys::ibv_qp_attr_mask::IBV_QP_RATE_LIMIT.0 | 0x1f_ffff);
    }

    /// A program of an older libibverbs has no rate limit, and memory behind its structure that can't be read.
    #[test]
    fn absent_fields_are_not_read() {
        let size = offset_of!(QpAttr, rate_limit);
        let mut attr = vec![0u64; size / 8];
        attr[1] = 7;
        // SAFETY: a vector of zeros is valid.
        let path: AhAttr = unsafe { std::mem::zeroed() };
        let path = AhAttr { sl: 5, ..path };
        // SAFETY: the structure has the fields up to the rate limit.
        let copy = unsafe { QpAttr::with_path(attr.as_ptr().cast(), QP_AV, path) }.unwrap();
        // SAFETY: these fields are initialised.
        let (before, there) =
            unsafe { ((*copy.as_ptr()).before[2], (&raw const (*copy.as_ptr()).ah_attr).read()) };
        assert_eq!((before, there), (7, path));
        // SAFETY: nothing is read.
        assert!(
            unsafe { QpAttr::with_path(attr.as_ptr().cast(), QP_AV | 1 << 26, path) }.is_none()
        );
    }
}
