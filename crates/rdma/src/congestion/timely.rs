//! [`Timely`]: a rate controlled by the gradient of the round-trip time.

use super::ack::AckInfo;
use super::path::{Path, bit_rate};
use bandwise_units::{BitRate, Bytes, Time};

/// Parameters of Timely, for all flows. The defaults are those of the paper's section 6 where it
/// has them, which IRN 4.1 also uses.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct TimelySettings {
    /// Acknowledged bytes per update of the rate; at least one ACK. Section 6 has completions of 16
    /// KB, since its hosts post segments of that size. A NIC sees every packet (IRN 4.1: "a
    /// NIC-based Timely implementation"), so here each ACK is a completion. With 16 KB, rates
    /// recover 16 times as slowly.
    pub segment: Bytes,
    /// α, the weight of a new difference of round-trip times in their average, above 0 up to 1. The
    /// paper has no value. The code snippet of its first author, also an author of IRN, recommends
    /// 0.02. "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY" (CoNEXT 2016),
    /// footnote 4, has 0.875, with which a brief growth of the queue stops a flow that sees each
    /// packet.
    pub ewma: f64,
    /// D_minRTT, which normalises gradients; not zero. The paper has no value. 20 us is from "ECN
    /// or Delay", footnote 4.
    pub min_rtt: Time,
    /// Round-trip time below which the rate increases for any gradient. Section 6: 50 us.
    pub low: Time,
    /// Round-trip time above which the rate decreases for any gradient. Section 6: 500 us.
    pub high: Time,
    /// δ, a step of increase. Section 6: 10 Mbps.
    pub additive_increase: BitRate,
    /// β, the weight of an excess in a decrease of the rate, 0 to 1. Section 6: 0.8.
    pub decrease: f64,
    /// Smallest fraction of the rate that remains after one update; 0 to 1. The paper's algorithm
    /// has no such floor, but a gradient above 1/β would make the rate negative. The code snippet
    /// of Timely's author has 0.5.
    pub floor: f64,
    /// Number of consecutive updates without a positive gradient after which steps are `N` = 5
    /// times as large (hyperactive increase, HAI). Section 4.3: 5.
    pub hyper_after: u32,
    /// Lowest rate of a flow. The paper has no value; one step of increase.
    pub min_rate: BitRate,
    /// Fraction of the rate that remains after a loss, 0 to 1. The paper does not react to loss, so
    /// the default is 1. IRN 4.3 has "explicitly backing off on losses" without a value.
    pub back_off: f64,
}

/// N of the hyperactive increase, section 4.3.
const HYPER: f64 = 5.0;

impl Default for TimelySettings {
    fn default() -> Self {
        TimelySettings {
            segment: Bytes::ZERO,
            ewma: 0.02,
            min_rtt: Time::from_us(20),
            low: Time::from_us(50),
            high: Time::from_us(500),
            additive_increase: BitRate::from_bps(10_000_000),
            decrease: 0.8,
            floor: 0.5,
            hyper_after: 5,
            min_rate: BitRate::from_bps(10_000_000),
            back_off: 1.0,
        }
    }
}

/// The sender of a Timely flow (Mittal et al., SIGCOMM 2015, section 4.3, algorithm 1).
///
/// At each completion with round-trip time `rtt`:
///
/// ```text
/// diff     = (1 - α) diff + α (rtt - previous rtt)
/// gradient = diff / D_minRTT
/// rtt < T_low:   R += δ
/// rtt > T_high:  R *= 1 - β (1 - T_high / rtt)
/// gradient <= 0: R += N δ       N = 5 after five of these in a row, else 1
/// otherwise:     R *= 1 - β gradient
/// ```
///
/// A loss or a timeout, if [enabled](TimelySettings::back_off), causes `R *= back_off` and resets
/// the count of five. Both occur once per recovery, which takes a round trip, so there is no other
/// limit.
///
/// The paper's hosts post segments of 16 to 64 KB with one completion each. Here every packet is
/// paced and acknowledged, as by an RNIC with Timely (IRN 4.1). The ACK that completes [a
/// segment](TimelySettings::segment) of bytes therefore acts as the completion, with the round-trip
/// time of that ACK's packet. That time excludes the serialisation of the segment, which the paper
/// subtracts (section 3), but includes the packet's own (0.2 us of 1 KB at 40 Gbps).
///
/// "ECN or Delay" (section 4.2) shows that rates of flows may remain unequal: the gradient is zero
/// whenever the sum of rates equals the link's.
#[derive(Debug, Clone)]
pub struct Timely {
    /// Line rate, bps.
    line: f64,
    /// R, bps.
    rate: f64,
    /// Moving average of differences, ps.
    diff: f64,
    /// Round-trip time of the last update; zero before the first.
    previous: Time,
    /// Bytes acknowledged since the last update.
    bytes: u64,
    /// Consecutive updates without a positive gradient.
    streak: u32,
}

impl Timely {
    /// Creates a flow at line rate.
    pub fn new(path: &Path) -> Self {
        let line = path.line_rate.as_bps() as f64;
        Timely { line, rate: line, diff: 0.0, previous: Time::ZERO, bytes: 0, streak: 0 }
    }

    /// Processes an ACK.
    #[inline]
    pub fn on_ack(&mut self, settings: &TimelySettings, ack: &AckInfo) {
        self.bytes += u64::from(ack.bytes);
        if self.bytes >= settings.segment.get() {
            self.bytes = 0;
            self.update(settings, ack.rtt);
        }
    }

    /// Processes the start of a recovery, or an expired retransmission timer.
    pub fn on_loss(&mut self, settings: &TimelySettings) {
        if settings.back_off < 1.0 {
            self.streak = 0;
            let least = settings.min_rate.as_bps() as f64;
            self.rate = (self.rate * settings.back_off).max(least).min(self.line);
        }
    }

    /// Returns R, or `None` at line rate.
    #[inline]
    pub fn rate(&self) -> Option<BitRate> {
        (self.rate < self.line).then(|| bit_rate(self.rate))
    }

    fn update(&mut self, settings: &TimelySettings, rtt: Time) {
        let previous = if self.previous == Time::ZERO { rtt } else { self.previous };
        self.previous = rtt;
        let new_diff = rtt.signed_ps_since(previous) as f64;
        self.diff = (1.0 - settings.ewma) * self.diff + settings.ewma * new_diff;
        let gradient = self.diff / settings.min_rtt.as_ps() as f64;
        self.streak = if gradient <= 0.0 { self.streak.saturating_add(1) } else { 0 };

        let step = settings.additive_increase.as_bps() as f64;
        let rate = if rtt < settings.low {
            self.rate + step
        } else if rtt > settings.high {
            let excess = 1.0 - settings.high.as_ps() as f64 / rtt.as_ps() as f64;
            self.rate * (1.0 - settings.decrease * excess)
        } else if gradient <= 0.0 {
            let hyper = self.streak >= settings.hyper_after;
            self.rate + if hyper { HYPER * step } else { step }
        } else {
            self.rate * (1.0 - settings.decrease * gradient)
        };
        let least = (self.rate * settings.floor).max(settings.min_rate.as_bps() as f64);
        self.rate = rate.max(least).min(self.line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{self, PATH, Testbed};
    use super::super::{Algorithm, CongestionSettings};
    use super::*;

    /// Returns the rates of a flow with the given round-trip times, one per ACK. An α of 7/8 makes
    /// sums easy.
    fn rates(rtts_us: &[u64]) -> Vec<f64> {
        let settings = TimelySettings { ewma: 0.875, ..TimelySettings::default() };
        let mut flow = Timely::new(&PATH);
        let mut now = Time::ZERO;
        let update = |&us| {
            now += settings.min_rtt;
            let ack = testbed::ack(now, Time::from_us(us), 16);
            flow.on_ack(&settings, &ack);
            flow.rate / 1e6
        };
        rtts_us.iter().map(update).collect()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-6, "{found:?}, not {expected:?}");
        }
    }

    #[test]
    fn the_gradient_decides_between_the_thresholds() {
        // 60, then 62 us: diff 0.875 * 2 = 1.75 us, gradient 0.0875, 40 (1 - 0.8 * 0.0875) = 37.2.
        // 60 us: diff 0.125 * 1.75 - 1.75 = -1.53125 us: + 10 Mbps.
        assert_close(&rates(&[60, 62, 60]), &[40_000.0, 37_200.0, 37_210.0]);
        // 40 us: below T_low, though the time increases to 45.
        assert_close(&rates(&[60, 62, 40, 45]), &[40_000.0, 37_200.0, 37_210.0, 37_220.0]);
    }

    #[test]
    fn above_the_upper_threshold_the_rate_decreases_by_the_excess() {
        // 1000 us: 1 - 0.8 (1 - 1/2) = 0.6. The gradient is zero.
        assert_close(&rates(&[1000, 1000]), &[24_000.0, 14_400.0]);
    }

    #[test]
    fn five_updates_without_rise_are_hyperactive_and_the_floor_is_half() {
        // 60 to 160 us: gradient 0.875 * 5, far above 1/β: half. Then decreasing: -31.25/8..., four
        // single steps, then five at once.
        let falling = [60, 160, 150, 140, 130, 120, 110, 100, 99, 98];
        let found = rates(&falling);
        // diff: 87.5, then 2.1875, -8.4765625, -9.81, ... so the rate still decreases at the first
        // of these: gradient 0.109375, 20 (1 - 0.0875) = 18.25.
        let expected = [
            40e3, 20e3, 18_250.0, 18_260.0, 18_270.0, 18_280.0, 18_290.0, 18_340.0, 18_390.0,
            18_440.0,
        ];
        assert_close(&found, &expected);
    }

    #[test]
    fn a_loss_backs_off_if_enabled() {
        let usual = TimelySettings::default();
        let settings = TimelySettings { back_off: 0.5, ..usual };
        let mut flow = Timely::new(&PATH);
        flow.on_loss(&usual);
        assert_eq!(flow.rate(), None);
        let ack = testbed::ack(Time::from_us(60), Time::from_us(60), 1);
        for _ in 0..5 {
            flow.on_ack(&settings, &ack);
        }
        flow.on_loss(&settings);
        assert_eq!(flow.rate(), Some(BitRate::from_gbps(20)));
        // One step, not five: the count starts again.
        flow.on_ack(&settings, &ack);
        assert_eq!(flow.rate(), Some(BitRate::from_bps(20_010_000_000)));
        for _ in 0..20 {
            flow.on_loss(&settings);
        }
        assert_eq!(flow.rate(), Some(settings.min_rate));
    }

    #[test]
    fn an_update_takes_a_segment() {
        let settings = TimelySettings { segment: Bytes::new(16_000), ..TimelySettings::default() };
        let mut flow = Timely::new(&PATH);
        let rtt = Time::from_us(1000);
        flow.on_ack(&settings, &testbed::ack(Time::from_us(30), rtt, 15));
        assert_eq!(flow.rate(), None, "15 of 16 KB");
        flow.on_ack(&settings, &testbed::ack(Time::from_us(31), rtt, 1));
        assert_eq!(flow.rate(), Some(BitRate::from_gbps(24)));
    }

    /// Fairness is not guaranteed (see the type), but the link is used and the queue bounded.
    #[test]
    fn two_flows_use_a_link_and_keep_the_queue_bounded() {
        let settings =
            CongestionSettings { algorithm: Algorithm::Timely, ..CongestionSettings::default() };
        let starts = [Time::ZERO, Time::from_ms(2)];
        let bed = Testbed { starts, ..testbed::lossless(settings) };
        // The second flow at line rate: T_high minus the base is 476 us, 2.38 MB at 40 Gbps.
        let meeting = bed.run(Time::ZERO, Time::from_ms(5));
        assert!(meeting.longest_queue < Bytes::new(2_380_000), "{meeting:?}");
        // Afterwards the queue stays near T_low, 26 us or 130 KB beyond the base. Steps of 5 * 10
        // Mbps per ACK sum to 19 Gbps in the 76 us until an increase is detected, 90 KB.
        let shares = bed.run(Time::from_ms(50), Time::from_ms(200));
        shares.assert_used(0.95);
        assert!(shares.longest_queue < Bytes::new(250_000), "{shares:?}");
        assert!(shares.rates.iter().all(|r| r.as_gbps_f64() > 4.0), "{shares:?}");
    }
}
