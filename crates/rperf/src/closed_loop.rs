//! [`ClosedLoop`]: one request at a time.

use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::Time;

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
    /// How often to measure.
    pub rounds: Rounds,
}

/// A client with one request outstanding: posts, waits for the completion, thinks, posts again.
/// The latency is completion seen less request posted, with everything that either side adds.
#[derive(Debug, Clone)]
pub struct ClosedLoop {
    request: WorkRequest,
    measure: Box<Measure>,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Nothing is posted until then.
    Idle(Time),
    /// The request was posted then.
    Posted(Time),
}

impl ClosedLoop {
    /// A client that is about to begin.
    pub fn new(settings: ClosedLoopSettings) -> Self {
        let ClosedLoopSettings { qp, opcode, bytes, inline_max, rounds } = settings;
        let inline = opcode.carries_payload() && bytes <= inline_max;
        let request = WorkRequest { qp, id: 0, opcode, bytes, signaled: true, inline, ring: true };
        ClosedLoop { request, measure: Measure::new(rounds), state: State::Idle(Time::ZERO) }
    }

    /// What was measured so far: from posting to the completion seen.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        &mut self.measure
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        let State::Posted(posted) = self.state else { return };
        let is_ours = completion.qp == self.request.qp
            && completion.id == self.request.id
            && completion.kind == CompletionKind::Sent(self.request.opcode);
        if is_ours {
            let ps = now.signed_ps_since(posted);
            self.state = State::Idle(self.measure.end_round(now, ps, completion.truth_ps()));
            self.request.id += 1;
        }
    }
}

impl Program for ClosedLoop {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for completion in seen {
            self.see(now, completion);
        }
        match self.state {
            State::Posted(_) => Next::Completion,
            State::Idle(_) if self.measure.is_done() => Next::Done,
            State::Idle(ready) if now < ready => Next::At(ready),
            State::Idle(_) => {
                posts.post(self.request);
                self.state = State::Posted(now);
                Next::Completion
            }
        }
    }
}
