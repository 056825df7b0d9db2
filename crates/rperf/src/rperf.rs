//! [`RPerf`]: the method of the paper (section IV).

use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::Time;

/// Settings of [`RPerf`].
#[derive(Debug, Clone)]
pub struct RPerfSettings {
    /// Queue pair to the remote host (RC).
    pub wire: Qp,
    /// Queue pair of the same RNIC, connected to itself or to another one of the host.
    pub loopback: Qp,
    /// Payload of both SENDs in bytes.
    pub bytes: u32,
    /// Largest payload sent inline in the WQE, in bytes.
    pub inline_max: u32,
    /// Number of rounds.
    pub rounds: Rounds,
}

/// RPerf's latency-sensitive generator. Each round posts a SEND over the wire, and directly after
/// it a SEND to the own RNIC. The loopback takes the time of the local side, so the difference of
/// the two completions is the time between the RNICs (equation 1):
///
/// ```text
/// RTT = (T_W - T_P) - (T_L - T_P) = T_W - T_L
/// ```
///
/// Both doorbells are rung back to back after both are posted. The remote RNIC acknowledges a SEND
/// on arrival, without its host. T_W and T_L are the times at which the completions are seen, in
/// either order: the difference may be negative, and is kept.
#[derive(Debug, Clone)]
pub struct RPerf {
    wire: Qp,
    loopback: Qp,
    bytes: u32,
    inline: bool,
    measure: Box<Measure>,
    /// Id of the round's SEND over the wire. The SEND over the loopback has the next id.
    id: u64,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// No pair is posted before that time.
    Idle(Time),
    /// The pair is in flight; completions seen of it.
    Posted { wire: Option<Seen>, loopback: Option<Seen> },
}

/// A completion that was seen.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Time at which the program saw the completion.
    at: Time,
    /// Ground truth in picoseconds, if known.
    truth_ps: Option<i64>,
    /// Completion time by the device's clock, if the device has one.
    stamp: Option<Time>,
}

impl RPerf {
    /// Creates a measurement.
    pub fn new(settings: RPerfSettings) -> Self {
        let RPerfSettings { wire, loopback, bytes, inline_max, rounds } = settings;
        let (inline, measure) = (bytes <= inline_max, Measure::new(rounds));
        RPerf { wire, loopback, bytes, inline, measure, id: 0, state: State::Idle(Time::ZERO) }
    }

    /// Returns the measurement so far: round trips from port to port.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        &mut self.measure
    }

    fn see(&mut self, now: Time, completion: &Completion) {
        let State::Posted { wire, loopback } = &mut self.state else { return };
        // RECVs that the loopback consumes are ignored.
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
            // By the device's clock, the difference does not depend on when the host polled.
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
