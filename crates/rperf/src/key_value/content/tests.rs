use super::*;
use crate::{KeyValueSizes, Route};
use bandwise_rdma::verbs::{Contents, Qp};
use proptest::prelude::*;

const ROUTE: Route = Route { requests: Qp(0), answers: Qp(1) };

/// A client and a worker of a store with those sizes, and what they say to each other.
struct Pair {
    asks: KeyValueQuestions,
    answers: KeyValueTable,
    sizes: KeyValueSizes,
}

impl Pair {
    fn new(value: u32) -> Pair {
        let sizes = KeyValueSizes::herd(value);
        let asks = KeyValueQuestions::new(0, &[ROUTE], sizes, 4);
        Pair { asks, answers: KeyValueTable::new(0, &[ROUTE], sizes, 4), sizes }
    }

    /// The next request, a PUT or a GET.
    fn ask(&mut self, puts: bool) -> Vec<u8> {
        let bytes = if puts { self.sizes.put } else { self.sizes.get };
        let mut request = vec![0; bytes as usize];
        self.asks.fill(ROUTE.requests, &mut request);
        request
    }

    fn answer(&mut self, puts: bool) -> Vec<u8> {
        let mut answer = vec![0; if puts { 0 } else { self.sizes.value as usize }];
        self.answers.fill(ROUTE.answers, &mut answer);
        answer
    }

    fn see(&mut self, answer: &[u8]) -> Result<(), String> {
        self.asks.arrived(ROUTE.answers, answer);
        self.asks.check()
    }
}

proptest! {
    /// Up to four requests under way, GETs and PUTs of the same keys in any order: every answer is taken for right, and
    /// one of which a bit is another is not.
    #[test]
    fn values_are_right(
        value in 1u32..100,
        puts in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..5), 1..200),
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let mut pair = Pair::new(value);
        for window in &puts {
            let requests: Vec<_> = window.iter().map(|&puts| pair.ask(puts)).collect();
            requests.iter().for_each(|request| pair.answers.arrived(ROUTE.requests, request));
            for &puts in window {
                let answer = pair.answer(puts);
                prop_assert_eq!(pair.see(&answer), Ok(()));
            }
        }
        let gets = puts.iter().flatten().filter(|&&puts| !puts).count();
        prop_assert_eq!(pair.asks.checked(), gets as u64);
        let request = pair.ask(false);
        pair.answers.arrived(ROUTE.requests, &request);
        let mut answer = pair.answer(false);
        answer[at.index(value as usize)] ^= 1 << bit;
        prop_assert!(pair.see(&answer).unwrap_err().contains("another value"));
        prop_assert_eq!(pair.asks.checked(), gets as u64);
    }

    /// Any bytes as a request are answered with something, and with no value that was stored.
    #[test]
    fn any_request(request in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut pair = Pair::new(32);
        pair.answers.arrived(ROUTE.requests, &request);
        prop_assert_eq!(pair.answer(false), vec![0; 32]);
    }
}

/// One that is lost, out of its order, or not asked for.
#[test]
fn answers_must_be_to_what_was_asked() {
    let two = |puts: [bool; 2]| {
        let mut pair = Pair::new(32);
        let requests = puts.map(|puts| pair.ask(puts));
        requests.iter().for_each(|request| pair.answers.arrived(ROUTE.requests, request));
        let answers = puts.map(|puts| pair.answer(puts));
        (pair, answers)
    };
    let (mut pair, [_, second]) = two([false, false]);
    assert!(pair.see(&second).unwrap_err().contains("A datagram was lost"));
    let (mut pair, [_, value]) = two([true, false]);
    assert_eq!(pair.see(&value), Err("a PUT was answered with 32 B".to_owned()));
    let (mut pair, [one, other]) = two([false, true]);
    assert_eq!((pair.see(&one), pair.see(&other)), (Ok(()), Ok(())));
    assert!(pair.see(&other).unwrap_err().contains("nobody has asked"));
}

/// A value is of its key and of how often that was put, and no two look alike.
#[test]
fn values_differ() {
    let mut all = std::collections::BTreeSet::new();
    for client in 0..3 {
        for worker in 0..3 {
            for index in 0..KEYS {
                for version in 0..3 {
                    let mut value = [0; 32];
                    Key { client, worker, index }.value(version, &mut value);
                    assert!(all.insert(value), "{client} {worker} {index} {version}");
                }
            }
        }
    }
}
