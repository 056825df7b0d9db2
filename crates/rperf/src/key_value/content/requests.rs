//! [`KeyValueRequests`]: contents of a client's requests, and checks of the responses.

use super::{KEY, KEYS, Key, LENGTH, spread};
use crate::{KeyValueQps, KeyValueSizes};
use bandwise_rdma::verbs::{Contents, Qp};
use std::collections::VecDeque;

/// Requests of a client, and the responses to them. Keys are random and uniform.
#[derive(Debug, Clone)]
pub struct KeyValueRequests {
    sizes: KeyValueSizes,
    workers: Vec<Worker>,
    /// Responses not yet checked: index of the worker, and length.
    unchecked: Vec<(usize, usize)>,
    /// Contents of those responses, concatenated.
    responses: Vec<u8>,
    /// The expected value.
    expected: Box<[u8]>,
    checked: u64,
}

#[derive(Debug, Clone)]
struct Worker {
    qps: KeyValueQps,
    client: u16,
    number: u16,
    /// Number of requests to this worker.
    requests: u64,
    /// Number of PUTs of each key.
    versions: Box<[u32]>,
    /// Requests without a response, oldest first.
    pending: VecDeque<Request>,
}

#[derive(Debug, Clone, Copy)]
enum Request {
    /// A GET, with its key and the expected version.
    Get(Key, u32),
    Put,
}

impl KeyValueRequests {
    /// Creates the requests of client number `client`, with its queue pairs to all workers, ordered
    /// by worker. `window` is the number of requests outstanding.
    pub fn new(client: u16, workers: &[KeyValueQps], sizes: KeyValueSizes, window: u32) -> Self {
        let worker = |(&qps, number)| Worker {
            qps,
            client,
            number,
            requests: 0,
            versions: vec![0; KEYS as usize].into(),
            pending: VecDeque::with_capacity(window as usize),
        };
        let window = window as usize;
        KeyValueRequests {
            sizes,
            workers: workers.iter().zip(0..).map(worker).collect(),
            unchecked: Vec::with_capacity(window),
            responses: Vec::with_capacity(window * sizes.value as usize),
            expected: vec![0; sizes.value as usize].into(),
            checked: 0,
        }
    }

    /// Returns the number of values that were checked and correct.
    pub fn checked(&self) -> u64 {
        self.checked
    }
}

impl Worker {
    fn draw(&mut self) -> Key {
        let Worker { client, number: worker, .. } = *self;
        let all = Key { client, worker, index: 0 }.number();
        self.requests += 1;
        Key {
            client,
            worker,
            index: (spread(spread(all) ^ self.requests) % u64::from(KEYS)) as u32,
        }
    }
}

impl Contents for KeyValueRequests {
    fn arrived(&mut self, qp: Qp, message: &[u8]) {
        if let Some(worker) = self.workers.iter().position(|w| w.qps.responses == qp) {
            self.unchecked.push((worker, message.len()));
            self.responses.extend_from_slice(message);
        }
    }

    fn fill(&mut self, qp: Qp, message: &mut [u8]) {
        let worker = self.workers.iter_mut().find(|w| w.qps.requests == qp);
        let Some(worker) = worker.filter(|_| message.len() >= KEY) else { return };
        let key = worker.draw();
        key.write(message);
        let version = &mut worker.versions[key.index as usize];
        worker.pending.push_back(if message.len() == self.sizes.put as usize {
            *version = version.wrapping_add(1);
            let (length, value) = message[KEY..].split_at_mut(LENGTH);
            length.copy_from_slice(&(value.len() as u16).to_le_bytes());
            key.value(*version, value);
            Request::Put
        } else {
            Request::Get(key, *version)
        });
    }

    fn check(&mut self) -> Result<(), String> {
        let mut rest = &self.responses[..];
        for (worker, length) in self.unchecked.drain(..) {
            let (response, others) = rest.split_at(length);
            rest = others;
            match self.workers[worker].pending.pop_front() {
                None => return Err(format!("worker {worker} sent a response without a request")),
                Some(Request::Put) if response.is_empty() => {}
                Some(Request::Put) => return Err(format!("the response to a PUT has {length} B")),
                Some(Request::Get(key, version)) => {
                    key.value(version, &mut self.expected);
                    if *response != *self.expected {
                        return Err(format!(
                            "worker {worker} responded to a GET with another value than was put. A datagram was lost, \
                             which is not retransmitted, or memory does not contain what was written"
                        ));
                    }
                    self.checked += 1;
                }
            }
        }
        self.responses.clear();
        Ok(())
    }
}
