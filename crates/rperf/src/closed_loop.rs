//! [`ClosedLoop`]: one request at a time, or some.

use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What [`ClosedLoop`] is to do.
#[derive(Debug, Clone)]
pub struct ClosedLoopSettings {
    /// The queue pair.
    pub qp: Qp,
    /// What is asked each time; usually SEND or WRITE.
    pub opcode: Opcode,
    /// Payload, bytes.
    pub bytes: u32,
    /// The largest payload that travels inside the WQE, bytes.
    pub inline_max: u32,
    /// How many requests are under way at most (pipelining); at least 1.
    pub depth: u32,
    /// How often to measure. The pause after a round is that of its place among the `depth`: the others go on.
    pub rounds: Rounds,
}

/// A client with `depth` requests outstanding, usually one: each of them is posted, completes, and after a pause
/// makes place for another. The latency is completion seen less request posted, with everything that either side
/// adds, and with the time behind the requests that were posted before.
#[derive(Debug, Clone)]
pub struct ClosedLoop {
    /// What is posted each time, but for its id.
    request: WorkRequest,
    measure: Box<Measure>,
    /// When requests that are under way were posted, oldest first: a queue pair completes them in that order (IBTA
    /// 10.8.5).
    posted: VecDeque<Time>,
    /// How many have completed: the id of the oldest that is under way.
    completed: u64,
    /// From when on each of the other places may post, the earliest on top.
    idle: BinaryHeap<Reverse<Time>>,
}

impl ClosedLoop {
    /// A client that is about to begin. Panics if no request can be under way.
    pub fn new(settings: ClosedLoopSettings) -> Self {
        let ClosedLoopSettings { qp, opcode, bytes, inline_max, depth, rounds } = settings;
        assert!(depth > 0, "nothing is ever posted");
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

    /// What was measured so far: from posting to the completion seen.
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
