//! Properties of all algorithms, for any events of a flow.

use super::testbed::PATH;
use super::*;
use bandwise_units::Bytes;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Event {
    Ack { rtt: Time, acked: u32, in_flight: u32, marked: bool, hops: Vec<IntHop> },
    Cnp,
    Loss,
    Timeout,
    Sent(u32),
}

fn hop() -> impl Strategy<Value = IntHop> {
    // Includes telemetry that goes back in time, and links without a rate.
    let at = prop_oneof![0u64..1 << 20, 0u64..1 << 50];
    let gbps = prop_oneof![1 => Just(0u64), 9 => 1u64..800];
    (at, 0u64..1 << 40, 0u64..1 << 30, gbps).prop_map(|(at, sent, queue, gbps)| IntHop {
        at: Time::from_ps(at),
        sent: Bytes::new(sent),
        queue: Bytes::new(queue),
        rate: BitRate::from_gbps(gbps),
    })
}

fn event() -> impl Strategy<Value = Event> {
    let rtt = prop_oneof![0u64..3, 0u64..100_000_000, 0u64..1 << 45].prop_map(Time::from_ps);
    let packets = prop_oneof![0u32..200, Just(u32::MAX / 2)];
    let hops = prop_oneof![prop::collection::vec(hop(), 1..3), prop::collection::vec(hop(), 0..12)];
    let ack = (rtt, 0u32..200, packets, any::<bool>(), hops).prop_map(
        |(rtt, acked, in_flight, marked, hops)| Event::Ack { rtt, acked, in_flight, marked, hops },
    );
    prop_oneof![
        8 => ack,
        2 => Just(Event::Cnp),
        1 => Just(Event::Loss),
        1 => Just(Event::Timeout),
        4 => (0u32..20_000_000).prop_map(Event::Sent),
    ]
}

fn path() -> impl Strategy<Value = Path> {
    (1u64..400_000_000_000, 1u64..1_000_000_000, 1u64..10_000).prop_map(|(bps, ps, bytes)| Path {
        line_rate: BitRate::from_bps(bps),
        base_rtt: Time::from_ps(ps),
        packet: Bytes::new(bytes),
    })
}

/// CongestionSettings, including the limits of their ranges.
fn settings() -> impl Strategy<Value = CongestionSettings> {
    let part = || prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0];
    let positive = || prop_oneof![Just(1.0), 0.001..=1.0];
    let rate = || (1u64..1 << 36).prop_map(BitRate::from_bps);
    let time = || (1u64..100_000_000).prop_map(Time::from_ps);
    let bytes = || (0u64..100_000).prop_map(Bytes::new);
    (
        (positive(), part(), part(), part()),
        (rate(), rate(), rate()),
        (time(), time(), time()),
        (bytes(), 0u32..8),
        prop::sample::select(&Algorithm::ALL[..]),
    )
        .prop_map(|((gain, a, b, c), (r, s, t), (x, y, z), (bytes, count), algorithm)| {
            CongestionSettings {
                algorithm,
                dcqcn: DcqcnSettings {
                    gain,
                    // Not finer: a test of a second would count a trillion expirations.
                    alpha_timer: x + Time::from_us(10),
                    increase_timer: y + Time::from_us(10),
                    byte_counter: bytes * 1_000,
                    fast_recovery: count,
                    additive_increase: r,
                    hyper_increase: s,
                    min_rate: t,
                    clamp_target: count % 2 == 0,
                    back_off: a,
                },
                timely: TimelySettings {
                    segment: bytes,
                    ewma: gain,
                    min_rtt: x,
                    low: y,
                    high: z,
                    additive_increase: r,
                    decrease: a,
                    floor: b,
                    hyper_after: count,
                    min_rate: t,
                    back_off: a,
                },
                aimd: AimdSettings { increase: c * 10.0, decrease: a },
                dctcp: DctcpSettings { gain, increase: c * 10.0, decrease: a },
                hpcc: HpccSettings { target: gain, max_stage: count, additive_increase: bytes },
                swift: SwiftSettings {
                    queueing: x,
                    scaling_range: y,
                    scaling_min: gain,
                    scaling_max: gain + a * 100.0,
                    increase: c * 10.0,
                    decrease: a,
                    max_decrease: b,
                    min_window: gain,
                    reset_after: count,
                },
            }
        })
}

/// Returns the lowest rate that the settings allow on a link, in bps.
fn least(settings: &CongestionSettings, line: BitRate) -> u64 {
    let floor = match settings.algorithm {
        Algorithm::Dcqcn => settings.dcqcn.min_rate.as_bps(),
        Algorithm::Timely => settings.timely.min_rate.as_bps(),
        // A packet must leave some day.
        _ => 1,
    };
    floor.min(line.as_bps())
}

proptest! {
    /// Rates lie between the least and the line's, windows are at least one packet and never
    /// beyond what a flow can have, and nothing is ever "not a number".
    #[test]
    fn rates_and_windows_stay_within_limits(
        settings in settings(), path in path(),
        events in prop::collection::vec((0u64..200_000_000, event()), 1..60),
    ) {
        let mut now = Time::from_us(1);
        let mut flow = Congestion::new(&settings, &path, now);
        prop_assert_eq!(flow.rate(&settings, now), None, "line rate at the start");
        prop_assert!(f64::from(flow.window()) >= path.packets_in_flight().floor().min(1e6));
        for (gap, event) in events {
            now += Time::from_ps(gap);
            match &event {
                Event::Ack { rtt, acked, in_flight, marked, hops } => {
                    let bytes = acked * path.packet.get() as u32;
                    let (rtt, acked, in_flight, marked) = (*rtt, *acked, *in_flight, *marked);
                    let ack = AckInfo { now, rtt, acked, bytes, marked, in_flight, int: hops };
                    flow.on_ack(&settings, &ack);
                }
                Event::Cnp => flow.on_cnp(&settings, now),
                Event::Loss => flow.on_loss(&settings, now),
                Event::Timeout => flow.on_timeout(&settings, now),
                Event::Sent(bytes) => flow.on_sent(&settings, now, *bytes),
            }
            let text = format!("{flow:?}");
            prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{event:?}: {text}");
            prop_assert!(flow.window() >= 1, "{text}");
            if let Some(rate) = flow.rate(&settings, now) {
                prop_assert!(rate >= BitRate::from_bps(least(&settings, path.line_rate)), "{text}");
                prop_assert!(rate <= path.line_rate, "{text}");
            }
        }
    }
}

#[test]
fn default_settings_do_not_limit_a_flow() {
    let settings = CongestionSettings::default();
    let mut flow = Congestion::new(&settings, &PATH, Time::ZERO);
    flow.on_loss(&settings, Time::ZERO);
    flow.on_timeout(&settings, Time::ZERO);
    flow.on_cnp(&settings, Time::ZERO);
    assert_eq!((flow.rate(&settings, Time::ZERO), flow.window()), (None, u32::MAX));
}

/// A network has one state per flow, accessed for every ACK.
#[test]
fn congestion_state_of_a_flow_is_small() {
    let sizes = [
        size_of::<Dcqcn>(),
        size_of::<Timely>(),
        size_of::<Aimd>(),
        size_of::<Dctcp>(),
        size_of::<Swift>(),
        size_of::<Congestion>(),
        size_of::<Hpcc>(),
        size_of::<NotificationPoint>(),
    ];
    assert_eq!(sizes, [64, 48, 16, 40, 64, 72, 328, 16]);
}
