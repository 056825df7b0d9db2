//! [`KeyValueWorker`]: the side that answers.

use super::{KeyValueSizes, Route, SIGNAL_EVERY};
use bandwise_rdma::verbs::{Completion, CompletionKind, Next, Opcode, Posts, Program, WorkRequest};
use bandwise_units::Time;

/// What [`KeyValueWorker`] is to do.
#[derive(Debug, Clone)]
pub struct KeyValueWorkerSettings {
    /// Its ways to the clients.
    pub clients: Vec<Route>,
    /// How large requests and answers are.
    pub sizes: KeyValueSizes,
    /// The largest answer that travels inside the WQE, bytes.
    pub inline_max: u32,
}

/// A worker of a key-value store: it answers every request to whom it came from, and never ends. Looking
/// up a key takes it no time.
#[derive(Debug, Clone)]
pub struct KeyValueWorker {
    clients: Vec<Client>,
    sizes: KeyValueSizes,
    inline_max: u32,
}

#[derive(Debug, Clone)]
struct Client {
    route: Route,
    /// How many of its requests are answered.
    answered: u64,
}

impl KeyValueWorker {
    /// A worker that is about to begin.
    pub fn new(settings: KeyValueWorkerSettings) -> Self {
        let KeyValueWorkerSettings { clients, sizes, inline_max } = settings;
        let clients = clients.into_iter().map(|route| Client { route, answered: 0 }).collect();
        KeyValueWorker { clients, sizes, inline_max }
    }

    /// How many requests it has answered.
    pub fn answered(&self) -> u64 {
        self.clients.iter().map(|client| client.answered).sum()
    }
}

impl Program for KeyValueWorker {
    fn step(&mut self, _now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        for request in seen.iter().filter(|c| c.kind == CompletionKind::Received) {
            let from = self.clients.iter_mut().find(|c| c.route.requests == request.qp);
            let Some(client) = from else { continue };
            let bytes = if request.bytes == self.sizes.get { self.sizes.value } else { 0 };
            posts.post(WorkRequest {
                qp: client.route.answers,
                id: client.answered,
                opcode: Opcode::Send,
                bytes,
                signaled: client.answered.is_multiple_of(SIGNAL_EVERY),
                inline: bytes <= self.inline_max,
                ring: true,
            });
            client.answered += 1;
        }
        Next::Completion
    }
}
