//! The key-value store's clients and workers, in virtual time.

mod mock;

use bandwise_rdma::verbs::{CompletionKind, Next, Opcode, Qp};
use bandwise_rperf::*;
use bandwise_units::Time;
use mock::{Fate, Peers, Step, run};
use proptest::prelude::*;
use std::collections::BTreeMap;

const SIZES: KeyValueSizes = KeyValueSizes::herd(32);

/// Queue pairs between a client and a worker, as seen by one whose peer is `other`.
fn qps(other: usize) -> KeyValueQps {
    KeyValueQps { requests: Qp(2 * other as u16), responses: Qp(2 * other as u16 + 1) }
}

fn client(workers: usize, window: u32, put_every: u32, samples: u64) -> Generator {
    KeyValueClient::new(KeyValueClientSettings {
        workers: (0..workers).map(qps).collect(),
        window,
        sizes: SIZES,
        put_every,
        inline_max: 17,
        rounds: Rounds { warmup: 0, samples, think: Think::none() },
    })
    .into()
}

fn worker(clients: usize) -> Generator {
    let clients = (0..clients).map(qps).collect();
    KeyValueWorker::new(KeyValueWorkerSettings { clients, sizes: SIZES, inline_max: 64 }).into()
}

/// Returns clients first, then workers, with every client connected to every worker.
fn store(clients: Vec<Generator>, workers: usize) -> (Vec<Generator>, Peers) {
    let n = clients.len();
    let mut peers = Peers::new();
    for client in 0..n {
        for worker in 0..workers {
            let ends = [(client, qps(worker)), (n + worker, qps(client))];
            for [(here, one), (there, other)] in [ends, [ends[1], ends[0]]] {
                peers.insert((here, one.requests), (there, other.requests));
                peers.insert((here, one.responses), (there, other.responses));
            }
        }
    }
    (clients.into_iter().chain((0..workers).map(|_| worker(n))).collect(), peers)
}

proptest! {
    /// For any delays of each program's messages: a client never exceeds its window and uses all of
    /// it. Every request gets one response from its worker, in the requested size. A latency is the
    /// sum of both directions.
    #[test]
    fn every_request_is_answered_once(
        delays in prop::collection::vec(1u64..5_000, 6),
        clients in 1usize..4,
        workers in 1usize..4,
        window in 1u32..6,
        put_every in 0u32..4,
        samples in 1u64..60,
    ) {
        let all = (0..clients).map(|_| client(workers, window, put_every, samples)).collect();
        let (mut programs, peers) = store(all, workers);
        let delay = |program: usize| {
            let place = if program < clients { program } else { 3 + program - clients };
            Time::from_ps(delays[place] * 1_000)
        };
        // Send completions are late: no program may wait for them.
        let late = Time::from_ms(1);
        let fate = |program: usize, _: &_| Fate { completes: late, arrives: delay(program), truth: None };
        let steps = run(&mut programs, &peers, usize::MAX, fate);

        let mut requested = 0;
        let of = |opcode| move |step: &Step| {
            step.posts.iter().filter(|p| p.opcode == opcode).map(|p| p.bytes).collect::<Vec<_>>()
        };
        let requests: Vec<u32> = steps.iter().flat_map(of(Opcode::WriteImm)).collect();
        let responses: Vec<u32> = steps.iter().flat_map(of(Opcode::Send)).collect();
        prop_assert_eq!(requests.len(), responses.len());
        prop_assert!(steps.iter().flat_map(|s| &s.posts).all(|p| p.ring && p.inline == (p.bytes <= 32)));
        let (puts, empty) = (count(&requests, SIZES.put), count(&responses, 0));
        prop_assert_eq!((puts, count(&requests, SIZES.get)), (empty, count(&responses, SIZES.value)));
        if put_every == 0 {
            prop_assert_eq!(puts, 0);
        }
        for (client, program) in programs.iter().enumerate().take(clients) {
            let latency = program.latency().unwrap();
            prop_assert_eq!(latency.count(), samples);
            let round_trips: Vec<i64> = (0..workers)
                .map(|worker| (delay(client) + delay(clients + worker)).as_ps() as i64)
                .collect();
            prop_assert!(latency.min_ps() >= round_trips.iter().copied().min());
            prop_assert!(latency.max_ps() <= round_trips.iter().copied().max());
            requested += samples;
        }
        // A finished client posts no more: after the last response, fewer than a window are
        // outstanding.
        let beyond = requests.len() as u64 - requested;
        prop_assert!(beyond <= u64::from(window - 1) * clients as u64, "{beyond}");
    }
}

/// Only completions free a device's send queue, and each queue pair has its own.
#[test]
fn every_queue_pair_gets_completions() {
    let all = (0..2).map(|_| client(4, 4, 20, 2_000)).collect();
    let (mut programs, peers) = store(all, 4);
    let soon = Time::from_us(2);
    let fate = |_: usize, _: &_| Fate { completes: soon, arrives: soon, truth: None };
    let steps = run(&mut programs, &peers, usize::MAX, fate);
    let mut without: BTreeMap<(usize, Qp), u32> = BTreeMap::new();
    for step in &steps {
        for post in &step.posts {
            let count = without.entry((step.program, post.qp)).or_default();
            *count = if post.signaled { 0 } else { *count + 1 };
            assert!(*count < 64, "{:?} of program {}", post.qp, step.program);
        }
    }
    assert_eq!(without.len(), 2 * 2 * 4);
}

fn count(all: &[u32], bytes: u32) -> usize {
    all.iter().filter(|&&b| b == bytes).count()
}

#[test]
fn client_fills_its_window_and_pauses() {
    let mut one = KeyValueClient::new(KeyValueClientSettings {
        workers: vec![qps(0), qps(1)],
        window: 3,
        sizes: SIZES,
        put_every: 2,
        inline_max: 0,
        rounds: Rounds {
            warmup: 1,
            samples: 1,
            think: Think::uniform(Time::from_ns(7), Time::from_ns(7), 1),
        },
    });
    let mut posts = bandwise_rdma::verbs::Posts::default();
    let answer = |worker: usize| bandwise_rdma::verbs::Completion {
        qp: qps(worker).responses,
        id: 0,
        kind: CompletionKind::Received,
        bytes: SIZES.value,
        truth: None,
        stamp: None,
    };
    let shape = |posts: &mut bandwise_rdma::verbs::Posts| {
        posts.drain().map(|p| (p.qp, p.bytes)).collect::<Vec<_>>()
    };
    let [a, b] = [0, 1].map(|worker| qps(worker).requests);
    assert_eq!(one.step(Time::ZERO, &[], &mut posts), Next::Completion);
    assert_eq!(shape(&mut posts), [(a, SIZES.get), (b, SIZES.put), (a, SIZES.get)]);
    // A completion of an unknown queue pair is no response.
    let stray = bandwise_rdma::verbs::Completion { qp: Qp(99), ..answer(0) };
    assert_eq!(one.step(Time::from_ns(1), &[stray], &mut posts), Next::Completion);
    let next = one.step(Time::from_ns(10), &[answer(1)], &mut posts);
    assert_eq!(next, Next::At(Time::from_ns(17)));
    assert_eq!(one.step(Time::from_ns(17), &[], &mut posts), Next::Completion);
    assert_eq!(shape(&mut posts), [(b, SIZES.put)]);
    assert_eq!(one.step(Time::from_ns(30), &[answer(1)], &mut posts), Next::Done);
    assert_eq!(one.measure().latency().max_ps(), Some(13_000));
    assert!(posts.is_empty());
}
