//! [`QueuePair`]: the creation and connection of a queue pair. It contains unsafe calls of libibverbs.
//!
//! A queue pair for datagrams (UD) has no connection: each request names the destination, which is the one other side.

#![allow(unsafe_code)]

use super::completion_queue::CompletionQueue;
use super::context::Context;
use super::memory::Domain;
use super::{Chosen, VerbsError};
use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Bits24, Path, Plan, QpAddress, Side};
use rdma_mummy_sys as sys;
use std::io;
use std::mem::zeroed;
use std::ptr::NonNull;
use sys::ibv_qp_attr_mask as mask;

/// The timeout of an acknowledgement, 4.096 us * 2^TIMEOUT = 0.27 s, and the number of retransmissions (IBTA 9.7.6.1.3
/// and 11.2.5.2): the loss of the other side is reported after 2 s. Lossless fabrics need neither. Linux's Soft-RoCE
/// takes the largest number, 7, for infinite.
const TIMEOUT: u8 = 16;
pub(super) const RETRIES: u8 = 6;
/// The number of retries after an RNR NAK, 0.64 ms apart: 7 is unlimited (IBTA 9.7.5.2.8).
const RNR_RETRIES: u8 = 7;
const RNR_TIMER: u8 = 12;
/// The Q_Key of datagrams: any number below 2^31, the same on both sides (IBTA 3.5.3).
const QKEY: u32 = 0x1851_6000;
/// The number of routers that a packet may cross.
const HOP_LIMIT: u8 = 64;

/// A queue pair for a reliable connection (RC) or for datagrams (UD).
pub(super) struct QueuePair {
    qp: NonNull<sys::ibv_qp>,
    transport: Transport,
    /// The destination of datagrams.
    peer: Option<Peer>,
    psn: Bits24,
    /// The number of outstanding READs and atomics, in both directions.
    reads: u8,
    device: String,
}

impl QueuePair {
    /// Creates a queue pair in the state INIT, in which it takes RECVs.
    pub(super) fn of(
        context: &Context,
        domain: &Domain,
        completions: &CompletionQueue,
        chosen: &Chosen,
        plan: &Plan,
        transport: Transport,
        psn: Bits24,
    ) -> Result<QueuePair, VerbsError> {
        // SAFETY: the struct consists of numbers and pointers, for which zero is a valid value.
        let mut wanted: sys::ibv_qp_init_attr = unsafe { zeroed() };
        wanted.send_cq = completions.as_ptr();
        wanted.recv_cq = completions.as_ptr();
        wanted.qp_type = match transport {
            Transport::Rc => sys::ibv_qp_type::IBV_QPT_RC,
            Transport::Ud => sys::ibv_qp_type::IBV_QPT_UD,
        };
        wanted.cap = sys::ibv_qp_cap {
            max_send_wr: plan.send_depth,
            max_recv_wr: plan.recv_depth.max(1),
            max_send_sge: 1,
            max_recv_sge: 1,
            max_inline_data: plan.inline,
        };
        // SAFETY: the domain and the completion queue are alive. They outlive the queue pair,
        // because their owner drops it first.
        let qp = unsafe { sys::ibv_create_qp(domain.as_ptr(), &mut wanted) };
        let Some(qp) = NonNull::new(qp) else {
            let Plan { send_depth, inline, .. } = plan;
            let what = format!(
                "a queue pair with {send_depth} requests and {inline} B inline can't be created (fewer: -q, -t, -I)"
            );
            return Err(VerbsError::last(context.name(), what));
        };
        let mut pair = QueuePair {
            qp,
            transport,
            peer: None,
            psn,
            reads: plan.reads,
            device: context.name().to_owned(),
        };
        let access = sys::ibv_access_flags::IBV_ACCESS_REMOTE_WRITE
            | sys::ibv_access_flags::IBV_ACCESS_REMOTE_READ
            | sys::ibv_access_flags::IBV_ACCESS_REMOTE_ATOMIC;
        let what = mask::IBV_QP_STATE | mask::IBV_QP_PKEY_INDEX | mask::IBV_QP_PORT;
        let more = match transport {
            Transport::Rc => mask::IBV_QP_ACCESS_FLAGS,
            Transport::Ud => mask::IBV_QP_QKEY,
        };
        pair.modify("INIT", what | more, |to| {
            to.qp_state = sys::ibv_qp_state::IBV_QPS_INIT;
            to.port_num = chosen.port;
            to.qp_access_flags = access.0;
            to.qkey = QKEY;
        })?;
        Ok(pair)
    }

    /// Returns the address for the other side, with this queue pair's part of the region.
    pub(super) fn address(&self, part: u32) -> QpAddress {
        QpAddress { number: Bits24::of_lowest(self.number()), psn: self.psn, part }
    }

    /// Returns the number of outstanding READs and atomics, in both directions.
    pub(super) fn reads(&self) -> u8 {
        self.reads
    }

    /// Returns the queue pair number.
    pub(super) fn number(&self) -> u32 {
        // SAFETY: the queue pair is alive.
        unsafe { self.qp.as_ref().qp_num }
    }

    #[inline]
    pub(super) fn as_ptr(&self) -> *mut sys::ibv_qp {
        self.qp.as_ptr()
    }

    /// Returns the destination of datagrams; `None` for a connection, and before it is connected.
    #[inline]
    pub(super) fn datagrams_to(&self) -> Option<sys::ud_t> {
        let Peer { handle, number } = self.peer.as_ref()?;
        Some(sys::ud_t { ah: handle.as_ptr(), remote_qpn: *number, remote_qkey: QKEY })
    }

    /// Connects the queue pair: states RTR and RTS.
    pub(super) fn connect(
        &mut self,
        domain: &Domain,
        chosen: &Chosen,
        side: &Side,
        peer: QpAddress,
        path: Path,
    ) -> Result<(), VerbsError> {
        let route = route(chosen, side, path);
        match self.transport {
            Transport::Rc => self.connect_reliably(route, peer, path),
            Transport::Ud => self.aim(domain, route, peer),
        }
    }

    fn aim(
        &mut self,
        domain: &Domain,
        mut route: sys::ibv_ah_attr,
        peer: QpAddress,
    ) -> Result<(), VerbsError> {
        self.modify("RTR", mask::IBV_QP_STATE, |to| {
            to.qp_state = sys::ibv_qp_state::IBV_QPS_RTR;
        })?;
        let psn = self.psn.get();
        self.modify("RTS", mask::IBV_QP_STATE | mask::IBV_QP_SQ_PSN, |to| {
            to.qp_state = sys::ibv_qp_state::IBV_QPS_RTS;
            to.sq_psn = psn;
        })?;
        // SAFETY: the domain is alive. It outlives the handle, because their owner drops the handle
        // first.
        let handle = unsafe { sys::ibv_create_ah(domain.as_ptr(), &mut route) };
        let Some(handle) = NonNull::new(handle) else {
            let what = "there is no path to the other side from this GID (address handle)";
            return Err(VerbsError::last(&self.device, what));
        };
        self.peer = Some(Peer { handle, number: peer.number.get() });
        Ok(())
    }

    fn connect_reliably(
        &mut self,
        route: sys::ibv_ah_attr,
        peer: QpAddress,
        path: Path,
    ) -> Result<(), VerbsError> {
        let reads = self.reads;
        let what = mask::IBV_QP_STATE
            | mask::IBV_QP_AV
            | mask::IBV_QP_PATH_MTU
            | mask::IBV_QP_DEST_QPN
            | mask::IBV_QP_RQ_PSN
            | mask::IBV_QP_MAX_DEST_RD_ATOMIC
            | mask::IBV_QP_MIN_RNR_TIMER;
        self.modify("RTR (is the other side reachable from this GID?)", what, |to| {
            to.qp_state = sys::ibv_qp_state::IBV_QPS_RTR;
            to.ah_attr = route;
            to.path_mtu = code(path.mtu);
            to.dest_qp_num = peer.number.get();
            to.rq_psn = peer.psn.get();
            to.max_dest_rd_atomic = reads;
            to.min_rnr_timer = RNR_TIMER;
        })?;
        let what = mask::IBV_QP_STATE
            | mask::IBV_QP_TIMEOUT
            | mask::IBV_QP_RETRY_CNT
            | mask::IBV_QP_RNR_RETRY
            | mask::IBV_QP_SQ_PSN
            | mask::IBV_QP_MAX_QP_RD_ATOMIC;
        let psn = self.psn.get();
        self.modify("RTS", what, |to| {
            to.qp_state = sys::ibv_qp_state::IBV_QPS_RTS;
            to.timeout = TIMEOUT;
            to.retry_cnt = RETRIES;
            to.rnr_retry = RNR_RETRIES;
            to.sq_psn = psn;
            to.max_rd_atomic = reads;
        })
    }

    /// Connects the queue pair with the attributes that RDMA-CM has for a state: RTR, then RTS.
    pub(super) fn connect_by_manager(
        &mut self,
        attributes: impl Fn(u32) -> Result<(sys::ibv_qp_attr, i32), VerbsError>,
        path: Path,
    ) -> Result<(), VerbsError> {
        let reads = self.reads;
        let (mut to, what) = attributes(sys::ibv_qp_state::IBV_QPS_RTR)?;
        to.path_mtu = code(path.mtu);
        to.ah_attr.sl = path.sl;
        to.ah_attr.grh.traffic_class = path.traffic_class;
        to.max_dest_rd_atomic = reads;
        to.min_rnr_timer = RNR_TIMER;
        self.apply("RTR by RDMA-CM", what, to)?;
        let (mut to, what) = attributes(sys::ibv_qp_state::IBV_QPS_RTS)?;
        to.timeout = TIMEOUT;
        to.retry_cnt = RETRIES;
        to.rnr_retry = RNR_RETRIES;
        to.max_rd_atomic = reads;
        self.apply("RTS by RDMA-CM", what, to)
    }

    fn modify(
        &mut self,
        state: &str,
        what: mask,
        set: impl FnOnce(&mut sys::ibv_qp_attr),
    ) -> Result<(), VerbsError> {
        // SAFETY: the struct consists of numbers, for which zero is a valid value.
        let mut to: sys::ibv_qp_attr = unsafe { zeroed() };
        set(&mut to);
        self.apply(state, what.0 as i32, to)
    }

    fn apply(
        &mut self,
        state: &str,
        what: i32,
        mut to: sys::ibv_qp_attr,
    ) -> Result<(), VerbsError> {
        // SAFETY: the queue pair is alive. The fields that `what` names are set, or intentionally
        // zero.
        let code = unsafe { sys::ibv_modify_qp(self.qp.as_ptr(), &mut to, what) };
        if code == 0 {
            return Ok(());
        }
        let what = format!("queue pair {} can't go to {state}", self.number());
        Err(VerbsError::of(&self.device, what, io::Error::from_raw_os_error(code.abs())))
    }
}

/// Returns the code of an MTU: 1 for 256, up to 5 for 4096 (IBTA 9.7.1).
fn code(mtu: Mtu) -> u32 {
    mtu.get().ilog2() - 7
}

/// Returns the address vector of the other side.
fn route(chosen: &Chosen, side: &Side, path: Path) -> sys::ibv_ah_attr {
    // SAFETY: the struct consists of numbers, for which zero is a valid value.
    let mut route: sys::ibv_ah_attr = unsafe { zeroed() };
    route.port_num = chosen.port;
    route.sl = path.sl;
    route.dlid = side.lid;
    if let (Some((index, _)), Some(gid)) = (chosen.gid, side.gid) {
        route.is_global = 1;
        route.grh = sys::ibv_global_route {
            dgid: sys::ibv_gid { raw: gid.0 },
            flow_label: 0,
            sgid_index: index,
            hop_limit: HOP_LIMIT,
            traffic_class: path.traffic_class,
        };
    }
    route
}

/// The destination of datagrams.
struct Peer {
    handle: NonNull<sys::ibv_ah>,
    number: u32,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SAFETY: the handle is destroyed once, after the queue pair whose requests name it.
        unsafe { sys::ibv_destroy_ah(self.handle.as_ptr()) };
    }
}

impl Drop for QueuePair {
    fn drop(&mut self) {
        // SAFETY: the queue pair is destroyed once.
        unsafe { sys::ibv_destroy_qp(self.qp.as_ptr()) };
    }
}
