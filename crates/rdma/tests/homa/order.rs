//! Order of messages at both ends: by packets left.

use crate::delivery::{any_jobs, any_settings};
use crate::harness::{Case, Job, MTU, RTT, run, settings};
use bandwise_rdma::homa::ToSender;
use bandwise_units::Time;
use proptest::prelude::*;

#[test]
fn a_single_message_fills_its_link() {
    // A grant for each packet, 2 x 5 us and one packet after it was sent: 51 packets of 200 ns.
    let out = run(&Case::new(settings(1, &[]), &[Job::new(0, 1, 500 * MTU)]));
    assert!(out.sent.windows(2).all(|pair| pair[1].0 - pair[0].0 == Time::from_ns(200)));
    assert_eq!(out.completed[0], Time::from_ns(500 * 200) + Time::from_us(5));
    let grants =
        out.to_sender.iter().filter(|(_, _, control)| matches!(control, ToSender::Grant { .. }));
    assert_eq!(grants.count() as u32, 500 - RTT.get());
}

#[test]
fn a_sender_sends_the_message_with_the_fewest_packets_left() {
    let jobs = [
        Job::new(0, 1, 40 * MTU),
        Job { start: Time::from_us(1), ..Job::new(0, 2, 20 * MTU) },
        Job { start: Time::from_us(4), ..Job::new(0, 3, 20 * MTU) },
    ];
    let out = run(&Case::new(settings(1, &[]), &jobs));
    let order: Vec<u32> = out.sent.iter().map(|(_, data)| data.slot).collect();
    // After 1 us 35 or 34 packets of the first are left; after 4 us 5 of the second.
    let begun = order.iter().position(|&slot| slot == 1).unwrap();
    assert!((5..=6).contains(&begun));
    let mut expected = vec![0; begun];
    expected.extend([vec![1; 20], vec![2; 20], vec![0; 40 - begun]].concat());
    assert_eq!(order, expected);
}

#[test]
fn a_receiver_grants_the_shortest_first() {
    // One at a time: grants of the longer message stop until the shorter one is fully granted.
    let jobs = [Job::new(0, 2, 400 * MTU), Job::new(1, 2, 200 * MTU)];
    let out = run(&Case::new(settings(1, &[]), &jobs));
    let mut grants = out.to_sender.iter().filter_map(|&(_, slot, control)| match control {
        ToSender::Grant { to, .. } => Some((slot, to)),
        _ => None,
    });
    let last_of_short = grants.clone().position(|of| of == (1, 200)).unwrap();
    let before = grants.clone().take(last_of_short).filter(|of| of.0 == 0).count();
    assert_eq!(before, 1, "one before the first packet of the shorter one came");
    assert!(grants.any(|of| of == (0, 400)));
}

#[test]
fn grants_use_the_lowest_priorities() {
    let jobs = [
        Job::new(0, 3, 300 * MTU),
        Job { start: Time::from_us(3), ..Job::new(1, 3, 200 * MTU) },
        Job { start: Time::from_us(5), ..Job::new(2, 3, 100 * MTU) },
    ];
    let out = run(&Case::new(settings(4, &[]), &jobs));
    let scheduled = |slot| {
        let of = move |data: &&(Time, bandwise_rdma::homa::Data)| {
            data.1.slot == slot && data.1.seq >= RTT.get()
        };
        let mut priorities: Vec<u8> =
            out.sent.iter().filter(of).map(|(_, data)| data.priority).collect();
        priorities.dedup();
        priorities
    };
    assert_eq!(scheduled(0), [0]);
    // While the third is granted, the second has the middle one of three; before and after, the
    // higher of two, or the only one.
    assert_eq!(scheduled(1)[0], 1);
    assert_eq!(scheduled(2)[0], 2);
    let unscheduled = out.sent.iter().filter(|(_, data)| data.seq < RTT.get());
    assert!(unscheduled.clone().all(|(_, data)| data.priority == 4), "above all scheduled ones");
    assert_eq!(unscheduled.count() as u32, 3 * RTT.get());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No message waits at its sender for one with more packets left there.
    #[test]
    fn senders_are_srpt(settings in any_settings(), jobs in any_jobs()) {
        let case = Case::new(settings, &jobs);
        let out = run(&case);
        // By message: packets sent, and grants with their times at the sender.
        let mut sent = vec![0; jobs.len()];
        for (at, data) in &out.sent {
            let slot = data.slot as usize;
            let left = |slot: usize, sent: &[u32]| jobs[slot].message().packets - sent[slot];
            for (other, job) in jobs.iter().enumerate() {
                let granted = out.to_sender.iter().filter_map(|&(said_at, to, control)| match control {
                    ToSender::Grant { to: most, .. } => (to as usize == other
                        && said_at + case.back.delay < *at).then_some(most),
                    _ => None,
                });
                let granted = granted.max().unwrap_or(0).max(case.settings.rtt.get());
                let may_send = job.src == jobs[slot].src
                    && job.start < *at
                    && sent[other] < granted.min(job.message().packets);
                prop_assert!(
                    !may_send || left(slot, &sent) <= left(other, &sent) || data.retransmission
                );
            }
            sent[slot] += u32::from(!data.retransmission);
        }
    }
}
