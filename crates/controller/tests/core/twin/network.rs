//! The network between controllers, etcds, the switch and clients.

use super::client::{Call, Wrong};
use super::event::{Event, Inside};
use super::process::NAMES;
use super::sabotage::Sabotage;
use super::twin::Twin;
use bandwise_controller::cluster::calls::{self, Failure};
use bandwise_controller::cluster::session::CallId;
use bandwise_controller::core::{Answer, OrderId, OrderOutcome, Refusal, Task};
use bandwise_saba::controller::PortId;
use std::time::Duration;

/// The timeout of a call to etcd, and of a client's call.
const TIMEOUT: Duration = Duration::from_secs(1);

impl Twin<'_> {
    /// Opens a link to an etcd.
    pub(super) fn open(&mut self, at: usize, member: usize) {
        self.runs += 1;
        let link = self.runs;
        let reaches = self.reaches(at, member, true) && self.reaches(at, member, false);
        let Some(of) = &mut self.processes[at] else { return };
        (of.link, of.member) = (link, member);
        match reaches {
            true => {
                let later = self.network() + self.network();
                self.inside_after(at, later, Inside::Opened(link));
            }
            false => self.inside_after(at, TIMEOUT, Inside::NotOpened(link)),
        }
    }

    pub(super) fn close(&mut self, at: usize) {
        if let Some(of) = self.processes[at].as_mut().filter(|of| !of.is_ending) {
            (of.link, of.watch) = (0, None);
        }
    }

    /// Sends a call to etcd. A call without an answer fails after the timeout.
    pub(super) fn send(&mut self, at: usize, id: CallId, call: calls::Call) {
        let Some(of) = &self.processes[at] else { return };
        let (link, member) = (of.link, of.member);
        let failure = Failure::Unknown("no answer in 1 s".into());
        self.inside_after(at, TIMEOUT, Inside::Answered(link, id, Err(failure)));
        if self.reaches(at, member, true) {
            let later = self.network();
            self.after(later, Event::AtEtcd(at, link, id, call));
        }
    }

    pub(super) fn at_etcd(&mut self, at: usize, link: u64, id: CallId, call: &calls::Call) {
        if link <= self.dead_links {
            return;
        }
        let reply = self.etcd.call(self.now, call);
        self.note(|| format!("etcd <- {} {call:?}: {reply:?}", NAMES[at]));
        self.checker.stored(&self.etcd);
        let Some(of) = self.processes[at].as_ref().filter(|of| of.link == link) else {
            return self.report_news();
        };
        let member = of.member;
        if self.reaches(at, member, false) {
            let later = self.network();
            self.inside_after(at, later, Inside::Answered(link, id, reply));
            if let (calls::Call::Watch(from), Some(of)) = (call, &mut self.processes[at]) {
                // Updates arrive after the reply.
                (of.watch, of.last_update) = (Some((id, *from)), self.now + later);
            }
        }
        self.report_news();
    }

    /// Reports new events to all watches that reach their controller.
    pub(super) fn report_news(&mut self) {
        for at in 0..NAMES.len() {
            let Some(of) = &self.processes[at] else { continue };
            let (link, Some((id, next))) = (of.link, of.watch) else { continue };
            if !self.reaches(at, of.member, false) {
                continue;
            }
            let Some((update, next)) = self.etcd.news(next) else { continue };
            let later = self.network() + Duration::from_micros(2_000);
            let Some(of) = &mut self.processes[at] else { continue };
            of.watch = Some((id, next));
            // Updates arrive in order.
            let arrives = of.last_update.max(self.now + later);
            of.last_update = arrives;
            let later = arrives - self.now;
            self.inside_after(at, later, Inside::Updated(link, id, update));
        }
    }

    /// All links to etcd break.
    pub(super) fn break_links(&mut self) {
        self.dead_links = self.runs;
        for at in 0..NAMES.len() {
            let Some(of) = &mut self.processes[at] else { continue };
            let (link, watch) = (of.link, of.watch.take());
            if let Some((id, _)) = watch {
                self.inside_after(at, Duration::from_millis(1), Inside::WatchLost(link, id));
            }
        }
    }

    /// An order arrives at the switch. The switch carries it out, whatever has become of the controller.
    pub(super) fn at_switch(
        &mut self,
        at: usize,
        run: u64,
        order: OrderId,
        port: PortId,
        task: &Task,
    ) {
        let mut outcome = self.switch.carry_out(port, task);
        self.note(|| format!("{} port {port:?}: {task:?}: {outcome:?}", NAMES[at]));
        if self.sabotage == Some(Sabotage::OverlooksDifferences)
            && matches!(outcome, OrderOutcome::Differs { .. })
        {
            outcome = OrderOutcome::Unchanged;
        }
        let later = self.below_us(500);
        self.after(later, Event::Inside(at, run, Inside::OrderEnded(order, outcome)));
    }

    /// A client sends its call, or decides on the next one.
    pub(super) fn sends(&mut self, client: usize, attempt: u64) {
        let (rests, now) = (self.is_calm, self.now);
        let of = &mut self.clients[client];
        if of.attempt != attempt {
            return;
        }
        if of.is_silent {
            of.call = None;
            return;
        }
        if of.call.is_none() {
            of.decide(&mut self.chance, rests);
        }
        of.attempt += 1;
        of.sent = now;
        // A client stays with a controller that answers, but for a change now and then.
        if of.is_repeated || !rests && self.chance.one_in(4) {
            of.controller = self.chance.below(NAMES.len() as u64) as usize;
        }
        of.is_repeated = true;
        let (attempt, call, to) = (of.attempt, of.call.clone().unwrap(), of.controller);
        self.note(|| format!("client {client} sends to {}: {call:?}", NAMES[to]));
        // The timeout leads to a further attempt.
        self.after(TIMEOUT, Event::Sends(client, attempt));
        match self.processes[to].as_ref().is_some_and(|of| !of.is_ending) {
            true => {
                let later = self.below_us(2_000);
                self.inside_after(to, later, Inside::Call(client, attempt, call));
            }
            false => self.refused(client, attempt),
        }
    }

    /// The controller is down, and the client tries another one.
    pub(super) fn refused(&mut self, client: usize, attempt: u64) {
        let of = &mut self.clients[client];
        if of.attempt == attempt {
            let later = self.below_ms(50, 200);
            self.after(later, Event::Sends(client, attempt));
        }
    }

    pub(super) fn receives(
        &mut self,
        client: usize,
        attempt: u64,
        answer: Result<Answer, Refusal>,
    ) {
        let now = self.now;
        let of = &mut self.clients[client];
        if of.attempt != attempt || of.call.is_none() {
            return;
        }
        self.checker.received(now, of, &answer);
        let (call, sent) = (of.call.clone(), of.sent);
        match of.receive(sent, answer) {
            Ok(true) => {}
            Ok(false) => return self.refused(client, attempt),
            Err(Wrong::Missing { application, connection }) => {
                self.checker.missing(application, connection);
            }
            Err(Wrong::Answer(wrong)) => self.checker.odd(|| format!("client {client}: {wrong}")),
        }
        self.note(|| format!("client {client} has the answer to {call:?}"));
        let of = &mut self.clients[client];
        // A later timeout of this attempt finds another number.
        of.attempt += 1;
        of.is_repeated = false;
        let attempt = of.attempt;
        let later = match call {
            Some(Call::Hello) => self.below_ms(1, 20),
            _ if self.is_calm => self.below_ms(500, 1_000),
            // Almost the whole lease.
            _ if self.chance.one_in(10) => self.below_ms(3_000, 5_900),
            _ => self.below_ms(10, 600),
        };
        self.after(later, Event::Sends(client, attempt));
    }
}
