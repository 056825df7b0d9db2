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
    settings: KeyValueWorkerSettings,
    answered: u64,
}

impl KeyValueWorker {
    /// A worker that is about to begin.
    pub fn new(settings: KeyValueWorkerSettings) -> Self {
        KeyValueWorker { settings, answered: 0 }
    }

    /// How many requests it has answered.
    pub fn answered(&self) -> u64 {
        self.answered
    }
}

impl Program for KeyValueWorker {
    fn step(&mut self, _now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        let KeyValueWorkerSettings { clients, sizes, inline_max } = &self.settings;
        for request in seen.iter().filter(|c| c.kind == CompletionKind::Received) {
            let Some(client) = clients.iter().find(|c| c.requests == request.qp) else { continue };
            let bytes = if request.bytes == sizes.get { sizes.value } else { 0 };
            posts.post(WorkRequest {
                qp: client.answers,
                id: self.answered,
                opcode: Opcode::Send,
                bytes,
                signaled: self.answered.is_multiple_of(SIGNAL_EVERY),
                inline: bytes <= *inline_max,
                ring: true,
            });
            self.answered += 1;
        }
        Next::Completion
    }
}
