//! The used parts of libibverbs's structures, in the layout of its header verbs.h. A test compares them.

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

/// `ibv_qp_attr` up to the address vector.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct QpAttr {
    before: [u32; 14],
    /// The path to the other end.
    pub ah_attr: AhAttr,
}

/// `IBV_QP_AV`: the address vector is set.
pub(crate) const QP_AV: libc::c_int = 1 << 7;

#[cfg(test)]
mod tests {
    use super::*;
    use rdma_mummy_sys as sys;
    use std::mem::{offset_of, size_of};

    #[test]
    fn layout_matches_libibverbs() {
        assert_eq!(offset_of!(QpAttr, ah_attr), offset_of!(sys::ibv_qp_attr, ah_attr));
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
    }
}
