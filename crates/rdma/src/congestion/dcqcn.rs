//! [`Dcqcn`]: the sender of DCQCN, its reaction point.

use super::path::{Path, bit_rate};
use bandwise_units::{BitRate, Bytes, Time};

/// Parameters of DCQCN senders, for all flows. The defaults are the paper's (section 5.2: values
/// after tuning; section 3.1 for the others), which IRN 4.1 also uses.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct DcqcnSettings {
    /// g, the weight of one period in α, above 0 up to 1. Section 5.2: 1/256.
    pub gain: f64,
    /// K, the time without a CNP after which α decreases; longer than the time between CNPs. Zero
    /// disables it. Section 3.1: 55 us.
    pub alpha_timer: Time,
    /// Period of the rate increase timer. Zero disables it. Section 5.2: 55 us.
    pub increase_timer: Time,
    /// B, the byte counter: the rate also increases after that many bytes. Zero disables it.
    /// Section 5.2: 10 MB.
    pub byte_counter: Bytes,
    /// F, the expirations of timer or byte counter that end fast recovery. Section 3.1: 5.
    pub fast_recovery: u32,
    /// R_AI, a step of additive increase. Section 3.1: 40 Mbps.
    pub additive_increase: BitRate,
    /// R_HAI, a step of hyper increase. The paper has no value. Ten times R_AI, as in QCN
    /// (802.1Qau, whose defaults in IEEE8021-CN-MIB are 5 and 50 Mbps) and in ConnectX firmware.
    pub hyper_increase: BitRate,
    /// Lowest rate of a flow. The paper has no value; one step of additive increase.
    pub min_rate: BitRate,
    /// Every CNP sets R_T, as in section 3.1, instead of only the first one since R_C increased.
    /// The default is that of ConnectX-4 and later (their `clamp_tgt_rate`, false, and
    /// `clamp_tgt_rate_after_time_inc`, true), the RNIC that IRN 4.1 models, and of QCN.
    pub clamp_target: bool,
    /// Fraction of the rate that remains after a loss, 0 to 1. The paper does not react to loss, so
    /// the default is 1. IRN 4.3 mentions "explicitly backing off on losses" without a value.
    pub back_off: f64,
}

impl Default for DcqcnSettings {
    fn default() -> Self {
        DcqcnSettings {
            gain: 1.0 / 256.0,
            alpha_timer: Time::from_us(55),
            increase_timer: Time::from_us(55),
            byte_counter: Bytes::new(10_000_000),
            fast_recovery: 5,
            additive_increase: BitRate::from_bps(40_000_000),
            hyper_increase: BitRate::from_bps(400_000_000),
            min_rate: BitRate::from_bps(40_000_000),
            clamp_target: false,
            back_off: 1.0,
        }
    }
}

/// The sender of a DCQCN flow (Zhu et al., SIGCOMM 2015, section 3.1, equations 1 to 4).
///
/// With each CNP, R_C being the current and R_T the target rate:
///
/// ```text
/// R_T = R_C                   in RNICs, only if R_C rose since the last CNP
/// R_C = R_C (1 - α/2)
/// α   = (1 - g) α + g         α starts at 1
/// ```
///
/// After each alpha timer without a CNP, `α = (1 - g) α`. A CNP restarts the increase timer and the
/// byte counter; T and BC count their expirations since. At each expiration:
///
/// ```text
/// fast recovery,      if max(T, BC) < F:  R_T stays
/// hyper increase,     if min(T, BC) > F:  R_T += (min(T, BC) - F) R_HAI
/// additive increase,  otherwise:          R_T += R_AI
/// and always                              R_C = (R_T + R_C) / 2
/// ```
///
/// A loss, if [enabled](DcqcnSettings::back_off), cuts as a CNP does and restarts timers and
/// counters: `R_C = R_C back_off`. α, which only depends on marks, is unchanged. A timeout has the
/// same effect. Both occur once per recovery, which takes a round trip, so there is no other limit.
///
/// The paper omits the details of hyper increase; the multiple is that of QCN (802.1Qau), whose
/// reaction point this is. A flow at line rate is not limited.
///
/// A burst of congestion causes several CNPs in a row. If each of them sets R_T, fast recovery has
/// no target above R_C, and additive increase takes about 20 ms back to line rate. RNICs instead
/// recover to the rate before the first CNP.
///
/// Rates are whole bits per second and `(R_T + R_C) / 2` rounds up, so that R_C reaches R_T. An
/// RNIC that waits to send at the old rate when a timer expires might send somewhat earlier; here
/// the rate at the start of the wait applies.
#[derive(Debug, Clone)]
pub struct Dcqcn {
    /// Line rate, bps.
    line: u64,
    /// R_C, bps.
    current: u64,
    /// R_T, bps.
    target: u64,
    alpha: f64,
    /// Time of the last CNP, or of the last alpha timer expiration included in α.
    alpha_at: Time,
    /// Time of the last CNP, or of the last increase timer expiration included in T.
    increase_at: Time,
    /// Bytes sent since the last expiration of the byte counter, while limited.
    sent: u64,
    timer_ends: u32,
    byte_ends: u32,
}

/// Below this, α is zero: it changes no rate below 2^53 bps.
const ALPHA_FLOOR: f64 = 1.0 / (1u64 << 63) as f64;

impl Dcqcn {
    /// Creates a flow at line rate.
    pub fn new(path: &Path, now: Time) -> Self {
        let line = path.line_rate.as_bps();
        Dcqcn {
            line,
            current: line,
            target: line,
            alpha: 1.0,
            alpha_at: now,
            increase_at: now,
            sent: 0,
            timer_ends: 0,
            byte_ends: 0,
        }
    }

    /// Processes a CNP.
    pub fn on_cnp(&mut self, settings: &DcqcnSettings, now: Time) {
        self.catch_up(settings, now);
        self.decay(settings, now);
        self.cut(settings, now, 1.0 - self.alpha / 2.0);
        self.alpha = (1.0 - settings.gain) * self.alpha + settings.gain;
        self.alpha_at = now;
    }

    /// Processes the start of a recovery, or an expired retransmission timer.
    pub fn on_loss(&mut self, settings: &DcqcnSettings, now: Time) {
        if settings.back_off < 1.0 {
            self.catch_up(settings, now);
            self.cut(settings, now, settings.back_off);
        }
    }

    /// Records a sent packet.
    #[inline]
    pub fn on_sent(&mut self, settings: &DcqcnSettings, now: Time, bytes: u32) {
        self.catch_up(settings, now);
        let counter = settings.byte_counter.get();
        if !self.is_limited() || counter == 0 {
            return;
        }
        self.sent += u64::from(bytes);
        while self.sent >= counter {
            self.sent -= counter;
            self.byte_ends = self.byte_ends.saturating_add(1);
            self.increase(settings);
        }
    }

    /// Returns R_C at `now`, or `None` at line rate.
    #[inline]
    pub fn rate(&mut self, settings: &DcqcnSettings, now: Time) -> Option<BitRate> {
        self.catch_up(settings, now);
        self.is_limited().then(|| bit_rate(self.current as f64))
    }

    /// Reduces R_C to `fraction`, from where it increases again.
    fn cut(&mut self, settings: &DcqcnSettings, now: Time, fraction: f64) {
        if settings.clamp_target || self.timer_ends.max(self.byte_ends) > 0 {
            self.target = self.current;
        }
        let cut = (self.current as f64 * fraction) as u64;
        self.current = cut.max(settings.min_rate.as_bps()).min(self.line);
        self.increase_at = now;
        self.sent = 0;
        self.timer_ends = 0;
        self.byte_ends = 0;
    }

    /// Returns whether R_C is below line rate. If not, R_T is line rate too, nothing increases, and
    /// the counts have no meaning until a CNP resets them.
    #[inline]
    fn is_limited(&self) -> bool {
        self.current < self.line
    }

    /// Accounts for expirations of the increase timer up to `now`.
    #[inline]
    fn catch_up(&mut self, settings: &DcqcnSettings, now: Time) {
        let period = settings.increase_timer;
        if period == Time::ZERO {
            return;
        }
        // A single comparison if none has expired, as for most packets.
        while self.is_limited() && now.saturating_sub(self.increase_at) >= period {
            self.increase_at += period;
            self.timer_ends = self.timer_ends.saturating_add(1);
            self.increase(settings);
        }
    }

    fn increase(&mut self, settings: &DcqcnSettings) {
        let (fewer, more) =
            (self.timer_ends.min(self.byte_ends), self.timer_ends.max(self.byte_ends));
        let step = if more < settings.fast_recovery {
            0
        } else if fewer > settings.fast_recovery {
            let steps = u64::from(fewer - settings.fast_recovery);
            settings.hyper_increase.as_bps().saturating_mul(steps)
        } else {
            settings.additive_increase.as_bps()
        };
        self.target = self.target.saturating_add(step).min(self.line);
        self.current = self.current + (self.target - self.current).div_ceil(2);
    }

    /// Accounts for expirations of the alpha timer up to `now`. Only a CNP needs α, so this is
    /// deferred until the next CNP.
    fn decay(&mut self, settings: &DcqcnSettings, now: Time) {
        let period = settings.alpha_timer;
        if period == Time::ZERO {
            return;
        }
        let ends = now.saturating_sub(self.alpha_at).as_ps() / period.as_ps();
        // Multiplied one by one, so that the last bits do not depend on the times of calls.
        for _ in 0..ends {
            self.alpha *= 1.0 - settings.gain;
            if self.alpha < ALPHA_FLOOR {
                self.alpha = 0.0;
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testbed::{self, PATH, Testbed};
    use super::super::{Algorithm, CongestionSettings, NotificationSettings, RedMarker};
    use super::*;
    use proptest::prelude::*;

    const US: fn(u64) -> Time = Time::from_us;

    fn gbps(flow: &mut Dcqcn, settings: &DcqcnSettings, us: u64) -> Option<f64> {
        flow.rate(settings, US(us)).map(BitRate::as_gbps_f64)
    }

    #[test]
    fn a_cnp_cuts_by_half_of_alpha_and_timers_restore_the_rate() {
        let settings = DcqcnSettings::default();
        let mut flow = Dcqcn::new(&PATH, Time::ZERO);
        assert_eq!(flow.rate(&settings, US(3)), None);
        // α is 1, but has decreased once in 100 us: 255/256. 40 (1 - 255/512) = 20.078125.
        flow.on_cnp(&settings, US(100));
        assert_eq!(gbps(&mut flow, &settings, 154), Some(20.078_125));
        // Fast recovery towards 40, four times: half of the difference.
        assert_eq!(gbps(&mut flow, &settings, 155), Some(30.039_062_5));
        assert_eq!(gbps(&mut flow, &settings, 155 + 3 * 55), Some(38.754_882_813));
        // The fifth expiration adds R_AI, but line rate is the limit: (40 + 38.754882813) / 2.
        assert_eq!(gbps(&mut flow, &settings, 155 + 4 * 55), Some(39.377_441_407));
        assert_eq!(flow.rate(&settings, Time::from_ms(10)), None, "line rate again");
    }

    #[test]
    fn the_target_rises_after_fast_recovery() {
        let settings = DcqcnSettings {
            alpha_timer: Time::ZERO,
            clamp_target: true,
            ..DcqcnSettings::default()
        };
        let mut flow = Dcqcn::new(&PATH, Time::ZERO);
        flow.on_cnp(&settings, US(0));
        flow.on_cnp(&settings, US(50));
        // α stays 1: 40, 20, 10. R_T is 20: 15, 17.5, 18.75, 19.375, then R_T 20.04.
        assert_eq!(gbps(&mut flow, &settings, 50 + 4 * 55), Some(19.375));
        assert_eq!(gbps(&mut flow, &settings, 50 + 5 * 55), Some(19.707_5));
        // R_T 20.08.
        assert_eq!(gbps(&mut flow, &settings, 50 + 6 * 55), Some(19.893_75));
    }

    #[test]
    fn an_rnic_recovers_to_the_rate_before_the_first_cnp() {
        let settings = DcqcnSettings { alpha_timer: Time::ZERO, ..DcqcnSettings::default() };
        let mut flow = Dcqcn::new(&PATH, Time::ZERO);
        flow.on_cnp(&settings, US(0));
        flow.on_cnp(&settings, US(50));
        assert_eq!((flow.current, flow.target), (10_000_000_000, 40_000_000_000));
        assert_eq!(gbps(&mut flow, &settings, 50 + 55), Some(25.0));
        flow.on_cnp(&settings, US(106));
        assert_eq!((flow.current, flow.target), (12_500_000_000, 25_000_000_000), "it had risen");
        flow.on_cnp(&settings, US(107));
        assert_eq!((flow.current, flow.target), (6_250_000_000, 25_000_000_000));
    }

    #[test]
    fn a_loss_backs_off_if_enabled() {
        let usual = DcqcnSettings::default();
        let settings = DcqcnSettings { back_off: 0.25, ..usual };
        let mut flow = Dcqcn::new(&PATH, Time::ZERO);
        flow.on_loss(&usual, US(100));
        assert_eq!(flow.rate(&usual, US(100)), None);
        flow.on_loss(&settings, US(100));
        flow.on_loss(&settings, US(154));
        assert_eq!((flow.current, flow.target), (2_500_000_000, 40_000_000_000));
        assert_eq!(gbps(&mut flow, &settings, 154 + 54), Some(2.5), "the timer starts anew");
        assert_eq!(gbps(&mut flow, &settings, 154 + 55), Some(21.25));
        // α decreased three times since the start; losses do not affect it.
        flow.on_cnp(&settings, US(210));
        let alpha = (255.0f64 / 256.0).powi(3);
        assert_eq!(flow.current, (21.25e9 * (1.0 - alpha / 2.0)) as u64);
        for n in 0..20 {
            flow.on_loss(&settings, US(211 + n));
        }
        assert_eq!(flow.current, 40_000_000, "the least rate");
    }

    #[test]
    fn timer_and_byte_counter_together_cause_hyper_increase() {
        let settings = DcqcnSettings {
            alpha_timer: Time::ZERO,
            clamp_target: true,
            ..DcqcnSettings::default()
        };
        let mut flow = Dcqcn::new(&PATH, Time::ZERO);
        flow.on_cnp(&settings, US(0));
        flow.on_cnp(&settings, US(0));
        flow.on_sent(&settings, US(1), 9_999_999);
        assert_eq!(gbps(&mut flow, &settings, 1), Some(10.0));
        flow.on_sent(&settings, US(1), 1);
        assert_eq!(gbps(&mut flow, &settings, 1), Some(15.0));
        flow.on_sent(&settings, US(1), 50_000_000);
        // BC is 6: fast recovery to 4 (19.375), then R_T 20.04 (19.7075) and 20.08 (19.89375).
        assert_eq!(gbps(&mut flow, &settings, 1), Some(19.893_75));
        // T to 5: additive five times, R_T 20.28; R_C is 20.2354296875.
        assert_eq!(flow.rate(&settings, US(5 * 55)).unwrap().as_bps(), 20_235_429_688);
        assert_eq!(flow.target, 20_280_000_000);
        flow.rate(&settings, US(6 * 55));
        assert_eq!(flow.target, 20_680_000_000);
        flow.on_sent(&settings, US(6 * 55), 10_000_000);
        assert_eq!(flow.target, 21_080_000_000, "min(6, 7) - 5 = 1 step");
        flow.rate(&settings, US(7 * 55));
        assert_eq!(flow.target, 21_880_000_000, "min(7, 7) - 5 = 2 steps");
    }

    proptest! {
        /// Frequent reads of a flow's rate change nothing, to the last bit.
        #[test]
        fn reading_the_rate_has_no_effect(
            steps in prop::collection::vec((0u64..400, 0u8..3, 0u32..3_000_000), 1..80),
            clamp_target in any::<bool>(),
        ) {
            let settings = DcqcnSettings {
                byte_counter: Bytes::new(2_000_000), fast_recovery: 2, clamp_target,
                ..DcqcnSettings::default()
            };
            let mut left_alone = Dcqcn::new(&PATH, Time::ZERO);
            let mut watched = left_alone.clone();
            let mut us = 0;
            for (gap, event, bytes) in steps {
                for _ in 0..gap {
                    us += 1;
                    watched.rate(&settings, US(us));
                    // α with a periodic clock.
                    watched.decay(&settings, US(us));
                    if US(us) >= watched.alpha_at + settings.alpha_timer {
                        watched.alpha_at += settings.alpha_timer;
                    }
                }
                let now = US(us);
                for flow in [&mut watched, &mut left_alone] {
                    match event {
                        0 => flow.on_cnp(&settings, now),
                        1 => flow.on_sent(&settings, now, bytes),
                        _ => {}
                    }
                }
                if event == 2 {
                    prop_assert_eq!(
                        watched.rate(&settings, now), left_alone.rate(&settings, now)
                    );
                }
            }
            let now = US(us);
            watched.on_cnp(&settings, now);
            left_alone.on_cnp(&settings, now);
            prop_assert_eq!(watched.current, left_alone.current);
            prop_assert_eq!(watched.alpha.to_bits(), left_alone.alpha.to_bits());
        }
    }

    /// From far below: when the second flow starts at line rate, both are cut to a few Gbps. If
    /// each remembers its earlier rate, they take more than 100 ms to become equal.
    #[test]
    fn two_flows_share_a_link() {
        for clamp_target in [false, true] {
            let dcqcn = DcqcnSettings { clamp_target, ..DcqcnSettings::default() };
            let settings = CongestionSettings {
                algorithm: Algorithm::Dcqcn,
                dcqcn,
                ..CongestionSettings::default()
            };
            let shares = Testbed {
                marker: Some(RedMarker::DCQCN),
                notification: NotificationSettings::default(),
                starts: [Time::ZERO, Time::from_ms(2)],
                ..testbed::lossless(settings)
            }
            .run(Time::from_ms(200), Time::from_ms(300));
            shares.assert_fair(0.1);
            shares.assert_used(0.9);
        }
    }
}
