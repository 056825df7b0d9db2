//! [`KeyValueWorker`]: the responding side.

use super::{KeyValueQps, KeyValueSizes, SIGNAL_EVERY};
use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Opcode, Posts, Program, WorkRequest};
use bandwise_units::Time;

/// Settings of [`KeyValueWorker`].
#[derive(Debug, Clone)]
pub struct KeyValueWorkerSettings {
    /// Queue pairs to the clients.
    pub clients: Vec<KeyValueQps>,
    /// Sizes of requests and responses.
    pub sizes: KeyValueSizes,
    /// Largest response sent inline in the WQE, in bytes.
    pub inline_max: u32,
}

/// A worker of a key-value store. It responds to every request, and never ends. A look-up takes no
/// time.
#[derive(Debug, Clone)]
pub struct KeyValueWorker {
    clients: Vec<Client>,
    sizes: KeyValueSizes,
    inline_max: u32,
}

#[derive(Debug, Clone)]
struct Client {
    qps: KeyValueQps,
    /// Number of responses sent.
    responses: u64,
}

impl KeyValueWorker {
    /// Creates a worker.
    pub fn new(settings: KeyValueWorkerSettings) -> Self {
        let KeyValueWorkerSettings { clients, sizes, inline_max } = settings;
        let clients = clients.into_iter().map(|qps| Client { qps, responses: 0 }).collect();
        KeyValueWorker { clients, sizes, inline_max }
    }

    /// Returns the number of responses sent.
    pub fn responses(&self) -> u64 {
        self.clients.iter().map(|client| client.responses).sum()
    }
}

impl Program for KeyValueWorker {
    fn step(&mut self, _now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for request in seen.iter().filter(|c| c.kind == CompletionKind::Received) {
            let from = self.clients.iter_mut().find(|c| c.qps.requests == request.qp);
            let Some(client) = from else { continue };
            let bytes = if request.bytes == self.sizes.get { self.sizes.value } else { 0 };
            posts.post(WorkRequest {
                qp: client.qps.responses,
                id: client.responses,
                opcode: Opcode::Send,
                bytes,
                signaled: client.responses.is_multiple_of(SIGNAL_EVERY),
                inline: bytes <= self.inline_max,
                ring: true,
            });
            client.responses += 1;
        }
        Next::Completion
    }
}
