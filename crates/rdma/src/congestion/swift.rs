//! [`Swift`]: a window that keeps the round-trip time at a target.

use super::ack::AckInfo;
use super::path::{Path, bit_rate, seconds, whole_packets};
use bandwise_units::{BitRate, Time};

/// Parameters of Swift, for all flows.
///
/// The paper has no values. Defaults marked csg-htsim are those of that public simulator
/// (Broadcom), which calls them guesses.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct SwiftSettings {
    /// Excess of the target over the base round-trip time. The paper has a base target for one hop
    /// and a term per hop (section 3.5); here the path's known base round-trip time replaces both.
    /// 25 us, the queue that fills 40 Gbps for one round trip of IRN's default fabric.
    pub queueing: Time,
    /// fs_range, the largest addition of flow scaling to the target. csg-htsim: 100 us.
    pub scaling_range: Time,
    /// fs_min_cwnd, the window in packets below which scaling is largest, above 0. csg-htsim: 0.1.
    pub scaling_min: f64,
    /// fs_max_cwnd, the window in packets above which scaling is zero. csg-htsim: 100.
    pub scaling_max: f64,
    /// ai, packets by which the window grows in a round trip. csg-htsim: 1.
    pub increase: f64,
    /// β, the fraction of the relative excess over the target by which the window decreases, 0 to
    /// 1. csg-htsim: 0.8.
    pub decrease: f64,
    /// max_mdf, the largest fraction of the window removed by one decrease, 0 up to 1. csg-htsim:
    /// 0.5.
    pub max_decrease: f64,
    /// min_cwnd, the smallest window in packets, above 0. csg-htsim: 0.01.
    pub min_window: f64,
    /// RETX_RESET_THRESHOLD: consecutive timeouts after which the window is the smallest.
    /// csg-htsim: 5.
    pub reset_after: u32,
}

impl Default for SwiftSettings {
    fn default() -> Self {
        SwiftSettings {
            queueing: Time::from_us(25),
            scaling_range: Time::from_us(100),
            scaling_min: 0.1,
            scaling_max: 100.0,
            increase: 1.0,
            decrease: 0.8,
            max_decrease: 0.5,
            min_window: 0.01,
            reset_after: 5,
        }
    }
}

impl SwiftSettings {
    /// Returns the addition of flow scaling to the target of a flow with this window, in ps
    /// (section 3.5): `min(α/√W + β, fs_range)`, not below zero, with `α = fs_range / (1/√fs_min -
    /// 1/√fs_max)` and `β = -α/√fs_max`.
    ///
    /// Small windows indicate many flows, and the queue that many flows need to fill a link grows
    /// with the square root of their number.
    fn scaling(&self, window: f64) -> f64 {
        let range = self.scaling_range.as_ps() as f64;
        let at_max = 1.0 / self.scaling_max.sqrt();
        let alpha = range / (1.0 / self.scaling_min.sqrt() - at_max);
        let scaling = alpha * (1.0 / window.sqrt() - at_max);
        // Not `clamp`: with equal limits α is infinite and the product may be NaN.
        scaling.min(range).max(0.0)
    }
}

/// The window of a Swift flow (Kumar et al., SIGCOMM 2020, section 3.2, algorithm 1), in packets:
///
/// ```text
/// ACK of n packets, rtt < target:  W += ai n / W      (W >= 1)
///                                  W += ai n          (W < 1)
///                   otherwise:     W *= max(1 - β (rtt - target) / rtt, 1 - max_mdf)
/// loss, timeout:                   W *= 1 - max_mdf
/// several timeouts in a row:       W = min_cwnd
/// ```
///
/// All decreases but the last occur at most once per round trip. Below one packet, a packet is sent
/// every rtt / W. The target is the base round-trip time, [a queue](SwiftSettings::queueing) and
/// the scaling with the number of flows (section 3.5).
///
/// The paper's hosts have a second window, for the delay in the receiving host (section 3.3). Hosts
/// here receive at line rate, so the fabric's window is the smaller one. The largest window,
/// max_cwnd, fills the path at line rate up to the target.
#[derive(Debug, Clone)]
pub struct Swift {
    /// W, packets.
    window: f64,
    /// max_cwnd, packets.
    max: f64,
    /// The target without scaling.
    base_target: Time,
    /// Round-trip time of the last ACK.
    rtt: Time,
    /// Time from which the window may decrease again: a round trip after the last decrease.
    can_decrease_at: Time,
    /// Bits of a full packet.
    packet_bits: f64,
    /// Line rate, bps.
    line: f64,
    /// Timeouts since the last ACK or loss.
    timeouts: u32,
}

impl Swift {
    /// Creates a flow that fills its path.
    pub fn new(settings: &SwiftSettings, path: &Path) -> Self {
        let base_target = path.base_rtt.saturating_add(settings.queueing);
        let packet_bits = path.packet.bits() as f64;
        let window = path.packets_in_flight();
        Swift {
            window,
            max: (path.bits_in(base_target) / packet_bits).max(window),
            base_target,
            rtt: path.base_rtt,
            can_decrease_at: Time::ZERO,
            packet_bits,
            line: path.line_rate.as_bps() as f64,
            timeouts: 0,
        }
    }

    /// Processes an ACK.
    #[inline]
    pub fn on_ack(&mut self, settings: &SwiftSettings, ack: &AckInfo) {
        self.timeouts = 0;
        // A time of zero would be an unlimited rate.
        self.rtt = ack.rtt.max(Time::from_ps(1));
        let rtt = self.rtt.as_ps() as f64;
        let mut target = self.base_target.as_ps() as f64;
        // Scaling never lowers the target, so most ACKs need no square root.
        if rtt >= target && self.window < settings.scaling_max {
            target += settings.scaling(self.window);
        }
        if rtt < target {
            let step = settings.increase * f64::from(ack.acked);
            let window = self.window + if self.window >= 1.0 { step / self.window } else { step };
            self.window = window.min(self.max);
        } else {
            let factor = 1.0 - settings.decrease * (rtt - target) / rtt;
            self.shrink(settings, ack.now, factor);
        }
    }

    /// Processes the start of a recovery.
    pub fn on_loss(&mut self, settings: &SwiftSettings, now: Time) {
        self.timeouts = 0;
        self.shrink(settings, now, 0.0);
    }

    /// Processes an expired retransmission timer.
    pub fn on_timeout(&mut self, settings: &SwiftSettings, now: Time) {
        self.timeouts = self.timeouts.saturating_add(1);
        if self.timeouts >= settings.reset_after {
            self.window = settings.min_window;
            self.can_decrease_at = now.saturating_add(self.rtt);
        } else {
            self.shrink(settings, now, 0.0);
        }
    }

    /// Returns W in whole packets.
    #[inline]
    pub fn window(&self) -> u32 {
        whole_packets(self.window)
    }

    /// Returns the rate of a packet every rtt / W while W is below one.
    #[inline]
    pub fn rate(&self) -> Option<BitRate> {
        let bps = || self.packet_bits * self.window / seconds(self.rtt);
        (self.window < 1.0).then(|| bit_rate(bps().min(self.line)))
    }

    /// Decreases the window to `factor`, but by at most max_mdf, once per round trip.
    fn shrink(&mut self, settings: &SwiftSettings, now: Time, factor: f64) {
        if now < self.can_decrease_at {
            return;
        }
        let factor = factor.max(1.0 - settings.max_decrease);
        self.window = (self.window * factor).max(settings.min_window);
        self.can_decrease_at = now.saturating_add(self.rtt);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{self, PATH, Testbed};
    use super::super::{Algorithm, CongestionSettings};
    use super::*;
    use bandwise_units::Bytes;

    const US: fn(u64) -> Time = Time::from_us;

    #[test]
    fn scaling_is_largest_for_small_windows_and_zero_for_large() {
        let settings = SwiftSettings::default();
        assert_eq!(settings.scaling(0.05), 100e6);
        assert_eq!(settings.scaling(100.0), 0.0);
        assert_eq!(settings.scaling(400.0), 0.0);
        // α = 100 us / (√10 - 1/10) = 32.655 us; at one packet 0.9 α.
        assert!((settings.scaling(1.0) - 29.389_889e6).abs() < 1.0, "{}", settings.scaling(1.0));
    }

    #[test]
    fn the_window_decreases_by_the_excess_once_per_round_trip() {
        let settings = SwiftSettings::default();
        // The window of 120 packets is beyond scaling: the target is 24 + 25 = 49 us.
        let mut flow = Swift::new(&settings, &PATH);
        assert_eq!((flow.window(), flow.max), (120, 245.0));
        flow.on_ack(&settings, &testbed::ack(US(100), US(48), 60));
        assert_eq!(flow.window, 120.5);
        // 70 us: 1 - 0.8 * 21/70 = 0.76.
        flow.on_ack(&settings, &testbed::ack(US(110), US(70), 1));
        assert!((flow.window - 91.58).abs() < 1e-9, "{flow:?}");
        flow.on_ack(&settings, &testbed::ack(US(179), US(70), 1));
        flow.on_loss(&settings, US(179));
        assert!((flow.window - 91.58).abs() < 1e-9, "within 70 us");
        flow.on_loss(&settings, US(180));
        assert!((flow.window - 45.79).abs() < 1e-9, "half");
        // 1000 us: never by more than half.
        flow.on_ack(&settings, &testbed::ack(US(1000), US(1000), 1));
        assert!((flow.window - 22.895).abs() < 1e-9, "{flow:?}");
    }

    #[test]
    fn below_one_packet_the_flow_is_paced() {
        let settings = SwiftSettings::default();
        let mut flow = Swift::new(&settings, &PATH);
        flow.on_ack(&settings, &testbed::ack(US(24), US(50), 1));
        for n in 1..5 {
            flow.on_timeout(&settings, Time::from_ms(n));
        }
        assert_eq!(flow.rate(), None);
        flow.on_timeout(&settings, Time::from_ms(5));
        // 0.01 packets of 1000 B in 50 us: 80 bits in 50 us.
        assert_eq!((flow.window(), flow.rate()), (1, Some(BitRate::from_bps(1_600_000))));
        // The target is then 24 + 25 + 100 us: + ai.
        flow.on_ack(&settings, &testbed::ack(Time::from_ms(9), US(140), 1));
        assert_eq!((flow.window, flow.rate()), (1.01, None));
    }

    #[test]
    fn two_flows_share_a_link_at_the_target() {
        // Not a whole number of packets. Round trips here are multiples of a packet time; one that
        // equals the target to the picosecond would never change.
        let queueing = Time::from_ns(25_100);
        let swift = SwiftSettings { queueing, ..SwiftSettings::default() };
        let settings = CongestionSettings {
            algorithm: Algorithm::Swift,
            swift,
            ..CongestionSettings::default()
        };
        let starts = [Time::ZERO, Time::from_ms(2)];
        let bed = Testbed { starts, ..testbed::lossless(settings) };
        let shares = bed.run(Time::from_ms(50), Time::from_ms(150));
        shares.assert_fair(0.1);
        shares.assert_used(0.99);
        // 25.1 us at 40 Gbps are 125.5 KB; a round trip's growth comes on top.
        assert!(shares.longest_queue < Bytes::new(130_000), "{shares:?}");
    }
}
