//! [`ClosedLoop`]: a client with one or more requests outstanding.

use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Settings of [`ClosedLoop`].
#[derive(Debug, Clone)]
pub struct ClosedLoopSettings {
    /// The queue pair.
    pub qp: Qp,
    /// Operation of each request; usually SEND or WRITE.
    pub opcode: Opcode,
    /// Payload in bytes.
    pub bytes: u32,
    /// Largest payload sent inline in the WQE, in bytes.
    pub inline_max: u32,
    /// Largest number of requests outstanding (pipelining); at least 1.
    pub depth: u32,
    /// Number of rounds. The pause after a round applies to its position in the window only; other
    /// positions continue.
    pub rounds: Rounds,
}

/// A client with `depth` requests outstanding, usually one. Each request is posted, completes, and
/// after a pause is followed by another. The latency is the time from posting a request to seeing
/// its completion. It includes all overhead of both sides, and the time behind requests posted
/// before.
#[derive(Debug, Clone)]
pub struct ClosedLoop {
    /// Template of each request, without its id.
    request: WorkRequest,
    measure: Box<Measure>,
    /// Post times of outstanding requests, oldest first: a queue pair completes requests in order
    /// (IBTA 10.8.5).
    posted: VecDeque<Time>,
    /// Number of completed requests, which is the id of the oldest outstanding one.
    completed: u64,
    /// Times from which the idle positions may post, earliest on top.
    idle: BinaryHeap<Reverse<Time>>,
}

impl ClosedLoop {
    /// Creates a client.
    ///
    /// # Panics
    ///
    /// If `depth` is 0.
    pub fn new(settings: ClosedLoopSettings) -> Self {
        let ClosedLoopSettings { qp, opcode, bytes, inline_max, depth, rounds } = settings;
        assert!(depth > 0, "a closed loop needs a depth of at least 1");
        let inline = opcode.carries_payload() && bytes <= inline_max;
        let request = WorkRequest { qp, id: 0, opcode, bytes, signaled: true, inline, ring: true };
        ClosedLoop {
            request,
            measure: Measure::new(rounds),
            posted: VecDeque::with_capacity(depth as usize),
            completed: 0,
            idle: vec![Reverse(Time::ZERO); depth as usize].into(),
        }
    }

    /// Returns the measurement so far: times from posting a request to seeing its completion.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        &mut self.measure
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        let is_ours = completion.qp == self.request.qp
            && completion.id == self.completed
            && completion.kind == CompletionKind::Sent(self.request.opcode);
        if !is_ours {
            return;
        }
        let Some(posted) = self.posted.pop_front() else { return };
        let ps = now.signed_ps_since(posted);
        self.idle.push(Reverse(self.measure.end_round(now, ps, completion.truth_ps())));
        self.completed += 1;
    }
}

impl Program for ClosedLoop {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for completion in seen {
            self.see(now, completion);
        }
        if self.measure.is_done() {
            return Next::Done;
        }
        while (self.posted.len() as u64) < self.measure.left() {
            match self.idle.peek() {
                None => break,
                Some(&Reverse(ready)) if now < ready => return Next::At(ready),
                Some(_) => self.idle.pop(),
            };
            let id = self.completed + self.posted.len() as u64;
            posts.post(WorkRequest { id, ..self.request });
            self.posted.push_back(now);
        }
        Next::Completion
    }
}
