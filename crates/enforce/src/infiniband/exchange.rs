//! [`Exchange`]: requests and answers, each with a deadline. Time is an argument.

use super::smp::{Data, Method, Request, Smp};
use bandwise_units::Time;
use std::collections::{BTreeMap, VecDeque};

/// The parameters of sending SMPs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The time to wait for an answer.
    pub timeout: Time,
    /// The number of attempts per request, from 1.
    pub attempts: u8,
    /// The largest number of outstanding requests. VL15 has small buffers and no credits (IBTA 7.6.3), and drops what
    /// does not fit. OpenSM keeps four outstanding.
    pub window: usize,
    /// The management key of the fabric; 0 for none.
    pub m_key: u64,
}

impl Default for Patience {
    /// Returns OpenSM's values: 200 ms, three attempts, four outstanding requests.
    fn default() -> Self {
        Patience { timeout: Time::from_ms(200), attempts: 3, window: 4, m_key: 0 }
    }
}

/// The reason for which a request has no valid answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// No answer arrived.
    #[error("no answer to {0} attempts")]
    Silent(u8),
    /// The node refused the request.
    #[error("refused: {words} (status {status:#06x})", words = words(*.status))]
    Refused {
        /// The status bits.
        status: u16,
    },
}

/// Returns the meaning of a status (IBTA 13.4.7).
fn words(status: u16) -> &'static str {
    match status >> 2 & 7 {
        1 => "unknown version or class",
        2 => "unknown method",
        3 => "unknown attribute or modifier",
        7 => "invalid field or modifier",
        _ => "no details",
    }
}

/// The status of a busy node, which has done nothing (IBTA 13.4.7).
const BUSY: u16 = 1;

/// The outstanding requests; `K` is the caller's key of each.
#[derive(Debug)]
pub struct Exchange<K> {
    patience: Patience,
    waiting: VecDeque<(K, Request, u8)>,
    sent: BTreeMap<u32, Sent<K>>,
    /// Each SMP has a number of its own, so that a late answer matches no other request.
    next: u32,
    done: VecDeque<Done<K>>,
}

#[derive(Debug)]
struct Sent<K> {
    key: K,
    request: Request,
    attempt: u8,
    deadline: Time,
}

/// The outcome of a request.
pub type Done<K> = (K, Request, Result<Data, Unanswered>);

impl<K> Exchange<K> {
    /// Returns an exchange without requests. SMPs are numbered from `first`; users of one device take different
    /// numbers.
    pub fn new(patience: Patience, first: u32) -> Self {
        let (waiting, sent, done) = (VecDeque::new(), BTreeMap::new(), VecDeque::new());
        Exchange { patience, waiting, sent, next: first, done }
    }

    /// Adds a request.
    pub fn ask(&mut self, key: K, request: Request) {
        self.waiting.push_back((key, request, 1));
    }

    /// Removes all requests that were not sent yet, after a failure.
    pub fn stop(&mut self) {
        self.waiting.clear();
    }

    /// Returns the first unused number.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// Returns an SMP to send now, if there is one.
    pub fn send(&mut self, now: Time) -> Option<Smp> {
        if self.sent.len() >= self.patience.window.max(1) {
            return None;
        }
        let (key, request, attempt) = self.waiting.pop_front()?;
        let transaction = self.next;
        self.next = self.next.wrapping_add(1);
        let smp = Smp {
            method: if request.set.is_some() { Method::Set } else { Method::Get },
            status: 0,
            transaction: transaction.into(),
            attribute: request.attribute.number(),
            modifier: request.modifier,
            m_key: self.patience.m_key,
            hop: 0,
            route: request.route.clone(),
            data: request.set.unwrap_or([0; 64]),
        };
        let deadline = now.saturating_add(self.patience.timeout);
        self.sent.insert(transaction, Sent { key, request, attempt, deadline });
        Some(smp)
    }

    /// Returns the time at which [`passed`](Exchange::passed) has work to do; `None` if no request is outstanding.
    pub fn deadline(&self) -> Option<Time> {
        self.sent.values().map(|sent| sent.deadline).min()
    }

    /// Handles an SMP. One that answers no outstanding request is ignored.
    pub fn received(&mut self, smp: &Smp) {
        let number = smp.transaction as u32;
        let is_answer = |sent: &Sent<K>| {
            smp.method == Method::Answer
                && smp.attribute == sent.request.attribute.number()
                && smp.modifier == sent.request.modifier
        };
        if !self.sent.get(&number).is_some_and(is_answer) {
            return;
        }
        if smp.status & BUSY != 0 {
            // The request is retransmitted at its deadline; the node would still be busy now.
            return;
        }
        let Some(Sent { key, request, .. }) = self.sent.remove(&number) else { return };
        let answer = match smp.status {
            0 => Ok(smp.data),
            status => Err(Unanswered::Refused { status }),
        };
        self.done.push_back((key, request, answer));
    }

    /// Handles the passage of time: late requests are retransmitted or given up.
    pub fn passed(&mut self, now: Time) {
        let late = |(&number, sent): (&u32, &Sent<K>)| (sent.deadline <= now).then_some(number);
        let late: Vec<u32> = self.sent.iter().filter_map(late).collect();
        for number in late {
            let Some(Sent { key, request, attempt, .. }) = self.sent.remove(&number) else {
                continue;
            };
            if attempt < self.patience.attempts {
                self.waiting.push_front((key, request, attempt + 1));
            } else {
                self.done.push_back((key, request, Err(Unanswered::Silent(attempt))));
            }
        }
    }

    /// Returns the next outcome, in order of completion.
    pub fn done(&mut self) -> Option<Done<K>> {
        self.done.pop_front()
    }
}
