//! The key-value store's clients and workers, in virtual time.

mod mock;

use bandwise_rdma::verbs::{CompletionKind, Next, Opcode, Qp};
use bandwise_rperf::*;
use bandwise_units::Time;
use mock::{Fate, Peers, Step, run};
use proptest::prelude::*;
use std::collections::BTreeMap;

const SIZES: KeyValueSizes = KeyValueSizes::herd(32);

/// The way between client `client` and worker `worker`, as the one sees it who has `other` at its end.
fn route(other: usize) -> Route {
    Route { requests: Qp(2 * other as u16), answers: Qp(2 * other as u16 + 1) }
}

fn client(workers: usize, window: u32, put_every: u32, samples: u64) -> Generator {
    KeyValueClient::new(KeyValueClientSettings {
        workers: (0..workers).map(route).collect(),
        window,
        sizes: SIZES,
        put_every,
        inline_max: 17,
        rounds: Rounds { warmup: 0, samples, think: Think::none() },
    })
    .into()
}

fn worker(clients: usize) -> Generator {
    let clients = (0..clients).map(route).collect();
    KeyValueWorker::new(KeyValueWorkerSettings { clients, sizes: SIZES, inline_max: 64 }).into()
}

/// Clients first, then workers, every client connected with every worker.
fn store(clients: Vec<Generator>, workers: usize) -> (Vec<Generator>, Peers) {
    let n = clients.len();
    let mut peers = Peers::new();
    for client in 0..n {
        for worker in 0..workers {
            let ends = [(client, route(worker)), (n + worker, route(client))];
            for [(here, one), (there, other)] in [ends, [ends[1], ends[0]]] {
                peers.insert((here, one.requests), (there, other.requests));
                peers.insert((here, one.answers), (there, other.answers));
            }
        }
    }
    (clients.into_iter().chain((0..workers).map(|_| worker(n))).collect(), peers)
}

proptest! {
    /// Whatever the delays of each program's messages: a client never has more than its window
    /// outstanding and uses it, every request is answered by whom it went to, in the size that it asked
    /// for, and a latency is the way there and back.
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
        // Completions of what was sent come late: nobody may wait for them.
        let late = Time::from_ms(1);
        let fate = |program: usize, _: &_| Fate { completes: late, arrives: delay(program), truth: None };
        let steps = run(&mut programs, &peers, usize::MAX, fate);

        let mut asked = 0;
        let of = |opcode| move |step: &Step| {
            step.posts.iter().filter(|p| p.opcode == opcode).map(|p| p.bytes).collect::<Vec<_>>()
        };
        let requests: Vec<u32> = steps.iter().flat_map(of(Opcode::WriteImm)).collect();
        let answers: Vec<u32> = steps.iter().flat_map(of(Opcode::Send)).collect();
        prop_assert_eq!(requests.len(), answers.len());
        prop_assert!(steps.iter().flat_map(|s| &s.posts).all(|p| p.ring && p.inline == (p.bytes <= 32)));
        let (puts, empty) = (count(&requests, SIZES.put), count(&answers, 0));
        prop_assert_eq!((puts, count(&requests, SIZES.get)), (empty, count(&answers, SIZES.value)));
        if put_every == 0 {
            prop_assert_eq!(puts, 0);
        }
        for (client, program) in programs.iter().enumerate().take(clients) {
            let latency = program.latency().unwrap();
            prop_assert_eq!(latency.count(), samples);
            let ways: Vec<i64> = (0..workers)
                .map(|worker| (delay(client) + delay(clients + worker)).as_ps() as i64)
                .collect();
            prop_assert!(latency.min_ps() >= ways.iter().copied().min());
            prop_assert!(latency.max_ps() <= ways.iter().copied().max());
            asked += samples;
        }
        // Whoever has what it wanted asks no more: the last answer leaves less than a window.
        let beyond = requests.len() as u64 - asked;
        prop_assert!(beyond <= u64::from(window - 1) * clients as u64, "{beyond}");
    }
}

/// A send queue of a device is freed by completions alone, and each queue pair has one.
#[test]
fn no_queue_pair_goes_without_a_completion() {
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
fn a_client_keeps_its_window_full_and_pauses() {
    let mut one = KeyValueClient::new(KeyValueClientSettings {
        workers: vec![route(0), route(1)],
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
        qp: route(worker).answers,
        id: 0,
        kind: CompletionKind::Received,
        bytes: SIZES.value,
        truth: None,
        stamp: None,
    };
    let shape = |posts: &mut bandwise_rdma::verbs::Posts| {
        posts.drain().map(|p| (p.qp, p.bytes)).collect::<Vec<_>>()
    };
    let [a, b] = [0, 1].map(|worker| route(worker).requests);
    assert_eq!(one.step(Time::ZERO, &[], &mut posts), Next::Completion);
    assert_eq!(shape(&mut posts), [(a, SIZES.get), (b, SIZES.put), (a, SIZES.get)]);
    // What was never asked for is no answer.
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
