//! [`Waiting`]: the order in which waiting messages are handled.

use super::turns::Turns;
use crate::core::Owner;
use crate::daemon::Call;
use crate::daemon::message::{Asked, Event, Message, Read};
use std::collections::VecDeque;

/// The number of events that may wait. Their senders wait for room.
const EVENTS: usize = 4096;
/// The number of calls of an owner that may wait.
const CALLS: usize = 1024;
/// The number of reads of an owner that may wait.
const READS: usize = 256;
/// The number of other messages between two reads, while both wait.
const BETWEEN: u32 = 16;

/// The waiting messages. A stop goes before all others, and events before what owners ask. Owners take turns; an
/// owner's renewals go before its other calls, so that no lease ends behind them. A read does not go before waiting
/// calls, unless many calls were handled since the last read.
pub(super) struct Waiting {
    stops: u32,
    events: VecDeque<Event>,
    calls: Turns<Asked>,
    reads: Turns<Read>,
    since_read: u32,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Waiting {
            stops: 0,
            events: VecDeque::new(),
            calls: Turns::new(CALLS),
            reads: Turns::new(READS),
            since_read: 0,
        }
    }

    pub(super) fn stop(&mut self) {
        self.stops += 1;
    }

    /// Returns whether another event may wait.
    pub(super) fn has_room(&self) -> bool {
        self.events.len() < EVENTS
    }

    pub(super) fn event(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Adds a call. Returns whether there was room.
    pub(super) fn call(&mut self, owner: Owner, asked: Asked) -> bool {
        let is_renewal = matches!(asked.call, Call::Renew(_));
        self.calls.push(owner, asked, is_renewal)
    }

    /// Adds a read. Returns whether there was room.
    pub(super) fn read(&mut self, owner: Owner, read: Read) -> bool {
        self.reads.push(owner, read, false)
    }

    /// Returns whether no message waits.
    pub(super) fn is_empty(&self) -> bool {
        self.stops == 0 && self.events.is_empty() && self.calls.is_empty() && self.reads.is_empty()
    }

    /// Takes the next message.
    pub(super) fn pop(&mut self) -> Option<Message> {
        if self.stops > 0 {
            self.stops -= 1;
            return Some(Message::Stop);
        }
        if self.since_read >= BETWEEN
            && let Some(read) = self.pop_read()
        {
            return Some(read);
        }
        let next = match self.events.pop_front() {
            Some(event) => Some(Message::Event(event)),
            None => self.calls.pop().map(|(owner, asked)| Message::Asked(owner, asked)),
        };
        match next {
            Some(next) => {
                self.since_read += 1;
                Some(next)
            }
            None => self.pop_read(),
        }
    }

    fn pop_read(&mut self) -> Option<Message> {
        self.since_read = 0;
        self.reads.pop().map(|(_, read)| Message::Read(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{ClientId, OrderId, OrderOutcome};
    use tokio::sync::oneshot::channel;

    fn call(waiting: &mut Waiting, owner: &str, call: Call) -> bool {
        waiting.call(owner.into(), Asked { call, answers: channel().0 })
    }

    fn read(waiting: &mut Waiting, owner: &str) -> bool {
        waiting.read(owner.into(), Box::new(|_, _| ()))
    }

    /// Returns the next message in a few words.
    fn next(waiting: &mut Waiting) -> String {
        match waiting.pop() {
            None => "nothing".into(),
            Some(Message::Stop) => "stop".into(),
            Some(Message::Event(_)) => "event".into(),
            Some(Message::Asked(owner, asked)) => format!("{owner} {:?}", asked.call),
            Some(Message::Read(_)) => "read".into(),
        }
    }

    #[test]
    fn stops_events_and_renewals_go_first() {
        let mut waiting = Waiting::new();
        for _ in 0..3 {
            assert!(read(&mut waiting, "one") && call(&mut waiting, "one", Call::Hello));
        }
        assert!(call(&mut waiting, "one", Call::Renew(ClientId(7))));
        assert!(call(&mut waiting, "two", Call::Hello));
        let outcome = OrderOutcome::Unchanged;
        waiting.event(Event::OrderEnded { order: OrderId(1), outcome });
        waiting.stop();
        let order = ["stop", "event", "one Renew(ClientId(7))", "two Hello", "one Hello"];
        assert_eq!(order.map(|_| next(&mut waiting)), order);
        let order = ["one Hello", "one Hello", "read", "read", "read", "nothing"];
        assert_eq!(order.map(|_| next(&mut waiting)), order);
    }

    /// Neither calls nor reads of one owner keep those of another one waiting, and each has a bound.
    #[test]
    fn reads_and_calls_pass_each_other() {
        let mut waiting = Waiting::new();
        while call(&mut waiting, "one", Call::Hello) {}
        while read(&mut waiting, "one") {}
        assert!(call(&mut waiting, "two", Call::Hello) && read(&mut waiting, "two"));
        assert_eq!(next(&mut waiting), "one Hello");
        assert_eq!(next(&mut waiting), "two Hello");
        let messages: Vec<String> = std::iter::from_fn(|| match next(&mut waiting) {
            end if end == "nothing" => None,
            message => Some(message),
        })
        .collect();
        assert_eq!(messages.len(), CALLS - 1 + READS + 1);
        let first = messages.iter().position(|message| message == "read").unwrap();
        assert_eq!(first, BETWEEN as usize - 2);
        let calls = messages.split(|message| message == "read").map(<[String]>::len);
        assert!(calls.max().unwrap() <= BETWEEN as usize);
    }
}
