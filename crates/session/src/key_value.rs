//! [`KeyValue`]: a key-value store between two hosts, and its queue pairs.

use crate::task::{MOST_QUEUE_PAIRS, MOST_REQUESTS, RECVS};
use crate::{Part, Plan, Task, TaskError, WantedPages, Within};
use bandwise_rdma::verbs::{Qp, Transport};
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{KeyValueQps, KeyValueSizes};
use serde::{Deserialize, Serialize};

/// A key-value store in the manner of HERD: every client sends requests to every worker. Each
/// client and worker is a thread. For each thread of the other side, a thread has a connection (RC)
/// for requests and a queue pair for datagrams (UD) for responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyValue {
    /// The number of clients, which send requests.
    pub clients: Within<1, 64>,
    /// The number of workers, which respond.
    pub workers: Within<1, 64>,
    /// The number of requests per PUT; 0 for none.
    pub put_every: u32,
}

/// The number of requests of a queue pair that may be complete without a polled completion, besides
/// the outstanding ones. One in 64 is signalled.
const UNSEEN: u32 = 256;

impl KeyValue {
    /// The longest value in bytes, which fits a packet with its key.
    pub const MOST: u32 = Mtu::MAX.get() - KeyValueSizes::herd(0).put;

    /// Returns the number of queue pairs of each kind of a thread: one for each thread of the other side.
    const fn routes(self, part: Part) -> u32 {
        match part {
            Part::Client => self.workers.get(),
            Part::Server => self.clients.get(),
        }
    }

    /// Returns the queue pairs of a thread to each thread of the other side, in the order of these
    /// threads.
    pub fn queue_pairs(self, part: Part) -> Vec<KeyValueQps> {
        let routes = self.routes(part) as u16;
        let qp = |number| KeyValueQps { requests: Qp(number), responses: Qp(routes + number) };
        (0..routes).map(qp).collect()
    }

    /// Returns the queue pairs of each thread of a side.
    pub(super) fn plan(self, task: &Task, part: Part) -> Result<Plan, TaskError> {
        let (value, depth, routes) = (task.bytes.get(), task.depth.get(), self.routes(part));
        let (clients, workers) = (self.clients.get(), self.workers.get());
        if task.transport == Transport::Ud {
            return Err(TaskError::NotByDatagrams);
        }
        if value > KeyValue::MOST {
            return Err(TaskError::Value(value));
        }
        if 2 * clients * workers > MOST_QUEUE_PAIRS {
            return Err(TaskError::TooManyPairs {
                queue_pairs: 2 * routes,
                threads: task.threads_of(part),
            });
        }
        if 2 * clients * workers * depth > MOST_REQUESTS {
            return Err(TaskError::TooMany { queue_pairs: 2 * clients * workers, depth });
        }
        // All outstanding requests of a client may be at one worker. Half of the RECVs may be used up.
        let (send_depth, recv_depth) = (UNSEEN + depth, 2 * depth.max(RECVS / 2));
        let bytes = KeyValueSizes::herd(value).put;
        Ok(Plan {
            transport: Transport::Rc,
            queue_pairs: routes as u16,
            datagrams: routes as u16,
            loopback: false,
            bytes,
            send_depth,
            reads: 1,
            recv_depth,
            completions: 2 * routes * (send_depth + recv_depth),
            inline: task.inline.get().min(bytes),
            has_contents: true,
            sees_writes: false,
            pages: WantedPages::Ordinary,
            stamps: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use proptest::prelude::*;

    fn task(clients: u32, workers: u32, value: u32, depth: u32) -> Task {
        let store = KeyValue {
            clients: clients.try_into().unwrap(),
            workers: workers.try_into().unwrap(),
            put_every: 20,
        };
        crate::task::tests::task(Method::KeyValue(store), value, 1, depth)
    }

    proptest! {
        /// Both sides have the same queue pairs, with the same slots in memory; a client's outstanding requests fit
        /// half of the RECVs; and the longest message fits a packet.
        #[test]
        fn both_sides_have_matching_queue_pairs(clients in 1u32..=64, workers in 1u32..=64, value in 0u32..5000, depth in 1u32..=16384) {
            let task = task(clients, workers, value, depth);
            let (asks, answers) = (task.plan(Part::Client), task.plan(Part::Server));
            prop_assert_eq!(asks.is_ok(), answers.is_ok());
            if let (Ok(asks), Ok(answers)) = (asks, answers) {
                let pairs = |plan: Plan, part| u32::from(plan.queue_pairs + plan.datagrams) * task.threads_of(part);
                prop_assert_eq!(pairs(asks, Part::Client), pairs(answers, Part::Server));
                prop_assert_eq!((asks.recv_depth, asks.bytes), (answers.recv_depth, answers.bytes));
                prop_assert!(asks.recv_depth >= 2 * depth && asks.send_depth > depth + 2 * 64);
                prop_assert!(asks.bytes <= Mtu::MAX.get());
                // A region has a size of 32 bits.
                let places = u64::from(pairs(asks, Part::Client)) * u64::from(asks.recv_depth);
                prop_assert!(places * (u64::from(asks.bytes) + 104) < 1 << 32);
            }
        }
    }

    #[test]
    fn invalid_key_value_tasks_are_refused() {
        let error = |task: Task| task.plan(Part::Client).unwrap_err();
        assert!(task(4, 4, KeyValue::MOST, 4).plan(Part::Server).is_ok());
        assert_eq!(error(task(4, 4, KeyValue::MOST + 1, 4)), TaskError::Value(4079));
        assert_eq!(
            error(task(64, 9, 32, 4)),
            TaskError::TooManyPairs { queue_pairs: 18, threads: 64 }
        );
        assert!(matches!(error(task(16, 16, 32, 16384)), TaskError::TooMany { .. }));
        let ud = Task { transport: Transport::Ud, ..task(1, 1, 32, 4) };
        assert_eq!(error(ud), TaskError::NotByDatagrams);
        assert_eq!(error(Task { manager: true, ..task(1, 1, 32, 4) }), TaskError::NotByManager);
    }

    /// Queue pairs of requests come before those of responses, in the order of the message to the other side.
    #[test]
    fn thread_pair_has_request_and_response_queue_pairs() {
        let Method::KeyValue(store) = task(2, 3, 32, 4).method else { unreachable!() };
        let qps = store.queue_pairs(Part::Client);
        let numbers = qps.iter().map(|qp| (qp.requests.0, qp.responses.0)).collect::<Vec<_>>();
        assert_eq!(numbers, [(0, 3), (1, 4), (2, 5)]);
        assert_eq!(store.queue_pairs(Part::Server).len(), 2);
    }
}
