//! [`PingPongInitiator`] and [`PingPongResponder`]: the method of perftest.

use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{
    Completion, CompletionKind, Next, Opcode, Posts, Program, Qp, WorkRequest,
};
use bandwise_units::Time;

/// Settings of both sides of a ping-pong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingPongSettings {
    /// Queue pair to the other side.
    pub qp: Qp,
    /// SEND, or another operation that the driver reports to the receiver.
    pub opcode: Opcode,
    /// Payload of ping and pong in bytes.
    pub bytes: u32,
    /// Largest payload sent inline in the WQE, in bytes; see [`Self::PERFTEST_INLINE_MAX`].
    pub inline_max: u32,
    /// One message in this many is signaled; see [`Self::PERFTEST_SIGNAL_EVERY`]. The arrival of
    /// the pong implies that the others are complete.
    pub signal_every: u32,
}

impl PingPongSettings {
    /// Default inline limit of perftest for SEND on RC, in bytes.
    pub const PERFTEST_INLINE_MAX: u32 = 236;
    /// Default inline limit of perftest for WRITE, in bytes.
    pub const PERFTEST_INLINE_MAX_WRITE: u32 = 220;
    /// perftest's default distance between completions (`--cq-mod`).
    pub const PERFTEST_SIGNAL_EVERY: u32 = 100;

    /// Returns message number `id`, from 0.
    fn send(&self, id: u64) -> WorkRequest {
        WorkRequest {
            qp: self.qp,
            id,
            opcode: self.opcode,
            bytes: self.bytes,
            signaled: id.is_multiple_of(u64::from(self.signal_every.max(1))),
            inline: self.bytes <= self.inline_max,
            ring: true,
        }
    }

    fn is_message(&self, completion: &Completion) -> bool {
        completion.qp == self.qp && completion.kind == CompletionKind::Received
    }
}

/// The measuring side. It posts a ping, waits until the pong is received, and records the time
/// between as round trip. That includes the other side's software and both sides' PCIe. perftest's
/// `ib_send_lat` and `ib_write_lat` print half of it.
#[derive(Debug, Clone)]
pub struct PingPongInitiator {
    settings: PingPongSettings,
    measure: Box<Measure>,
    pings: u64,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// No ping is posted before that time.
    Idle(Time),
    /// Time at which the ping was posted.
    Posted(Time),
}

impl PingPongInitiator {
    /// Creates a measuring side.
    pub fn new(settings: PingPongSettings, rounds: Rounds) -> Self {
        let measure = Measure::new(rounds);
        PingPongInitiator { settings, measure, pings: 0, state: State::Idle(Time::ZERO) }
    }

    /// Returns the measurement so far: round trips from software to software.
    pub fn measure(&self) -> &Measure {
        &self.measure
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        &mut self.measure
    }
}

impl Program for PingPongInitiator {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for pong in seen.iter().filter(|c| self.settings.is_message(c)) {
            if let State::Posted(posted) = self.state {
                let ps = now.signed_ps_since(posted);
                self.state = State::Idle(self.measure.end_round(now, ps, pong.truth_ps()));
            }
        }
        match self.state {
            State::Posted(_) => Next::Completion,
            State::Idle(_) if self.measure.is_done() => Next::Done,
            State::Idle(ready) if now < ready => Next::At(ready),
            State::Idle(_) => {
                posts.post(self.settings.send(self.pings));
                self.pings += 1;
                self.state = State::Posted(now);
                Next::Completion
            }
        }
    }
}

/// The responding side: posts a pong for every message received, and never ends.
#[derive(Debug, Clone)]
pub struct PingPongResponder {
    settings: PingPongSettings,
    pongs: u64,
}

impl PingPongResponder {
    /// Creates a responding side.
    pub fn new(settings: PingPongSettings) -> Self {
        PingPongResponder { settings, pongs: 0 }
    }
}

impl Program for PingPongResponder {
    fn step(&mut self, _now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for _ping in seen.iter().filter(|c| self.settings.is_message(c)) {
            posts.post(self.settings.send(self.pongs));
            self.pongs += 1;
        }
        Next::Completion
    }
}
