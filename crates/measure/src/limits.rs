//! [`Limits`]: what a client can have of a server.

use crate::peer::{ForeignError, Peer};
use bandwise_session::{AllowedPeer, Part, Side, Task, TaskError};
use bandwise_units::Bytes;
use std::time::Duration;

/// The limits for each client of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Memory of one task.
    pub memory: Bytes,
    /// Time over all tasks of a client.
    pub time: Duration,
    /// Addresses that the queue pairs of a client may have besides its own.
    pub allowed: Vec<AllowedPeer>,
}

/// A request of a client beyond the limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The task is impossible.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The task needs more memory.
    #[error("this takes {needed} of memory, and the server gives a client {most} (--memory there)")]
    Memory {
        /// The need.
        needed: Bytes,
        /// The limit.
        most: Bytes,
    },
    /// The queue pairs have an address that is not the client's.
    #[error(transparent)]
    Foreign(#[from] ForeignError),
}

impl Limits {
    /// Checks a task of a client.
    ///
    /// # Errors
    ///
    /// Returns [`LimitError`] if the client may not have this task.
    pub fn check(&self, task: &Task, side: &Side, client: &Peer) -> Result<(), LimitError> {
        client.check(side, &self.allowed)?;
        let (needed, most) = (task.plan(Part::Server)?.memory(task.threads.get()), self.memory);
        if needed > most { Err(LimitError::Memory { needed, most }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides;
    use bandwise_rdma::verbs::Transport;
    use bandwise_rdma::wire::Mtu;
    use bandwise_session::{Method, Operation};

    fn limits() -> Limits {
        let (memory, time) = (Bytes::new(256 << 20), Duration::from_secs(3_600));
        Limits { memory, time, allowed: Vec::new() }
    }

    fn side(gid: &str) -> Side {
        sides::side(gid.parse().unwrap())
    }

    fn task(bytes: u32, queue_pairs: u32, threads: u32, depth: u32) -> Task {
        Task {
            method: Method::Bulk(Operation::Send),
            transport: Transport::Rc,
            bytes: bytes.try_into().unwrap(),
            inline: 0.try_into().unwrap(),
            queue_pairs: queue_pairs.try_into().unwrap(),
            threads: threads.try_into().unwrap(),
            depth: depth.try_into().unwrap(),
            mtu: Mtu::MAX,
            sl: 0.try_into().unwrap(),
            traffic_class: 0.try_into().unwrap(),
            events: false,
            manager: false,
        }
    }

    #[test]
    fn tasks_beyond_the_limits_are_refused() {
        let client = |at: &str| Peer::new(at.parse().unwrap(), Vec::new());
        let of = |task, at| limits().check(&task, &side("::ffff:10.0.0.2"), &client(at));
        let check = |task| of(task, "10.0.0.2");
        // The largest size of a sweep, and many queue pairs of the usual depth.
        assert_eq!(check(task(8 << 20, 1, 1, 128)), Ok(()));
        assert_eq!(check(task(65_536, 512, 1, 128)), Ok(()));
        let error = check(task(1 << 30, 1, 1, 1)).unwrap_err().to_string();
        assert!(error.contains("--memory"), "{error}");
        assert!(matches!(of(task(1, 1, 1, 1), "10.0.0.3"), Err(LimitError::Foreign(_))));
        // Queues alone can take as much.
        assert!(matches!(check(task(1, 8, 64, 16_384)), Err(LimitError::Memory { .. })));
    }
}
