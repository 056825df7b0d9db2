//! [`RPerf`]: the method of the paper (section IV).

use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::Time;

/// What [`RPerf`] is to do.
#[derive(Debug, Clone)]
pub struct RPerfSettings {
    /// The queue pair to the remote host (RC).
    pub wire: Qp,
    /// A queue pair of the same RNIC, connected to itself or to another of the same host.
    pub loopback: Qp,
    /// Payload of both SENDs, bytes.
    pub bytes: u32,
    /// The largest payload that travels inside the WQE, bytes.
    pub inline_max: u32,
    /// How often to measure.
    pub rounds: Rounds,
}

/// RPerf's latency-sensitive generator: each round posts a SEND over the wire and, right behind,
/// one to the own RNIC. The loopback takes what the local side takes, so that the difference of
/// the two completions is the time between the RNICs (equation 1):
///
/// ```text
/// RTT = (T_W - T_P) - (T_L - T_P) = T_W - T_L
/// ```
///
/// Both doorbells are rung back to back after both are posted. A SEND is acknowledged by the
/// remote RNIC on arrival, without its host. T_W and T_L are when the completions are seen, in
/// whichever order they come: the difference may be negative, and is kept.
#[derive(Debug, Clone)]
pub struct RPerf {
    wire: Qp,
    loopback: Qp,
    bytes: u32,
    inline: bool,
    measure: Box<Measure>,
    /// The id of the round's SEND over the wire; that of its loopback is one more.
    id: u64,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Nothing is posted until then.
    Idle(Time),
    /// The pair is on its way; what has been seen of it.
    Posted { wire: Option<Seen>, loopback: Option<Seen> },
}

/// A completion.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// When it was seen.
    at: Time,
    /// What was true, in picoseconds, if somebody tells.
    truth_ps: Option<i64>,
    /// When it ended by the device's clock, if that tells.
    stamp: Option<Time>,
}

impl RPerf {
    /// A measurement that is about to begin.
    pub fn new(settings: RPerfSettings) -> Self {
        let RPerfSettings { wire, loopback, bytes, inline_max, rounds } = settings;
        let (inline, measure) = (bytes <= inline_max, Measure::new(rounds));
        RPerf { wire, loopback, bytes, inline, measure, id: 0, state: State::Idle(Time::ZERO) }
    }

    /// What was measured so far: round trips from port to port.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        &mut self.measure
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        let State::Posted { wire, loopback } = &mut self.state else { return };
        // The RECVs that the loopback consumes are none of our business.
        if completion.kind != CompletionKind::Sent(Opcode::Send) {
            return;
        }
        let seen = Seen { at: now, truth_ps: completion.truth_ps(), stamp: completion.stamp };
        if completion.qp == self.wire && completion.id == self.id {
            *wire = Some(seen);
        } else if completion.qp == self.loopback && completion.id == self.id + 1 {
            *loopback = Some(seen);
        }
        if let (Some(wire), Some(loopback)) = (*wire, *loopback) {
            // By the device's clock the same difference has nothing of when the host looked.
            let stamps = wire.stamp.zip(loopback.stamp).map(|(w, l)| w.signed_ps_since(l));
            let ps = wire.at.signed_ps_since(loopback.at);
            let ready = self.measure.end_round(now, ps, wire.truth_ps.or(stamps));
            self.state = State::Idle(ready);
            self.id += 2;
        }
    }

    fn send(&self, qp: Qp, id: u64, ring: bool) -> WorkRequest {
        let (bytes, inline) = (self.bytes, self.inline);
        WorkRequest { qp, id, opcode: Opcode::Send, bytes, signaled: true, inline, ring }
    }
}

impl Program for RPerf {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for completion in seen {
            self.see(now, completion);
        }
        match self.state {
            State::Posted { .. } => Next::Completion,
            State::Idle(_) if self.measure.is_done() => Next::Done,
            State::Idle(ready) if now < ready => Next::At(ready),
            State::Idle(_) => {
                posts.post(self.send(self.wire, self.id, false));
                posts.post(self.send(self.loopback, self.id + 1, true));
                self.state = State::Posted { wire: None, loopback: None };
                Next::Completion
            }
        }
    }
}
