//! [`KeyValueTable`]: what a worker has stored.

use super::{KEY, KEYS, Key, LENGTH};
use crate::{KeyValueSizes, Route};
use bandwise_rdma::verbs::{Contents, Qp};

/// The values of a worker, by key, and the answers that are due. At first every key has a value.
#[derive(Debug, Clone)]
pub struct KeyValueTable {
    worker: u16,
    sizes: KeyValueSizes,
    clients: Vec<Client>,
}

#[derive(Debug, Clone)]
struct Client {
    route: Route,
    number: u16,
    /// The values of all keys, one behind the other.
    values: Box<[u8]>,
    /// Values to answer with, as they were when it was asked: a ring.
    due: Box<[u8]>,
    /// How many answers were made and sent.
    made: usize,
    sent: usize,
}

impl KeyValueTable {
    /// That of a worker, by its number, with its ways to all clients, in the order of their numbers. `window` is how
    /// many requests a client has under way.
    pub fn new(worker: u16, clients: &[Route], sizes: KeyValueSizes, window: u32) -> Self {
        let value = sizes.value as usize;
        let client = |(&route, client): (&Route, u16)| {
            let mut values = vec![0; value * KEYS as usize];
            for (place, index) in values.chunks_mut(value.max(1)).zip(0..) {
                Key { client, worker, index }.value(0, place);
            }
            Client {
                route,
                number: client,
                values: values.into(),
                due: vec![0; value * window as usize].into(),
                made: 0,
                sent: 0,
            }
        };
        KeyValueTable { worker, sizes, clients: clients.iter().zip(0..).map(client).collect() }
    }
}

impl Client {
    /// The place of the next of so many answers in the ring.
    fn place(&self, number: usize, value: usize) -> std::ops::Range<usize> {
        let places = self.due.len() / value.max(1);
        let at = number % places.max(1) * value;
        at..at + value
    }
}

impl Contents for KeyValueTable {
    fn arrived(&mut self, qp: Qp, message: &[u8]) {
        let value = self.sizes.value as usize;
        let Some(client) = self.clients.iter_mut().find(|c| c.route.requests == qp) else { return };
        let is_mine = |key: &Key| key.client == client.number && key.worker == self.worker;
        let stored = Key::read(message).filter(is_mine).map(|key| {
            let at = key.index as usize * value;
            at..at + value
        });
        let place = client.place(client.made, value);
        client.made += 1;
        match (stored, message.len().checked_sub(KEY + LENGTH)) {
            (Some(stored), None) => client.due[place].copy_from_slice(&client.values[stored]),
            (Some(stored), Some(length)) if length == value => {
                client.values[stored].copy_from_slice(&message[KEY + LENGTH..]);
            }
            // Who asks for what is not there gets nothing that was put anywhere.
            _ => client.due[place].fill(0),
        }
    }

    fn fill(&mut self, qp: Qp, message: &mut [u8]) {
        let value = self.sizes.value as usize;
        let Some(client) = self.clients.iter_mut().find(|c| c.route.answers == qp) else { return };
        let place = client.place(client.sent, value);
        client.sent += 1;
        if message.len() == value {
            message.copy_from_slice(&client.due[place]);
        }
    }

    fn check(&mut self) -> Result<(), String> {
        Ok(())
    }
}
