//! Programs on cores: stepping on completions, and execution of posted work.

use super::qp::{Doorbell, Wqe};
use super::{CQE, DOORBELL, Host, STEP, WQES};
use crate::infiniband::cable::Net;
use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Program};
use bandwise_units::Time;

/// Bytes of a WQE that the RNIC reads: the basic block of the ConnectX send queue.
const WQE_BYTES: u32 = 64;

impl<P: Program> Host<P> {
    /// Ensures that `core` is stepped at `at` or earlier.
    pub(super) fn wake_core(&mut self, core: u16, at: Time, net: &mut Net) {
        let state = &mut self.cores[usize::from(core)];
        if at < state.wake_at {
            state.wake_at = at;
            self.at(at, STEP, core, 0, net);
        }
    }

    /// Delivers a completion that becomes visible in memory at `visible`, when the core finds it.
    #[inline(always)] // otherwise the completion is passed through memory
    pub(super) fn complete(
        &mut self,
        core: u16,
        visible: Time,
        completion: Completion,
        net: &mut Net,
    ) {
        let state = &mut self.cores[usize::from(core)];
        if state.done {
            return;
        }
        // Completions of one kind on a queue pair are found in the order in which they were
        // written.
        let received = completion.kind == CompletionKind::Received;
        let last = &mut self.qps[usize::from(completion.qp.0)].last_cqe[usize::from(received)];
        let at = state.found_at(visible).max(*last + Time::from_ps(1));
        *last = at;
        let index = self.cqes.put(completion);
        self.at(at, CQE, core, index, net);
    }

    /// Steps a program, if its core is free and a completion or timer is due.
    pub(super) fn step(&mut self, now: Time, index: usize, net: &mut Net) {
        let core = &mut self.cores[index];
        if core.done {
            core.pending.clear();
            return;
        }
        if core.pending.is_empty() && core.timer > now {
            // The event belongs to an earlier timer, which a completion has superseded.
            let timer = core.timer;
            return self.wake_core(index as u16, timer, net);
        }
        if let Some(at) = core.unavailable_until(now) {
            return self.wake_core(index as u16, at, net);
        }
        std::mem::swap(&mut self.polled, &mut core.pending);
        core.timer = Time::MAX;
        let next = core.program.step(now, &self.polled, &mut self.posts);
        let polled = now + self.model.cpu_completion * self.polled.len() as u64;
        self.polled.clear();
        let free_at = self.post(polled, net);
        let core = &mut self.cores[index];
        core.stepped(now, free_at);
        match next {
            Next::Completion => {}
            Next::At(at) => {
                core.timer = at.max(now);
                let timer = core.timer;
                self.wake_core(index as u16, timer.max(free_at), net);
            }
            Next::Done => core.finish(),
        }
    }

    /// Executes the posted requests from `start` on. Returns when the core is free again.
    fn post(&mut self, start: Time, net: &mut Net) -> Time {
        let mut now = start;
        let mut posts = std::mem::take(&mut self.posts);
        for request in posts.drain() {
            now += self.model.cpu_wqe;
            if request.inline {
                now += self.model.cpu_inline * u64::from(request.bytes.div_ceil(64));
            }
            let qp = &mut self.qps[usize::from(request.qp.0)];
            if qp.unrung == 0 {
                self.rung.push(request.qp.0);
            }
            qp.unrung += 1;
            qp.sq.push_back(Wqe {
                id: request.id,
                opcode: request.opcode,
                bytes: request.bytes,
                signaled: request.signaled,
                inline: request.inline,
            });
            if request.ring {
                now = self.ring_doorbells(now, net);
            }
        }
        self.posts = posts;
        now
    }

    fn ring_doorbells(&mut self, mut now: Time, net: &mut Net) -> Time {
        let mut rung = std::mem::take(&mut self.rung);
        for number in rung.drain(..) {
            let qp = &mut self.qps[usize::from(number)];
            // The doorbell carries a single WQE (BlueFlame); a list must be read by DMA.
            qp.doorbells.push_back(Doorbell { wqes: qp.unrung, carries: qp.unrung == 1 });
            qp.unrung = 0;
            self.at(now + self.model.mmio, DOORBELL, number, 0, net);
            now += self.model.doorbell_gap;
        }
        self.rung = rung;
        now
    }

    /// Handles a doorbell that reaches the RNIC.
    pub(super) fn doorbell(&mut self, now: Time, number: usize, net: &mut Net) {
        let doorbell = self.qps[number].doorbells.pop_front().expect("a doorbell was rung");
        if doorbell.carries {
            self.wqes_ready(number, doorbell.wqes);
            self.transmit(now, net);
        } else {
            let at = self.pcie.read_descriptor(now, doorbell.wqes * WQE_BYTES);
            self.at(at, WQES, number as u16, doorbell.wqes, net);
        }
    }

    /// Adds WQEs of a queue pair that have reached the RNIC.
    pub(super) fn wqes_ready(&mut self, number: usize, wqes: u32) {
        self.qps[number].ready += wqes;
        if self.qps[number].can_request() {
            self.list(number, 0);
        }
    }
}
