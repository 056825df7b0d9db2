//! For any network, every packet reaches the application once, and the flow ends.

use crate::harness::{Case, Channel, run};
use bandwise_rdma::transport::{Acks, Recovery, Timeout, TransportSettings};
use bandwise_units::Time;
use proptest::prelude::*;
use std::num::NonZeroU32;

/// Every transport that tolerates losses, with and without each part.
fn any_settings() -> impl Strategy<Value = TransportSettings> {
    let recovery = prop_oneof![
        2 => Just(Recovery::GoBackN),
        4 => any::<bool>().prop_map(|partial_acks| Recovery::Selective { partial_acks }),
        2 => Just(Recovery::SelectiveWithoutSack),
        4 => (1u32..20).prop_map(|n| {
            Recovery::Tcp { initial_window: NonZeroU32::new(n).unwrap() }
        }),
    ];
    let window = prop_oneof![2 => (1u32..400).prop_map(NonZeroU32::new), 1 => Just(None)];
    let acks = prop_oneof![
        2 => Just(Acks::EveryPacket),
        1 => (1u32..5).prop_map(|n| {
            let every = NonZeroU32::new(n).unwrap();
            Acks::Delayed { every, after: Time::from_us(20) }
        }),
    ];
    let timeout = prop_oneof![
        (20u64..500).prop_map(|us| Timeout::Fixed(Time::from_us(us))),
        (20u64..100, 100u64..500, 1u32..20).prop_map(|(low, high, few)| {
            Timeout::LowHigh { low: Time::from_us(low), high: Time::from_us(high), few }
        }),
        (20u64..500).prop_map(|us| {
            let min = Time::from_us(us);
            Timeout::Dynamic { initial: min * 2, min, max: Time::from_ms(5) }
        }),
    ];
    (recovery, window, acks, timeout, 0u64..3).prop_map(
        |(recovery, window, acks, timeout, fetch)| {
            let fetch = match recovery {
                Recovery::Tcp { .. } => Time::ZERO,
                _ => Time::from_us(fetch),
            };
            TransportSettings { recovery, window, acks, timeout, fetch }
        },
    )
}

fn any_channel() -> impl Strategy<Value = Channel> {
    let jitter = prop_oneof![Just(0u64), 0u64..2_000, 0u64..60_000].prop_map(Time::from_ns);
    let loss = prop_oneof![1 => Just(0u64), 2 => 0u64..100, 1 => 0u64..400];
    let duplicates = prop_oneof![Just(0u64), 0u64..300];
    (1u64..30, jitter, loss, duplicates).prop_map(|(delay, jitter, loss, duplicates)| Channel {
        delay: Time::from_us(delay),
        jitter,
        loss,
        duplicates,
        drop: vec![],
    })
}

fn any_case(
    settings: impl Strategy<Value = TransportSettings>,
    channel: impl Fn() -> BoxedStrategy<Channel>,
) -> impl Strategy<Value = Case> {
    let packets = prop_oneof![1u32..6, 1u32..150, 1u32..700];
    let cwnd = prop_oneof![2 => Just(u32::MAX), 1 => 1u32..200];
    (settings, packets, channel(), channel(), cwnd, any::<u64>()).prop_map(
        |(settings, packets, data, feedback, cwnd, seed)| Case {
            data,
            feedback,
            cwnd,
            seed,
            ..Case::new(settings, packets)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// The harness fails on a flow that does not end, and on a window that is exceeded.
    #[test]
    fn every_packet_arrives_once(case in any_case(any_settings(), || any_channel().boxed())) {
        let out = run(&case);
        let mut accepted = out.accepted.clone();
        if case.settings.recovery == Recovery::GoBackN {
            prop_assert!(accepted.is_sorted(), "in order only");
        }
        accepted.sort_unstable();
        prop_assert_eq!(accepted, (0..case.packets).collect::<Vec<_>>());
        prop_assert!(out.completed < out.done);
        // A packet is a retransmission exactly if it was sent before.
        let mut sent = vec![false; case.packets as usize];
        for (_, packet) in &out.sent {
            let before = std::mem::replace(&mut sent[packet.seq as usize], true);
            prop_assert_eq!(packet.retransmission, before);
        }
    }

    /// In a network that keeps the order and loses no packet, nothing is sent twice, packets leave
    /// in order, and no loss is reported. Timeouts here are longer than any round trip.
    #[test]
    fn without_loss_nothing_is_retransmitted(
        case in any_case(
            prop_oneof![
                any_settings(), Just(TransportSettings::roce_with_pfc()), Just(TransportSettings::roce()),
                Just(TransportSettings::irn()), Just(TransportSettings::iwarp()),
            ],
            || Just(Channel::default()).boxed(),
        )
    ) {
        let timeout = match case.settings.timeout {
            Timeout::None => Timeout::None,
            _ => Timeout::Fixed(Time::from_us(200)),
        };
        // Without acknowledgements a congestion window never grows.
        let cwnd = if case.settings.acks == Acks::OnCompletion { u32::MAX } else { case.cwnd };
        let case = Case { settings: TransportSettings { timeout, ..case.settings }, cwnd, ..case };
        let out = run(&case);
        prop_assert_eq!(out.sequence(), (0..case.packets).collect::<Vec<_>>());
        prop_assert_eq!((out.losses, out.timeouts), (0, 0));
        prop_assert!(out.most_in_flight <= case.cwnd);
    }
}
