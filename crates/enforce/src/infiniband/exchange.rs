//! [`Exchange`]: requests out, answers in, each with a deadline. No clock of its own.

use super::smp::{Data, Method, Request, Smp};
use bandwise_units::Time;
use std::collections::{BTreeMap, VecDeque};

/// How datagrams are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long an answer is waited for.
    pub timeout: Time,
    /// How often a request is sent before it is given up, from 1.
    pub attempts: u8,
    /// Requests that wait for answers at the same time. Management has a lane with small buffers and without
    /// credits (VL15, IBTA 7.6.3), which loses what does not fit; OpenSM has four on the wire.
    pub window: usize,
    /// The management key of the fabric; 0 for none.
    pub m_key: u64,
}

impl Default for Patience {
    /// As OpenSM: 200 ms, three times, four at once.
    fn default() -> Self {
        Patience { timeout: Time::from_ms(200), attempts: 3, window: 4, m_key: 0 }
    }
}

/// Why a request has no good answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// No answer came.
    #[error("no answer, asked {0} times")]
    Silent(u8),
    /// The node said no.
    #[error("refused: {words} (status {status:#06x})", words = words(*.status))]
    Refused {
        /// In its own words, which are bits.
        status: u16,
    },
}

/// What a status says (IBTA 13.4.7).
fn words(status: u16) -> &'static str {
    match status >> 2 & 7 {
        1 => "it does not know this version or class",
        2 => "it does not know this method",
        3 => "it does not have this attribute, or not so",
        7 => "a field, or what the attribute is about, is invalid for it",
        _ => "it says no more",
    }
}

/// A node that is busy says so, and has done nothing (IBTA 13.4.7).
const BUSY: u16 = 1;

/// Requests under way; `K` is what the asker knows each by.
#[derive(Debug)]
pub struct Exchange<K> {
    patience: Patience,
    waiting: VecDeque<(K, Request, u8)>,
    sent: BTreeMap<u32, Sent<K>>,
    /// Every datagram has a number of its own, so that an answer that comes late is nobody else's.
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

/// What became of a request.
pub type Done<K> = (K, Request, Result<Data, Unanswered>);

impl<K> Exchange<K> {
    /// Without requests. Datagrams are numbered from `first`: who shares a device with others that came
    /// before takes other numbers than they.
    pub fn new(patience: Patience, first: u32) -> Self {
        let (waiting, sent, done) = (VecDeque::new(), BTreeMap::new(), VecDeque::new());
        Exchange { patience, waiting, sent, next: first, done }
    }

    /// Asks something more.
    pub fn ask(&mut self, key: K, request: Request) {
        self.waiting.push_back((key, request, 1));
    }

    /// Leaves out what has not been sent yet, as something went wrong.
    pub fn stop(&mut self) {
        self.waiting.clear();
    }

    /// The number that no datagram has had yet.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// A datagram that is to be sent now, if any.
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

    /// When something is to be done at the latest though nothing comes; none if nothing is under way.
    pub fn deadline(&self) -> Option<Time> {
        self.sent.values().map(|sent| sent.deadline).min()
    }

    /// Something came. What answers nothing that was asked is left alone.
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
            // Its deadline is when it is asked again: at once it would be busy still.
            return;
        }
        let Some(Sent { key, request, .. }) = self.sent.remove(&number) else { return };
        let answer = match smp.status {
            0 => Ok(smp.data),
            status => Err(Unanswered::Refused { status }),
        };
        self.done.push_back((key, request, answer));
    }

    /// The time is now so: what has waited too long is sent again, or given up.
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

    /// What became of a request, in the order in which it became known.
    pub fn done(&mut self) -> Option<Done<K>> {
        self.done.pop_front()
    }
}
