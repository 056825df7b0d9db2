//! [`Dctcp`]: a window that decreases by the fraction of marked packets.

use super::ack::AckInfo;
use super::aimd::Window;
use super::path::Path;
use super::round::Round;

/// Parameters of DCTCP, for all flows.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct DctcpSettings {
    /// g, the weight of one round trip in α, above 0 up to 1. Section 4: 1/16.
    pub gain: f64,
    /// Packets by which the window grows in a round trip. As TCP (section 3.1): 1.
    pub increase: f64,
    /// Fraction of the window that remains after a loss, 0 to 1. As TCP: 1/2.
    pub decrease: f64,
}

impl Default for DctcpSettings {
    fn default() -> Self {
        DctcpSettings { gain: 1.0 / 16.0, increase: 1.0, decrease: 0.5 }
    }
}

/// The window of a DCTCP flow (Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3.1,
/// equations 1 and 2; RFC 8257 section 3.3).
///
/// At the end of each round trip, with F the fraction of its packets that were marked:
///
/// ```text
/// α = (1 - g) α + g F
/// W = W (1 - α/2)              if F > 0
/// ```
///
/// It grows and reacts to loss as [`Aimd`](super::Aimd) does. α starts at 1, as in Linux
/// (`dctcp_alpha_on_init`), so a new flow that meets a queue halves.
#[derive(Debug, Clone)]
pub struct Dctcp {
    window: Window,
    alpha: f64,
    round: Round,
    /// Packets acknowledged in this round trip.
    acked: u32,
    /// Marked packets among those.
    marked: u32,
}

impl Dctcp {
    /// Creates a flow that fills its path.
    pub fn new(path: &Path) -> Self {
        Dctcp {
            window: Window::new(path),
            alpha: 1.0,
            round: Round::default(),
            acked: 0,
            marked: 0,
        }
    }

    /// Processes an ACK.
    #[inline]
    pub fn on_ack(&mut self, settings: &DctcpSettings, ack: &AckInfo) {
        self.acked = self.acked.saturating_add(ack.acked);
        if ack.marked {
            self.marked = self.marked.saturating_add(ack.acked);
        }
        self.window.grow(settings.increase, ack);
        if self.round.on_ack(ack.acked, ack.in_flight) {
            self.end_round(settings);
        }
    }

    /// Processes the start of a recovery.
    pub fn on_loss(&mut self, settings: &DctcpSettings) {
        self.window.shrink_to(settings.decrease);
    }

    /// Processes an expired retransmission timer.
    pub fn on_timeout(&mut self, settings: &DctcpSettings) {
        self.window.restart(settings.decrease);
    }

    /// Returns W in whole packets.
    #[inline]
    pub fn window(&self) -> u32 {
        self.window.whole()
    }

    fn end_round(&mut self, settings: &DctcpSettings) {
        let fraction = f64::from(self.marked) / f64::from(self.acked.max(1));
        self.alpha = (1.0 - settings.gain) * self.alpha + settings.gain * fraction;
        if self.marked > 0 {
            self.window.shrink_to(1.0 - self.alpha / 2.0);
        }
        self.acked = 0;
        self.marked = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{self, PATH, Testbed};
    use super::super::{Algorithm, CongestionSettings, RedMarker};
    use super::*;
    use bandwise_units::{Bytes, Time};

    fn ack(flow: &mut Dctcp, in_flight: u32, marked: bool) {
        let ack = testbed::ack(Time::ZERO, Time::from_us(24), 1);
        flow.on_ack(&DctcpSettings::default(), &AckInfo { in_flight, marked, ..ack });
    }

    #[test]
    fn the_window_decreases_by_half_of_alpha_once_per_round_trip() {
        let mut flow = Dctcp::new(&PATH);
        assert_eq!(flow.window(), 120);
        // The first ACK is a round of its own, without a mark: α = 15/16.
        ack(&mut flow, 4, false);
        assert_eq!((flow.alpha, flow.window()), (0.9375, 120));
        // One mark in four: α = 15/16 * 15/16 + 1/64 = 0.89453125; 120 (1 - α/2) = 66.3.
        ack(&mut flow, 4, true);
        ack(&mut flow, 4, false);
        ack(&mut flow, 4, false);
        assert_eq!(flow.window(), 120, "not before the round's end");
        ack(&mut flow, 4, false);
        assert_eq!((flow.alpha, flow.window()), (0.894_531_25, 66));
        for _ in 0..4 {
            ack(&mut flow, 4, false);
        }
        assert_eq!((flow.alpha, flow.window()), (0.894_531_25 * 0.9375, 66), "no mark, no cut");
    }

    #[test]
    fn two_flows_share_a_link_with_a_short_queue() {
        let settings =
            CongestionSettings { algorithm: Algorithm::Dctcp, ..CongestionSettings::default() };
        let shares = Testbed {
            marker: Some(RedMarker::step(Bytes::new(40_000))),
            starts: [Time::ZERO, Time::from_ms(2)],
            ..testbed::lossless(settings)
        }
        .run(Time::from_ms(20), Time::from_ms(60));
        shares.assert_fair(0.1);
        shares.assert_used(0.95);
        assert!(shares.longest_queue < Bytes::new(60_000), "{shares:?}");
    }
}
