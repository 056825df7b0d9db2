//! [`KeyValueQuestions`]: what a client asks, and whether the answers are right.

use super::{KEY, KEYS, Key, LENGTH, spread};
use crate::{KeyValueSizes, Route};
use bandwise_rdma::verbs::{Contents, Qp};
use std::collections::VecDeque;

/// The requests of a client and the answers to them. Keys are drawn evenly.
#[derive(Debug, Clone)]
pub struct KeyValueQuestions {
    sizes: KeyValueSizes,
    workers: Vec<Worker>,
    /// Answers that are not looked at yet: the place of their worker, and how long they are.
    came: Vec<(usize, usize)>,
    /// What they hold, one behind the other.
    answers: Vec<u8>,
    /// A value as it must be.
    right: Box<[u8]>,
    checked: u64,
}

#[derive(Debug, Clone)]
struct Worker {
    route: Route,
    client: u16,
    number: u16,
    /// How many requests it got.
    asks: u64,
    /// How often each key was put.
    versions: Box<[u32]>,
    /// Requests that are not answered, oldest first.
    asked: VecDeque<Asked>,
}

#[derive(Debug, Clone, Copy)]
enum Asked {
    /// With the version that must come.
    Get(Key, u32),
    Put,
}

impl KeyValueQuestions {
    /// Those of a client, by its number, with its ways to all workers, in the order of their numbers. `window` is how
    /// many it has under way.
    pub fn new(client: u16, workers: &[Route], sizes: KeyValueSizes, window: u32) -> Self {
        let worker = |(&route, number)| Worker {
            route,
            client,
            number,
            asks: 0,
            versions: vec![0; KEYS as usize].into(),
            asked: VecDeque::with_capacity(window as usize),
        };
        let window = window as usize;
        KeyValueQuestions {
            sizes,
            workers: workers.iter().zip(0..).map(worker).collect(),
            came: Vec::with_capacity(window),
            answers: Vec::with_capacity(window * sizes.value as usize),
            right: vec![0; sizes.value as usize].into(),
            checked: 0,
        }
    }

    /// How many values have come that were looked at, all of them right.
    pub fn checked(&self) -> u64 {
        self.checked
    }
}

impl Worker {
    fn draw(&mut self) -> Key {
        let Worker { client, number: worker, .. } = *self;
        let all = Key { client, worker, index: 0 }.number();
        self.asks += 1;
        Key { client, worker, index: (spread(spread(all) ^ self.asks) % u64::from(KEYS)) as u32 }
    }
}

impl Contents for KeyValueQuestions {
    fn arrived(&mut self, qp: Qp, message: &[u8]) {
        if let Some(worker) = self.workers.iter().position(|w| w.route.answers == qp) {
            self.came.push((worker, message.len()));
            self.answers.extend_from_slice(message);
        }
    }

    fn fill(&mut self, qp: Qp, message: &mut [u8]) {
        let worker = self.workers.iter_mut().find(|w| w.route.requests == qp);
        let Some(worker) = worker.filter(|_| message.len() >= KEY) else { return };
        let key = worker.draw();
        key.write(message);
        let version = &mut worker.versions[key.index as usize];
        worker.asked.push_back(if message.len() == self.sizes.put as usize {
            *version = version.wrapping_add(1);
            let (length, value) = message[KEY..].split_at_mut(LENGTH);
            length.copy_from_slice(&(value.len() as u16).to_le_bytes());
            key.value(*version, value);
            Asked::Put
        } else {
            Asked::Get(key, *version)
        });
    }

    fn check(&mut self) -> Result<(), String> {
        let mut rest = &self.answers[..];
        for (worker, length) in self.came.drain(..) {
            let (answer, others) = rest.split_at(length);
            rest = others;
            match self.workers[worker].asked.pop_front() {
                None => return Err(format!("worker {worker} answered what nobody has asked")),
                Some(Asked::Put) if answer.is_empty() => {}
                Some(Asked::Put) => return Err(format!("a PUT was answered with {length} B")),
                Some(Asked::Get(key, version)) => {
                    key.value(version, &mut self.right);
                    if *answer != *self.right {
                        return Err(format!(
                            "worker {worker} answered a GET with another value than was put there. A datagram was lost, \
                             which is not sent again, or memory does not hold what was written"
                        ));
                    }
                    self.checked += 1;
                }
            }
        }
        self.answers.clear();
        Ok(())
    }
}
