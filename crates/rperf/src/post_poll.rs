//! [`PostPoll`]: the method of qperf.

use crate::closed_loop::{ClosedLoop, ClosedLoopSettings};
use crate::measure::{Measure, Rounds};
use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program, Qp};
use bandwise_units::Time;

/// Settings of [`PostPoll`].
#[derive(Debug, Clone)]
pub struct PostPollSettings {
    /// Queue pair to the remote host (RC).
    pub qp: Qp,
    /// Payload in bytes.
    pub bytes: u32,
    /// Number of rounds.
    pub rounds: Rounds,
}

/// qperf's latency test: posts a WRITE, polls for its completion, and records the time between. The
/// remote software does not take part, but the PCIe of both sides does. The local RNIC fetches the
/// payload (it is never inline), and the remote RNIC may write the payload before it acknowledges.
///
/// qperf prints the mean alone, [`Latency::mean_ps`](crate::Latency::mean_ps); here every round is
/// recorded.
#[derive(Debug, Clone)]
pub struct PostPoll(ClosedLoop);

impl PostPoll {
    /// Creates a measurement.
    pub fn new(settings: PostPollSettings) -> Self {
        let PostPollSettings { qp, bytes, rounds } = settings;
        // With an inline limit of zero, only an empty message has no payload to fetch.
        let (opcode, inline_max) = (Opcode::Write, 0);
        PostPoll(ClosedLoop::new(ClosedLoopSettings {
            qp,
            opcode,
            bytes,
            inline_max,
            depth: 1,
            rounds,
        }))
    }

    /// Returns the measurement so far: times from posting to seeing the completion.
    pub fn measure(&self) -> &Measure {
        self.0.measure()
    }

    pub(crate) fn measure_mut(&mut self) -> &mut Measure {
        self.0.measure_mut()
    }
}

impl Program for PostPoll {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        self.0.step(now, seen, posts)
    }
}
