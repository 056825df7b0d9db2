//! Every method with arbitrary delays, in virtual time.

mod mock;

use bandwise_rdma::verbs::{Next, Opcode, Qp, WorkRequest};
use bandwise_rperf::*;
use bandwise_units::{Bytes, Time};
use mock::{Fate, Peers, Step, run};
use proptest::prelude::*;
use std::collections::HashMap;

const WIRE: Qp = Qp(3);
const LOOPBACK: Qp = Qp(9);

fn ps(n: u64) -> Time {
    Time::from_ps(n)
}

fn rounds(warmup: u64, samples: u64) -> Rounds {
    Rounds { warmup, samples, think: Think::none() }
}

fn distribution(samples: impl IntoIterator<Item = i64>) -> Latency {
    let mut latency = Latency::new();
    samples.into_iter().for_each(|sample| latency.record_ps(sample));
    latency
}

fn rperf(rounds: Rounds) -> Generator {
    let (bytes, inline_max) = (64, 0);
    RPerf::new(RPerfSettings { wire: WIRE, loopback: LOOPBACK, bytes, inline_max, rounds }).into()
}

/// Runs RPerf over rounds with the given times until completion, over the wire and in loopback, and
/// the given truth.
fn run_rperf(generator: &mut [Generator], rounds: &[(u64, u64, Option<u64>)]) -> Vec<Step> {
    let mut posted = 0;
    run(generator, &Peers::new(), usize::MAX, |_, request| {
        let (wire, loopback, truth) = rounds[posted / 2];
        posted += 1;
        let completes = ps(if request.qp == WIRE { wire } else { loopback });
        Fate { completes, arrives: Time::ZERO, truth: truth.filter(|_| request.qp == WIRE).map(ps) }
    })
}

/// By the device's stamps the difference does not depend on when completions were seen.
#[test]
fn rperf_is_compared_with_device_timestamps() {
    let mut program = rperf(Rounds { warmup: 0, samples: 2, think: Think::none() });
    let mut posts = bandwise_rdma::verbs::Posts::default();
    let seen = |qp, id, stamp| bandwise_rdma::verbs::Completion {
        qp,
        id,
        kind: bandwise_rdma::verbs::CompletionKind::Sent(bandwise_rdma::verbs::Opcode::Send),
        bytes: 64,
        truth: None,
        stamp: Some(Time::from_ns(stamp)),
    };
    program.step(Time::ZERO, &[], &mut posts);
    // The loopback completed first and was reported last; in the second round it completed last.
    let first = [seen(WIRE, 0, 5_700), seen(LOOPBACK, 1, 5_000)];
    program.step(Time::from_us(3), &first, &mut posts);
    program.step(Time::from_us(4), &[seen(WIRE, 2, 9_000)], &mut posts);
    program.step(Time::from_us(5), &[seen(LOOPBACK, 3, 9_100)], &mut posts);
    let beside = program.against_truth().unwrap();
    let range = |l: &bandwise_rperf::Latency| (l.min_ps(), l.max_ps());
    assert_eq!(range(&beside.truth), (Some(-100_000), Some(700_000)));
    assert_eq!(range(&beside.error), (Some(-900_000), Some(-700_000)));
}

proptest! {
    /// T_W - T_L in either order, to the picosecond, and its error against the truth.
    #[test]
    fn rperf_takes_the_difference_of_the_completions(
        rounds_as_they_come in prop::collection::vec(
            // Completions may come in either order and at the same time.
            (1u64..2_000_000, 1u64..2_000_000, prop::option::of(0u64..1_000_000)), 1..60),
        warmup in 0usize..60,
        tie in any::<bool>(),
    ) {
        let mut times = rounds_as_they_come;
        let warmup = warmup % times.len();
        if tie {
            times.last_mut().unwrap().1 = times.last().unwrap().0;
        }
        let mut generator = [rperf(rounds(warmup as u64, (times.len() - warmup) as u64))];
        let steps = run_rperf(&mut generator, &times);

        let recorded = &times[warmup..];
        let expected = distribution(recorded.iter().map(|&(w, l, _)| w as i64 - l as i64));
        prop_assert_eq!(generator[0].latency().unwrap().summary(), expected.summary());
        let errors = recorded.iter().filter_map(|&(w, l, t)| Some(w as i64 - l as i64 - t? as i64));
        let errors = distribution(errors).summary();
        let against = generator[0].against_truth();
        prop_assert_eq!(against.and_then(|a| a.error.summary()), errors);
        let truths = distribution(recorded.iter().filter_map(|&(_, _, t)| Some(t? as i64)));
        prop_assert_eq!(against.and_then(|a| a.truth.summary()), truths.summary());

        // One pair per round, over the wire first; the loopback rings both doorbells.
        let posts: Vec<_> = steps.iter().map(|s| &s.posts).filter(|p| !p.is_empty()).collect();
        prop_assert_eq!(posts.len(), times.len());
        for pair in posts {
            let shape: Vec<_> = pair.iter().map(|r| (r.qp, r.ring, r.signaled, r.inline)).collect();
            prop_assert_eq!(shape, vec![(WIRE, false, true, false), (LOOPBACK, true, true, false)]);
        }
        prop_assert_eq!(steps.last().unwrap().next, Next::Done);
    }

    /// The next round starts exactly one pause after the later completion.
    #[test]
    fn rperf_pauses_between_rounds(least in 0u64..1000, spread in 0u64..100_000, seed: u64) {
        let think = Think::uniform(ps(least), ps(least + spread), seed);
        let mut generator = [rperf(Rounds { warmup: 0, samples: 50, think })];
        let steps = run_rperf(&mut generator, &[(500, 700, None); 50]);
        let posted: Vec<Time> =
            steps.iter().filter(|s| !s.posts.is_empty()).map(|s| s.now).collect();
        prop_assert_eq!(posted.len(), 50);
        for pair in posted.windows(2) {
            let pause = (pair[1] - pair[0]).as_ps() - 700;
            prop_assert!((least..=least + spread).contains(&pause), "{}", pause);
        }
    }

    /// The latency is the time from post to completion, for any request; only recorded rounds
    /// count.
    #[test]
    fn closed_loop_and_post_poll_take_the_time_to_the_completion(
        times in prop::collection::vec(1u64..20_000_000, 2..50), bytes in 1u32..4096,
    ) {
        let samples = times.len() as u64 - 1;
        let (qp, opcode, inline_max) = (WIRE, Opcode::Send, 100);
        let settings = ClosedLoopSettings { qp, opcode, bytes, inline_max, depth: 1, rounds: rounds(1, samples) };
        let client = Generator::from(ClosedLoop::new(settings));
        let qperf = PostPoll::new(PostPollSettings { qp, bytes, rounds: rounds(1, samples) }).into();
        for (generator, opcode, inline) in
            [(client, Opcode::Send, bytes <= 100), (qperf, Opcode::Write, false)]
        {
            let mut generator = [generator];
            let mut left = times.iter();
            let steps = run(&mut generator, &Peers::new(), usize::MAX, |_, request| {
                assert_eq!((request.opcode, request.inline), (opcode, inline));
                let completes = ps(*left.next().unwrap());
                Fate { completes, arrives: Time::ZERO, truth: None }
            });
            let expected = distribution(times[1..].iter().map(|&t| t as i64));
            prop_assert_eq!(generator[0].latency().unwrap().summary(), expected.summary());
            prop_assert!(left.next().is_none());
            prop_assert_eq!(steps.last().unwrap().next, Next::Done);
        }
    }

    /// A closed loop of any depth: each completion belongs to its own post. Never more than `depth`
    /// are outstanding and, except for pauses, never fewer. As many rounds count as requested. Only
    /// the round's own position pauses.
    #[test]
    fn a_closed_loop_keeps_its_depth(
        times in prop::collection::vec(1u64..20_000_000, 1..80), depth in 1u32..12, warmup in 0usize..80,
        pause in prop::option::of(1u64..5_000_000), spread in prop::sample::select(vec![0u64, 3_000_000]), seed: u64,
    ) {
        let warmup = warmup % times.len();
        let samples = times.len() - warmup;
        let pause = pause.unwrap_or(0);
        let think = Think::uniform(ps(pause), ps(pause + spread), seed);
        let rounds = Rounds { warmup: warmup as u64, samples: samples as u64, think };
        let (qp, opcode, bytes, inline_max) = (WIRE, Opcode::Read, 8, 0);
        let settings = ClosedLoopSettings { qp, opcode, bytes, inline_max, depth, rounds };
        let mut generator = [Generator::from(ClosedLoop::new(settings))];
        let mut left = times.iter();
        let steps = run(&mut generator, &Peers::new(), usize::MAX, |_, _| {
            let completes = ps(*left.next().expect("no more posts than rounds"));
            Fate { completes, arrives: Time::ZERO, truth: None }
        });
        let (mut outstanding, mut posted) = (HashMap::new(), Vec::new());
        let (mut completed, mut took) = (Vec::new(), Vec::new());
        for step in &steps {
            for seen in &step.seen {
                let began: Time = outstanding.remove(&seen.id).unwrap();
                took.push(step.now.signed_ps_since(began));
                completed.push(step.now);
            }
            for request in &step.posts {
                prop_assert_eq!(outstanding.insert(request.id, step.now), None);
                posted.push(step.now);
            }
            prop_assert!(outstanding.len() <= depth as usize);
            let most = (times.len() - completed.len()).min(depth as usize);
            prop_assert!(outstanding.len() == most || pause + spread > 0);
        }
        prop_assert_eq!((posted.len(), completed.len()), (times.len(), times.len()));
        prop_assert_eq!(steps.last().unwrap().next, Next::Done);
        let expected = distribution(took[warmup..].iter().copied());
        prop_assert_eq!(generator[0].latency().unwrap().summary(), expected.summary());
        // With pauses of one length, posts follow the order of completions.
        let pairs = posted.iter().skip(depth as usize).zip(&completed);
        for (&next, &before) in pairs.filter(|_| spread == 0) {
            prop_assert_eq!(next, before + ps(pause));
        }
    }

    /// Ping and pong alternate, and the round trip is the sum of both directions. The completions
    /// of the SENDs, which may come at any time, have no effect.
    #[test]
    fn ping_pong_alternates(
        directions in prop::collection::vec((1u64..3_000_000, 1u64..9_000_000), 2..60),
        bytes in 1u32..500, signal_every in 1u32..5, write in any::<bool>(),
    ) {
        let opcode = if write { Opcode::Write } else { Opcode::Send };
        let n = directions.len() & !1;
        let settings = |qp| PingPongSettings {
            qp, opcode, bytes, inline_max: PingPongSettings::PERFTEST_INLINE_MAX, signal_every,
        };
        let mut pair: [Generator; 2] = [
            PingPongInitiator::new(settings(Qp(0)), rounds(0, n as u64 / 2)).into(),
            PingPongResponder::new(settings(Qp(1))).into(),
        ];
        let peers = Peers::from([((0, Qp(0)), (1, Qp(1))), ((1, Qp(1)), (0, Qp(0)))]);
        let mut sends = Vec::new();
        run(&mut pair, &peers, usize::MAX, |program, request: &WorkRequest| {
            assert_eq!((request.opcode, request.inline), (opcode, bytes <= 236));
            assert_eq!(request.signaled, request.id.is_multiple_of(u64::from(signal_every)));
            let (arrives, completes) = directions[sends.len()];
            sends.push(program);
            Fate { completes: ps(completes), arrives: ps(arrives), truth: None }
        });
        let alternating: Vec<usize> = (0..n).map(|i| i % 2).collect();
        prop_assert_eq!(sends, alternating);
        let trips = directions[..n].chunks(2).map(|w| (w[0].0 + w[1].0) as i64);
        let (measured, expected) = (pair[0].latency().unwrap(), distribution(trips));
        prop_assert_eq!(measured.summary(), expected.summary());
    }
}

fn bulk_settings() -> impl Strategy<Value = BulkSettings> {
    let sizes = (prop::sample::select(vec![1u32, 64, 1000, 4096]), 1u64..40, 0u64..64);
    let counts = (1usize..4, 1u32..20, 1u32..8, 1u32..8);
    (sizes, counts, 1u64..200, 0u64..20_000).prop_map(
        |((bytes, slots, rest), (qps, depth, batch, signal_every), messages, from)| BulkSettings {
            qps: (0..qps as u16).map(Qp).collect(),
            opcode: Opcode::Write,
            bytes,
            buffer: Bytes::new(u64::from(bytes) * slots + rest.min(u64::from(bytes) - 1)),
            depth,
            batch,
            signal_every,
            inline_max: 64,
            start: Time::ZERO,
            until: None,
            messages: Some(messages),
            rate: None,
            window: Window { from: ps(from), to: ps(from + 10_000) },
        },
    )
}

/// Messages of each queue pair that are posted and not known to be complete.
#[derive(Default)]
struct Outstanding(HashMap<Qp, (u64, u64)>);

impl Outstanding {
    fn of(&self, qp: Qp) -> u64 {
        self.0.get(&qp).map_or(0, |(posted, completed)| posted - completed)
    }
    fn total(&self) -> u64 {
        self.0.keys().map(|&qp| self.of(qp)).sum()
    }
}

proptest! {
    /// Neither buffer nor send queue is ever exceeded, no message waits that could be sent, nothing
    /// stalls, and every message counts once.
    #[test]
    fn bulk_fills_and_never_exceeds_its_limits(
        settings in bulk_settings(), delays in prop::collection::vec(1u64..5_000, 1..50),
    ) {
        let mut generator = [Generator::from(Bulk::new(settings.clone()).unwrap())];
        let mut next_delay = delays.iter().cycle();
        let steps = run(&mut generator, &Peers::new(), 100_000, |_, _| {
            let completes = ps(*next_delay.next().unwrap());
            Fate { completes, arrives: Time::ZERO, truth: None }
        });

        let budget = settings.messages.unwrap();
        let (depth, bytes) = (u64::from(settings.depth), u64::from(settings.bytes));
        let slots = settings.buffer.get() / bytes;
        let longest = u64::from(settings.batch).min((slots.min(depth) / 2).max(1));
        let (mut known, mut sent, mut in_window) = (Outstanding::default(), 0, 0);
        for step in &steps {
            for completion in &step.seen {
                let (_, completed) = known.0.get_mut(&completion.qp).unwrap();
                if (settings.window.from..settings.window.to).contains(&step.now) {
                    in_window += completion.id + 1 - *completed;
                }
                *completed = completion.id + 1;
            }
            let mut list = 0;
            for request in &step.posts {
                known.0.entry(request.qp).or_default().0 += 1;
                sent += 1;
                list += 1;
                prop_assert!(list <= longest);
                list *= u64::from(!request.ring);
                prop_assert_eq!(request.inline, settings.bytes <= 64);
                prop_assert!(known.of(request.qp) <= depth);
                prop_assert!(known.total() * bytes <= settings.buffer.get());
            }
            prop_assert_eq!(list, 0, "the last request of a step rings");
            // Work conserving: no queue pair has room for a list and messages left for it.
            let room = slots - known.total();
            for (&qp, i) in settings.qps.iter().zip(0u64..) {
                let n = settings.qps.len() as u64;
                let quota = budget / n + u64::from(i < budget % n);
                let left = quota - known.0.get(&qp).map_or(0, |(posted, _)| *posted);
                let list = longest.min(left);
                prop_assert!(list == 0 || room < list || depth - known.of(qp) < list);
            }
        }
        prop_assert_eq!(steps.last().unwrap().next, Next::Done);
        prop_assert_eq!((sent, known.total()), (budget, 0));
        let bandwidth = generator[0].bandwidth().unwrap();
        prop_assert_eq!(bandwidth.messages, in_window);
        prop_assert_eq!(bandwidth.bytes.get(), in_window * bytes);
    }
}
