//! [`Pair`]: a queue pair with its lists of requests and RECVs. It contains the unsafe calls for posting.

#![allow(unsafe_code)]

use super::VerbsError;
use super::memory::Memory;
use super::queue_pair::QueuePair;
use super::work_id::WorkId;
use bandwise_rdma::verbs::{Opcode, Qp, WorkRequest};
use bandwise_session::{Plan, QpAddress, Region};
use rdma_mummy_sys as sys;
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

/// A queue pair, and its requests in the library's format.
pub(super) struct Pair {
    pub(super) qp: QueuePair,
    /// The memory of the other side, from the start of this queue pair's part.
    pub(super) remote: Region,
    /// The first slot in memory, the number of slots and their distance, and the number of requests that have used
    /// them.
    pub(super) first_place: usize,
    pub(super) places: usize,
    stride: u64,
    pub(super) asked: usize,
    /// The address of the first slot for outgoing messages.
    outgoing: u64,
    /// The list of requests. Each entry except the last posted one points to the next.
    requests: Box<[sys::ibv_send_wr]>,
    /// The payload of each request.
    parts: Box<[sys::ibv_sge]>,
    /// The number of list entries that wait for the doorbell.
    pub(super) held: usize,
    /// A ring of the payloads of signalled requests, in order.
    payloads: Box<[u32]>,
    first: usize,
    last: usize,
    /// The RECVs, in two lists of half the number.
    pub(super) recvs: Box<[sys::ibv_recv_wr]>,
    /// The targets of the RECVs.
    _arriving: Box<[sys::ibv_sge]>,
    /// True if the second half is posted next.
    is_second: bool,
    /// The number of used RECVs that were not posted again.
    pub(super) used: usize,
    /// The header before a received message, in bytes.
    pub(super) header: u32,
}

impl Pair {
    pub(super) fn of(
        qp: QueuePair,
        number: Qp,
        memory: &Memory,
        plan: &Plan,
        first_place: usize,
        header: u32,
    ) -> Result<Pair, VerbsError> {
        let depth = plan.send_depth as usize;
        // SAFETY: the structs consist of numbers and pointers, for which zero is a valid value.
        let blank = || unsafe { zeroed::<sys::ibv_send_wr>() };
        let mut parts: Box<[_]> = (0..depth).map(|_| memory.outgoing(first_place, 0)).collect();
        let mut requests: Box<[_]> = (0..depth).map(|_| blank()).collect();
        for (request, part) in requests.iter_mut().zip(&mut parts) {
            request.sg_list = part;
        }
        let places = plan.places();
        let count = plan.recv_depth as usize / 2 * 2;
        let place = |number: usize| if places == 0 { 0 } else { first_place + number };
        let mut arriving: Box<[_]> =
            (0..count).map(|number| memory.arriving(place(number), header)).collect();
        let recv = |sge: &mut sys::ibv_sge| sys::ibv_recv_wr {
            wr_id: WorkId::received(number).0,
            next: null_mut(),
            sg_list: sge,
            num_sge: 1,
        };
        let mut recvs: Box<[_]> = arriving.iter_mut().map(recv).collect();
        for i in (1..recvs.len()).filter(|&i| i != count / 2) {
            recvs[i - 1].next = &mut recvs[i];
        }
        let mut pair = Pair {
            qp,
            remote: memory.region(),
            first_place,
            places,
            stride: memory.stride().into(),
            asked: 0,
            outgoing: memory.outgoing(first_place, 0).addr,
            requests,
            parts,
            held: 0,
            payloads: vec![0; depth.next_power_of_two()].into(),
            first: 0,
            last: 0,
            recvs,
            _arriving: arriving,
            is_second: false,
            used: 0,
            header,
        };
        pair.receive()?;
        pair.receive()?;
        Ok(pair)
    }

    /// Posts half of the RECVs.
    pub(super) fn receive(&mut self) -> Result<(), VerbsError> {
        let half = self.recvs.len() / 2;
        let at = if self.is_second { half } else { 0 };
        let Some(first) = self.recvs.get_mut(at) else { return Ok(()) };
        self.is_second = !self.is_second;
        let mut bad = null_mut();
        // SAFETY: the queue pair is alive. The call reads the list and its targets before it
        // returns. The memory that they name is registered and outlives the queue pair.
        let code = unsafe { sys::ibv_post_recv(self.qp.as_ptr(), first, &mut bad) };
        self.posted(code, self.recvs.len() as u32)
    }

    /// Adds a request to the list.
    #[inline]
    pub(super) fn hold(&mut self, request: &WorkRequest, depth: u32) -> Result<(), VerbsError> {
        let Some(entry) = self.requests.get_mut(self.held) else {
            let error = io::ErrorKind::OutOfMemory.into();
            return Err(VerbsError::Post { qp: self.qp.number(), depth, error });
        };
        let Region { mut address, rkey, .. } = self.remote;
        if self.places > 0 {
            let place = self.asked % self.places;
            self.asked += 1;
            address = address.wrapping_add(place as u64 * self.stride);
            self.parts[self.held].addr = self.outgoing + place as u64 * self.stride;
        }
        entry.wr_id = WorkId::sent(request.opcode, request.qp, request.id).0;
        entry.num_sge = i32::from(request.bytes > 0);
        self.parts[self.held].length = request.bytes;
        entry.send_flags = 0;
        if request.signaled {
            entry.send_flags |= sys::ibv_send_flags::IBV_SEND_SIGNALED.0;
            self.payloads[self.last & (self.payloads.len() - 1)] = request.bytes;
            self.last = self.last.wrapping_add(1);
        }
        if request.inline {
            entry.send_flags |= sys::ibv_send_flags::IBV_SEND_INLINE.0;
        }
        let target = match self.qp.datagrams_to() {
            Some(ud) => sys::wr_t { ud },
            None => sys::wr_t { rdma: sys::rdma_t { remote_addr: address, rkey } },
        };
        (entry.opcode, entry.wr) = match request.opcode {
            Opcode::Send => (sys::ibv_wr_opcode::IBV_WR_SEND, target),
            Opcode::Write => (sys::ibv_wr_opcode::IBV_WR_RDMA_WRITE, target),
            Opcode::WriteImm => (sys::ibv_wr_opcode::IBV_WR_RDMA_WRITE_WITH_IMM, target),
            Opcode::Read => (sys::ibv_wr_opcode::IBV_WR_RDMA_READ, target),
            Opcode::Atomic => {
                let add = sys::atomic_t { remote_addr: address, compare_add: 1, swap: 0, rkey };
                (sys::ibv_wr_opcode::IBV_WR_ATOMIC_FETCH_AND_ADD, sys::wr_t { atomic: add })
            }
        };
        self.held += 1;
        Ok(())
    }

    /// Posts the list.
    #[inline]
    pub(super) fn ring(&mut self, depth: u32) -> Result<(), VerbsError> {
        let held = std::mem::take(&mut self.held);
        let Some(last) = held.checked_sub(1) else { return Ok(()) };
        let list = self.requests.as_mut_ptr();
        let mut bad = null_mut();
        // SAFETY: the first `held` entries of the list and their parts are filled and do not move.
        // The call reads them before it returns. The memory that they name is registered and
        // outlives the queue pair.
        let code = unsafe {
            for i in 0..last {
                (*list.add(i)).next = list.add(i + 1);
            }
            (*list.add(last)).next = null_mut();
            sys::ibv_post_send(self.qp.as_ptr(), list, &mut bad)
        };
        self.posted(code, depth)
    }

    /// Returns the address for the other side.
    pub(super) fn address(&self) -> QpAddress {
        self.qp.address((self.first_place as u64 * self.stride) as u32)
    }

    fn posted(&self, code: i32, depth: u32) -> Result<(), VerbsError> {
        if code == 0 {
            return Ok(());
        }
        let error = io::Error::from_raw_os_error(code.abs());
        Err(VerbsError::Post { qp: self.qp.number(), depth, error })
    }

    /// Returns the payload of the request that has completed.
    #[inline]
    pub(super) fn payload(&mut self) -> u32 {
        let bytes = self.payloads[self.first & (self.payloads.len() - 1)];
        self.first = self.first.wrapping_add(1);
        bytes
    }
}
