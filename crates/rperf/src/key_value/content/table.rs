//! [`KeyValueTable`]: the values stored by a worker.

use super::{KEY, KEYS, Key, LENGTH};
use crate::{KeyValueQps, KeyValueSizes};
use bandwise_rdma::verbs::{Contents, Qp};

/// Values of a worker by key, and the pending responses. Initially every key has a value.
#[derive(Debug, Clone)]
pub struct KeyValueTable {
    worker: u16,
    sizes: KeyValueSizes,
    clients: Vec<Client>,
}

#[derive(Debug, Clone)]
struct Client {
    qps: KeyValueQps,
    number: u16,
    /// Values of all keys, concatenated.
    values: Box<[u8]>,
    /// Values of pending responses at the time of their request: a ring.
    due: Box<[u8]>,
    /// Number of responses prepared, and sent.
    prepared: usize,
    sent: usize,
}

impl KeyValueTable {
    /// Creates the table of worker number `worker`, with its queue pairs to all clients, ordered by
    /// client. `window` is the number of requests that a client has outstanding.
    pub fn new(worker: u16, clients: &[KeyValueQps], sizes: KeyValueSizes, window: u32) -> Self {
        let value = sizes.value as usize;
        let client = |(&qps, client): (&KeyValueQps, u16)| {
            let mut values = vec![0; value * KEYS as usize];
            for (slot, index) in values.chunks_mut(value.max(1)).zip(0..) {
                Key { client, worker, index }.value(0, slot);
            }
            Client {
                qps,
                number: client,
                values: values.into(),
                due: vec![0; value * window as usize].into(),
                prepared: 0,
                sent: 0,
            }
        };
        KeyValueTable { worker, sizes, clients: clients.iter().zip(0..).map(client).collect() }
    }
}

impl Client {
    /// Returns the position of a response in the ring.
    fn slot(&self, number: usize, value: usize) -> std::ops::Range<usize> {
        let slots = self.due.len() / value.max(1);
        let at = number % slots.max(1) * value;
        at..at + value
    }
}

impl Contents for KeyValueTable {
    fn arrived(&mut self, qp: Qp, message: &[u8]) {
        let value = self.sizes.value as usize;
        let Some(client) = self.clients.iter_mut().find(|c| c.qps.requests == qp) else { return };
        let is_mine = |key: &Key| key.client == client.number && key.worker == self.worker;
        let stored = Key::read(message).filter(is_mine).map(|key| {
            let at = key.index as usize * value;
            at..at + value
        });
        let slot = client.slot(client.prepared, value);
        client.prepared += 1;
        match (stored, message.len().checked_sub(KEY + LENGTH)) {
            (Some(stored), None) => client.due[slot].copy_from_slice(&client.values[stored]),
            (Some(stored), Some(length)) if length == value => {
                client.values[stored].copy_from_slice(&message[KEY + LENGTH..]);
            }
            // A request for an unknown key gets no stored value.
            _ => client.due[slot].fill(0),
        }
    }

    fn fill(&mut self, qp: Qp, message: &mut [u8]) {
        let value = self.sizes.value as usize;
        let Some(client) = self.clients.iter_mut().find(|c| c.qps.responses == qp) else { return };
        let slot = client.slot(client.sent, value);
        client.sent += 1;
        if message.len() == value {
            message.copy_from_slice(&client.due[slot]);
        }
    }

    fn check(&mut self) -> Result<(), String> {
        Ok(())
    }
}
