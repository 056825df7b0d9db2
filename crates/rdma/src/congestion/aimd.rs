//! [`Aimd`]: the congestion window of TCP.

use super::ack::AckInfo;
use super::path::{Path, whole_packets};

/// Parameters of AIMD (additive increase, multiplicative decrease), for all flows.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct AimdSettings {
    /// Packets by which the window grows in a round trip. RFC 5681 3.1: 1.
    pub increase: f64,
    /// Fraction of the window that remains after a loss, 0 to 1. RFC 5681 3.1: 1/2.
    pub decrease: f64,
}

impl Default for AimdSettings {
    fn default() -> Self {
        AimdSettings { increase: 1.0, decrease: 0.5 }
    }
}

/// The window of an AIMD flow (RFC 5681 section 3.1, as IRN 4.4.4 uses it), in packets:
///
/// ```text
/// ACK of n packets, W below the threshold:  W += n         (slow start)
///                   otherwise:              W += n / W     (one packet a round trip)
/// loss, once a recovery:                    W = threshold = max(W / 2, 1)
/// timeout:                                  threshold = max(W / 2, 2), W = 1
/// ```
///
/// The initial window fills the path at line rate (IRN 4.1), so slow start only follows a timeout.
/// The window grows only while it limits the flow: unused growth would later be spent in one burst
/// (RFC 7661).
#[derive(Debug, Clone)]
pub struct Aimd {
    window: Window,
}

/// A window with the growth of TCP's.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// Packets, at least 1.
    packets: f64,
    /// Threshold at which slow start ends.
    threshold: f64,
}

/// Larger than any number of packets that a flow can have in flight: 4 GB of 1 KB.
const MAX_WINDOW: f64 = (1u32 << 22) as f64;

impl Window {
    pub(super) fn new(path: &Path) -> Self {
        let packets = path.packets_in_flight().min(MAX_WINDOW);
        Window { packets, threshold: packets }
    }

    #[inline]
    pub(super) fn grow(&mut self, increase: f64, ack: &AckInfo) {
        // Before this ACK, the flow had used its whole window.
        if ack.in_flight.saturating_add(ack.acked) < self.whole() {
            return;
        }
        let acked = f64::from(ack.acked);
        let growth =
            if self.packets < self.threshold { acked } else { acked * increase / self.packets };
        self.packets = (self.packets + growth).min(MAX_WINDOW);
    }

    pub(super) fn shrink_to(&mut self, fraction: f64) {
        self.packets = (self.packets * fraction).max(1.0);
        self.threshold = self.packets;
    }

    pub(super) fn restart(&mut self, fraction: f64) {
        self.threshold = (self.packets * fraction).max(2.0);
        self.packets = 1.0;
    }

    #[inline]
    pub(super) fn whole(&self) -> u32 {
        whole_packets(self.packets)
    }
}

impl Aimd {
    /// Creates a flow that fills its path.
    pub fn new(path: &Path) -> Self {
        Aimd { window: Window::new(path) }
    }

    /// Processes an ACK.
    #[inline]
    pub fn on_ack(&mut self, settings: &AimdSettings, ack: &AckInfo) {
        self.window.grow(settings.increase, ack);
    }

    /// Processes the start of a recovery.
    pub fn on_loss(&mut self, settings: &AimdSettings) {
        self.window.shrink_to(settings.decrease);
    }

    /// Processes an expired retransmission timer.
    pub fn on_timeout(&mut self, settings: &AimdSettings) {
        self.window.restart(settings.decrease);
    }

    /// Returns W in whole packets.
    #[inline]
    pub fn window(&self) -> u32 {
        self.window.whole()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{self, Testbed};
    use super::super::{Algorithm, CongestionSettings};
    use super::*;
    use bandwise_units::{BitRate, Bytes, Time};

    /// A path of ten packets.
    const TEN: Path = Path {
        line_rate: BitRate::from_gbps(8),
        base_rtt: Time::from_us(10),
        packet: Bytes::new(1_000),
    };

    fn acks(flow: &mut Aimd, count: u32) {
        for _ in 0..count {
            let in_flight = flow.window() - 1;
            let ack = AckInfo { in_flight, ..testbed::ack(Time::ZERO, Time::from_us(10), 1) };
            flow.on_ack(&AimdSettings::default(), &ack);
        }
    }

    #[test]
    fn the_window_grows_by_one_per_round_trip_and_halves_after_a_loss() {
        let settings = AimdSettings::default();
        let mut flow = Aimd::new(&TEN);
        assert_eq!(flow.window(), 10);
        acks(&mut flow, 10);
        // 10 + 1/10 + 1/10.1 + ... is slightly below 11 after ten ACKs, and above after eleven.
        assert_eq!(flow.window(), 10);
        acks(&mut flow, 1);
        assert_eq!(flow.window(), 11);
        flow.on_loss(&settings);
        assert_eq!(flow.window(), 5);
        for _ in 0..10 {
            flow.on_loss(&settings);
        }
        assert_eq!(flow.window(), 1);
        acks(&mut flow, 1);
        assert_eq!(flow.window(), 2, "the window never falls below one packet");
    }

    #[test]
    fn slow_start_after_a_timeout_ends_at_half() {
        let mut flow = Aimd::new(&TEN);
        flow.on_timeout(&AimdSettings::default());
        let mut windows = Vec::new();
        for _ in 0..5 {
            windows.push(flow.window());
            let round = flow.window();
            acks(&mut flow, round);
        }
        // Doubling to 4, one more to the threshold of 5, then three quarters of a packet and so on.
        assert_eq!(windows, [1, 2, 4, 5, 6]);
    }

    #[test]
    fn an_unused_window_does_not_grow() {
        let mut flow = Aimd::new(&TEN);
        for _ in 0..100 {
            let ack = AckInfo { in_flight: 8, ..testbed::ack(Time::ZERO, Time::from_us(10), 1) };
            flow.on_ack(&AimdSettings::default(), &ack);
        }
        assert_eq!(flow.window(), 10);
    }

    #[test]
    fn two_flows_share_a_link() {
        let settings =
            CongestionSettings { algorithm: Algorithm::Aimd, ..CongestionSettings::default() };
        let shares = Testbed {
            buffer: Bytes::new(240_000),
            starts: [Time::ZERO, Time::from_ms(2)],
            ..testbed::lossless(settings)
        }
        .run(Time::from_ms(50), Time::from_ms(250));
        assert!(shares.losses > 0, "{shares:?}");
        shares.assert_fair(0.1);
        shares.assert_used(0.9);
    }
}
