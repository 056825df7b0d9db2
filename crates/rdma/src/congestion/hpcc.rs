//! [`Hpcc`]: a window based on telemetry of every switch on the path.

use super::ack::{AckInfo, IntHop};
use super::path::{Path, bit_rate, whole_packets};
use super::round::Round;
use bandwise_units::{BitRate, Bytes};

/// Parameters of HPCC, for all flows. The defaults are those of the paper's section 5.1.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct HpccSettings {
    /// η, the fraction of a link that flows may fill, above 0 up to 1. Section 5.1: 95%.
    pub target: f64,
    /// maxStage, the number of consecutive additive steps, one per round trip, before a
    /// multiplicative one. Section 5.1: 5.
    pub max_stage: u32,
    /// W_AI, a step of additive increase. Section 5.1: 80 bytes. Section 3.3 has the rule B T (1 -
    /// η) / N, for N flows on a link of rate B.
    pub additive_increase: Bytes,
}

impl Default for HpccSettings {
    fn default() -> Self {
        HpccSettings { target: 0.95, max_stage: 5, additive_increase: Bytes::new(80) }
    }
}

/// The sender of an HPCC flow (Li et al., SIGCOMM 2019, section 3.3, algorithm 1), with T the
/// base round-trip time of the path.
///
/// Each ACK reports the load of the path. The most loaded hop counts, between the last ACK and this
/// one, with τ the time between them, at most T:
/// ```text
/// u = min(qLen, last qLen) / (B T) + (txBytes - last txBytes) / (ts - last ts) / B
/// U = (1 - τ/T) U + τ/T u
/// ```
///
/// From the reference window W_c, updated once per round trip:
///
/// ```text
/// U >= η or incStage >= maxStage:  W = W_c / (U/η) + W_AI    incStage = 0
/// otherwise:                       W = W_c + W_AI            incStage += 1
/// rate = W / T
/// ```
///
/// The window starts at B T of the sender's link and never exceeds it, since more would only wait
/// in the host. U starts at 1 (a path in use). The first ACK, whose τ may be much shorter than T,
/// therefore never divides by nearly zero.
#[derive(Debug, Clone)]
pub struct Hpcc {
    /// B T in bytes; the largest window.
    max: f64,
    /// W, bytes.
    window: f64,
    /// W_c, bytes.
    reference: f64,
    /// U; 1 is a full link.
    load: f64,
    /// Line rate, bps.
    line: f64,
    /// T, ps.
    base_rtt: f64,
    /// Bytes of a full packet.
    packet: f64,
    round: Round,
    /// incStage.
    stage: u32,
    /// Number of hops of the last ACK. A different number means a different path.
    hops: u8,
    last: [IntHop; Hpcc::MAX_HOPS],
}

impl Hpcc {
    /// Number of hops considered: the longest path of a fat tree has 5 switches. Further hops are
    /// ignored.
    pub const MAX_HOPS: usize = 8;

    /// Smallest window in bytes, from which W can grow again. The corresponding rate is one byte
    /// per round trip.
    const MIN: f64 = 1.0;

    /// Creates a flow that fills its path.
    pub fn new(path: &Path) -> Self {
        let packet = path.packet.get() as f64;
        let max = path.packets_in_flight() * packet;
        Hpcc {
            max,
            window: max,
            reference: max,
            load: 1.0,
            line: path.line_rate.as_bps() as f64,
            base_rtt: path.base_rtt.as_ps() as f64,
            packet,
            round: Round::default(),
            stage: 0,
            hops: 0,
            last: [IntHop::default(); Hpcc::MAX_HOPS],
        }
    }

    /// Processes an ACK.
    #[inline]
    pub fn on_ack(&mut self, settings: &HpccSettings, ack: &AckInfo) {
        let is_round = self.round.on_ack(ack.acked, ack.in_flight);
        if self.measure(ack.int) {
            self.compute(settings, is_round);
        }
    }

    /// Returns W in packets, rounded up; the rate limits the flow to the exact bytes.
    #[inline]
    pub fn window(&self) -> u32 {
        whole_packets((self.window / self.packet).ceil())
    }

    /// Returns W / T, or `None` at line rate.
    #[inline]
    pub fn rate(&self) -> Option<BitRate> {
        let bps = self.window * 8e12 / self.base_rtt;
        // On a path shorter than a packet, B T is below the largest window, so both limits apply.
        (self.window < self.max && bps < self.line).then(|| bit_rate(bps))
    }

    /// Updates U from the hops (MeasureInflight). Returns whether there was an earlier measurement
    /// to compare with.
    fn measure(&mut self, int: &[IntHop]) -> bool {
        let hops = &int[..int.len().min(Hpcc::MAX_HOPS)];
        let is_same_path = hops.len() == usize::from(self.hops);
        let (mut most, mut most_time) = (-1.0, 0.0);
        for (hop, last) in hops.iter().zip(&mut self.last) {
            let before = std::mem::replace(last, *hop);
            // Packets may overtake each other or take different paths; then the comparison is
            // invalid.
            let is_later = hop.at > before.at && hop.sent >= before.sent;
            if !is_same_path || !is_later || hop.rate == BitRate::default() {
                continue;
            }
            // Bytes per picosecond.
            let rate = hop.rate.as_bps() as f64 / 8e12;
            let time = (hop.at - before.at).as_ps() as f64;
            let queue = hop.queue.min(before.queue).get() as f64;
            let sent = (hop.sent - before.sent).get() as f64;
            // min(qLen) / (B T) + txRate / B with one denominator, to save an expensive division.
            let load = (queue * time + sent * self.base_rtt) / (rate * self.base_rtt * time);
            if load > most {
                (most, most_time) = (load, time);
            }
        }
        self.hops = hops.len() as u8;
        if most < 0.0 {
            return false;
        }
        let weight = most_time.min(self.base_rtt) / self.base_rtt;
        self.load = (1.0 - weight) * self.load + weight * most;
        true
    }

    /// Updates the window (ComputeWind).
    fn compute(&mut self, settings: &HpccSettings, is_round: bool) {
        let step = settings.additive_increase.get() as f64;
        let is_multiplicative = self.load >= settings.target || self.stage >= settings.max_stage;
        let window = if is_multiplicative {
            // An idle path has U = 0, for which the window is the largest, not infinite.
            self.reference / (self.load / settings.target).max(1e-6) + step
        } else {
            self.reference + step
        };
        self.window = window.clamp(Hpcc::MIN, self.max);
        if is_round {
            self.stage = if is_multiplicative { 0 } else { self.stage + 1 };
            self.reference = self.window;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{self, PATH, Testbed};
    use super::super::{Algorithm, CongestionSettings};
    use super::*;
    use bandwise_units::Time;

    /// A hop of 40 Gbps, 5 bytes per ns.
    fn hop(ns: u64, sent: u64, queue: u64) -> IntHop {
        let (sent, queue) = (Bytes::new(sent), Bytes::new(queue));
        IntHop { at: Time::from_ns(ns), sent, queue, rate: BitRate::from_gbps(40) }
    }

    fn ack(flow: &mut Hpcc, in_flight: u32, int: &[IntHop]) {
        let ack = testbed::ack(Time::ZERO, Time::from_us(24), 1);
        flow.on_ack(&HpccSettings::default(), &AckInfo { in_flight, int, ..ack });
    }

    #[test]
    fn most_loaded_hop_sets_the_window() {
        // B T is 120 KB, T is 24 us.
        let mut flow = Hpcc::new(&PATH);
        ack(&mut flow, 1, &[hop(0, 0, 0), hop(1_000, 0, 30_000)]);
        assert_eq!((flow.window(), flow.rate()), (120, None), "nothing to compare with");
        // Second hop: 12 us later, 60 KB sent, a full link, and 24 KB queued throughout: u = 0.2 +
        // 1. τ/T = 1/2: U = 0.5 + 0.6 = 1.1. W = 120 KB * 0.95 / 1.1 + 80 B = 103716.36 B.
        ack(&mut flow, 2, &[hop(12_000, 20_000, 0), hop(13_000, 60_000, 24_000)]);
        assert!((flow.load - 1.1).abs() < 1e-12, "{flow:?}");
        assert!((flow.window - 103_716.363_636).abs() < 1e-6, "{flow:?}");
        assert_eq!(flow.window(), 104);
        // W / T: 103716.36 * 8 / 24 us.
        assert_eq!(flow.rate().unwrap().as_bps() / 1_000, 34_572_121);
        // Within the round trip the reference is unchanged, for several ACKs too.
        ack(&mut flow, 2, &[hop(24_000, 20_000, 0), hop(25_000, 120_000, 24_000)]);
        // U = 0.5 * 1.1 + 0.6 = 1.15: 103716.36 * 0.95 / 1.15 + 80.
        assert!((flow.window - 85_758.735_178).abs() < 1e-6, "{flow:?}");
        assert!((flow.reference - 103_716.363_636).abs() < 1e-6, "{flow:?}");
    }

    #[test]
    fn five_additive_steps_precede_a_multiplicative_one() {
        let mut flow = Hpcc::new(&PATH);
        flow.window = 12_000.0;
        flow.reference = 12_000.0;
        // Each ACK is a round trip of 24 us in which the hop sent 60 KB: u = U = 0.5.
        let mut windows = Vec::new();
        for n in 0..8 {
            ack(&mut flow, 1, &[hop(24_000 * n, 60_000 * n, 0)]);
            windows.push(flow.window as u64);
        }
        // (12 000 + 5 * 80) * 0.95 / 0.5 + 80 = 23640.
        assert_eq!(windows, [12_000, 12_080, 12_160, 12_240, 12_320, 12_400, 23_640, 23_720]);
    }

    #[test]
    fn other_paths_and_reordered_packets_are_ignored() {
        let mut flow = Hpcc::new(&PATH);
        ack(&mut flow, 1, &[hop(0, 0, 90_000), hop(0, 0, 0)]);
        ack(&mut flow, 1, &[hop(12_000, 60_000, 90_000)]);
        assert_eq!(flow.load, 1.0, "one hop less");
        ack(&mut flow, 1, &[hop(12_000, 60_000, 90_000)]);
        ack(&mut flow, 1, &[hop(11_000, 60_000, 90_000)]);
        let no_rate = IntHop { rate: BitRate::default(), ..hop(13_000, 90_000, 90_000) };
        ack(&mut flow, 1, &[no_rate]);
        ack(&mut flow, 1, &[]);
        assert_eq!((flow.load, flow.window()), (1.0, 120));
    }

    fn two_flows(additive_increase: Bytes) -> testbed::Shares {
        let hpcc = HpccSettings { additive_increase, ..HpccSettings::default() };
        let settings = CongestionSettings {
            algorithm: Algorithm::Hpcc,
            hpcc,
            ..CongestionSettings::default()
        };
        let starts = [Time::ZERO, Time::from_ms(2)];
        let bed = Testbed { starts, ..testbed::lossless(settings) };
        let shares = bed.run(Time::from_ms(50), Time::from_ms(100));
        shares.assert_used(0.93);
        assert!(shares.longest_queue < Bytes::new(5_000), "{shares:?}");
        shares
    }

    /// With W_AI for ten flows, B T (1 - η) / N = 600 bytes.
    #[test]
    fn two_flows_share_a_link_almost_without_queue() {
        two_flows(Bytes::new(600)).assert_fair(0.1);
    }

    /// The default W_AI of 80 bytes is for 75 flows on this path. It changes U by 0.14%, less than
    /// one packet found in the queue (0.8%). The slower of two flows finds packets of the other
    /// more often than vice versa. Two flows therefore have unequal rates here, permanently. With
    /// qLen taken as zero, they become equal.
    #[test]
    fn a_small_step_does_not_make_two_flows_equal() {
        let [a, b] = two_flows(Bytes::new(80)).rates.map(BitRate::as_gbps_f64);
        assert!(a.max(b) > 2.0 * a.min(b), "{a} and {b}: the comment is wrong");
    }
}
