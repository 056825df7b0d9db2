//! For any network, every packet of every message arrives once, and all senders learn it.

use crate::harness::{Case, Channel, Job, MTU, run};
use bandwise_rdma::homa::{HomaSettings, Priorities};
use bandwise_units::{Bytes, Time};
use proptest::prelude::*;
use std::num::NonZeroU32;

pub(crate) fn any_settings() -> impl Strategy<Value = HomaSettings> {
    let cutoffs = prop::collection::btree_set(1u64..100_000, 0..4);
    (1u8..5, cutoffs, 1u32..100, 50u64..600).prop_map(|(scheduled, cutoffs, rtt, us)| {
        let cutoffs = cutoffs.into_iter().map(Bytes::new).collect();
        HomaSettings {
            priorities: Priorities::new(scheduled, cutoffs).unwrap(),
            rtt: NonZeroU32::new(rtt).unwrap(),
            resend_after: Time::from_us(us),
        }
    })
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
    })
}

pub(crate) fn any_jobs() -> impl Strategy<Value = Vec<Job>> {
    let bytes = prop_oneof![1u64..5 * MTU, 1u64..80 * MTU, 1u64..300 * MTU];
    let job = (0u64..100, 0usize..4, 0usize..2, bytes).prop_map(|(us, src, dst, bytes)| Job {
        start: Time::from_us(us),
        ..Job::new(src, dst, bytes)
    });
    prop::collection::vec(job, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The harness fails on a message that does not end, a packet accepted twice, a packet without
    /// a grant, more than a round trip's worth granted ahead, and a grant out of SRPT order.
    #[test]
    fn every_packet_arrives_once(
        settings in any_settings(), jobs in any_jobs(), there in any_channel(),
        back in any_channel(), seed: u64,
    ) {
        let case = Case { there, back, seed, ..Case::new(settings, &jobs) };
        let out = run(&case);
        // A packet is a retransmission exactly if it was sent before.
        let mut sent: Vec<Vec<bool>> =
            jobs.iter().map(|job| vec![false; job.message().packets as usize]).collect();
        for (_, data) in &out.sent {
            let sent = &mut sent[data.slot as usize][data.seq as usize];
            prop_assert_eq!(data.retransmission, std::mem::replace(sent, true));
        }
        for (completed, done) in out.completed.iter().zip(&out.done) {
            prop_assert!(completed < done);
        }
    }

    /// In a network without losses, no packet is sent twice or requested.
    #[test]
    fn without_loss_nothing_is_retransmitted(
        settings in any_settings(), jobs in any_jobs(), jitter in 0u64..3_000,
    ) {
        // Longer than all messages take.
        let settings = HomaSettings { resend_after: Time::from_ms(100), ..settings };
        let mut case = Case::new(settings, &jobs);
        case.there.jitter = Time::from_ns(jitter);
        let out = run(&case);
        prop_assert!(out.sent.iter().all(|(_, data)| !data.retransmission));
        prop_assert_eq!((out.resends(), out.to_receiver), (vec![], vec![]));
    }
}
