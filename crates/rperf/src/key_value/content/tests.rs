use super::*;
use crate::{KeyValueQps, KeyValueSizes};
use bandwise_rdma::verbs::{Contents, Qp};
use proptest::prelude::*;

const QPS: KeyValueQps = KeyValueQps { requests: Qp(0), responses: Qp(1) };

/// A client and a worker of a store with given sizes.
struct Pair {
    client: KeyValueRequests,
    worker: KeyValueTable,
    sizes: KeyValueSizes,
}

impl Pair {
    fn new(value: u32) -> Pair {
        let sizes = KeyValueSizes::herd(value);
        let client = KeyValueRequests::new(0, &[QPS], sizes, 4);
        Pair { client, worker: KeyValueTable::new(0, &[QPS], sizes, 4), sizes }
    }

    /// Returns the next request, a PUT or a GET.
    fn request(&mut self, puts: bool) -> Vec<u8> {
        let bytes = if puts { self.sizes.put } else { self.sizes.get };
        let mut request = vec![0; bytes as usize];
        self.client.fill(QPS.requests, &mut request);
        request
    }

    fn response(&mut self, puts: bool) -> Vec<u8> {
        let mut response = vec![0; if puts { 0 } else { self.sizes.value as usize }];
        self.worker.fill(QPS.responses, &mut response);
        response
    }

    fn see(&mut self, response: &[u8]) -> Result<(), String> {
        self.client.arrived(QPS.responses, response);
        self.client.check()
    }
}

proptest! {
    /// With up to four requests outstanding, GETs and PUTs of the same keys in any order: every
    /// response is accepted, and a response with a flipped bit is refused.
    #[test]
    fn correct_values_are_accepted(
        value in 1u32..100,
        puts in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..5), 1..200),
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let mut pair = Pair::new(value);
        for window in &puts {
            let requests: Vec<_> = window.iter().map(|&puts| pair.request(puts)).collect();
            requests.iter().for_each(|request| pair.worker.arrived(QPS.requests, request));
            for &puts in window {
                let response = pair.response(puts);
                prop_assert_eq!(pair.see(&response), Ok(()));
            }
        }
        let gets = puts.iter().flatten().filter(|&&puts| !puts).count();
        prop_assert_eq!(pair.client.checked(), gets as u64);
        let request = pair.request(false);
        pair.worker.arrived(QPS.requests, &request);
        let mut response = pair.response(false);
        response[at.index(value as usize)] ^= 1 << bit;
        prop_assert!(pair.see(&response).unwrap_err().contains("another value"));
        prop_assert_eq!(pair.client.checked(), gets as u64);
    }

    /// Any bytes as a request get a response without a stored value.
    #[test]
    fn invalid_requests_get_no_stored_value(request in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut pair = Pair::new(32);
        pair.worker.arrived(QPS.requests, &request);
        prop_assert_eq!(pair.response(false), vec![0; 32]);
    }
}

/// Lost, reordered and unrequested responses are refused.
#[test]
fn responses_must_match_requests() {
    let two = |puts: [bool; 2]| {
        let mut pair = Pair::new(32);
        let requests = puts.map(|puts| pair.request(puts));
        requests.iter().for_each(|request| pair.worker.arrived(QPS.requests, request));
        let responses = puts.map(|puts| pair.response(puts));
        (pair, responses)
    };
    let (mut pair, [_, second]) = two([false, false]);
    assert!(pair.see(&second).unwrap_err().contains("A datagram was lost"));
    let (mut pair, [_, value]) = two([true, false]);
    assert_eq!(pair.see(&value), Err("the response to a PUT has 32 B".to_owned()));
    let (mut pair, [one, other]) = two([false, true]);
    assert_eq!((pair.see(&one), pair.see(&other)), (Ok(()), Ok(())));
    assert!(pair.see(&other).unwrap_err().contains("without a request"));
}

/// A value depends on its key and version, and all are distinct.
#[test]
fn values_are_distinct() {
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
