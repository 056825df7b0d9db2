//! The processes of controllers: their threads, and what the real core and session ask for.

use super::super::world::path;
use super::client::Call;
use super::etcd::keys;
use super::event::{Event, Inside, Thread};
use super::process::{NAMES, Process, discovered, group_of};
use super::sabotage::Sabotage;
use super::twin::Twin;
use bandwise_controller::cluster::calls::Failure;
use bandwise_controller::cluster::content::{Loaded, replace_rules};
use bandwise_controller::cluster::session::{SessionInput, SessionOutput};
use bandwise_controller::core::{Cause, Input, OrderOutcome, Output, Owner, Request};
use bandwise_controller::daemon::{PersisterMessage, Write};
use bandwise_saba::controller::PortId;
use std::time::Duration;

impl Twin<'_> {
    /// Starts a controller, or tries again later if it reaches no etcd.
    pub(super) fn start(&mut self, at: usize) {
        if self.processes[at].as_ref().is_some_and(|of| !of.is_ending) {
            return;
        }
        // The service manager waits for the former process.
        if self.processes[at].is_some() || self.reachable(at).is_none() {
            return self.after(Duration::from_millis(500), Event::Start(at));
        }
        let rules = replace_rules(&keys(), String::new(), "all".into());
        let rules = bandwise_controller::cluster::calls::Call::Transact(rules);
        // A full etcd refuses, and the next controller tries again.
        let _ = self.etcd.call(self.now, &rules);
        self.report_news();
        self.runs += 1;
        // Nobody starts from an etcd that is not readable.
        let Ok(loaded) = Loaded::read(&keys(), &self.etcd.content()) else {
            return self.after(Duration::from_millis(500), Event::Start(at));
        };
        let revision = loaded.at;
        self.processes[at] = Some(Process::start(self.now, self.table, at, self.runs, loaded));
        self.note(|| format!("{} starts at revision {revision}", NAMES[at]));
        self.checker.started();
        // Some runs also check that snapshots of a core are complete.
        if self.chance.one_in(8)
            && let Some(of) = &mut self.processes[at]
        {
            of.shadow();
        }
        let later = self.below_ms(1, 20);
        self.inside_after(at, later, Inside::Discovered);
        self.inside_after(at, later, Inside::WakeSession);
    }

    /// Ends a process at once.
    pub(super) fn kill(&mut self, at: usize) {
        self.processes[at] = None;
    }

    /// Something happens inside of a process, or after its pause.
    pub(super) fn inside(&mut self, at: usize, run: u64, inside: Inside) {
        let Some(of) = self.processes[at].as_mut().filter(|of| of.run == run) else {
            if let Inside::Call(client, attempt, _) = inside {
                self.refused(client, attempt);
            }
            return;
        };
        if let Some(waiting) = of.asleep.get_mut(&inside.thread()) {
            return waiting.push(inside);
        }
        if of.paused.is_some() {
            return of.backlog.push(inside);
        }
        let link = of.link;
        match inside {
            Inside::Opened(of) if of == link => self.session(at, SessionInput::Opened(Ok(()))),
            Inside::NotOpened(of) if of == link => {
                let failure = Failure::Unknown("no connection in 1 s".into());
                self.session(at, SessionInput::Opened(Err(failure)));
            }
            Inside::Answered(of, id, reply) if of == link => {
                self.session(at, SessionInput::Answered(id, reply));
                self.report_news();
            }
            Inside::Updated(of, id, update) if of == link => {
                self.session(at, SessionInput::Updated(id, update));
            }
            Inside::WatchLost(of, id) if of == link => {
                let failure = Failure::Unknown("connection reset".into());
                self.session(at, SessionInput::WatchLost(id, failure));
            }
            // They belong to an earlier link.
            Inside::Opened(_)
            | Inside::NotOpened(_)
            | Inside::Answered(..)
            | Inside::Updated(..)
            | Inside::WatchLost(..) => {}
            Inside::Message(message) => self.session(at, SessionInput::Message(message)),
            Inside::WakeSession => {
                of.wake_session = None;
                self.session(at, SessionInput::Tick);
            }
            Inside::Core(input) => self.core(at, input),
            Inside::Call(client, attempt, call) => self.call(at, client, attempt, call),
            Inside::Discovered => self.core(at, discovered(group_of)),
            Inside::WakeCore => {
                of.wake_core = None;
                self.core(at, Input::Tick);
            }
            Inside::OrderEnded(order, outcome) => {
                of.is_writing = false;
                self.next_order(at);
                self.core(at, Input::OrderEnded { order, outcome });
            }
            Inside::Order => self.order(at),
        }
    }

    /// Passes a client's call to the core.
    fn call(&mut self, at: usize, client: usize, attempt: u64, call: Call) {
        let Some(of) = &mut self.processes[at] else { return };
        let (ticket, owner) = (of.ticket(), Owner::default());
        of.tickets.insert(ticket, (client, attempt));
        let input = match call {
            Call::Hello => Input::Hello { ticket, owner },
            Call::Renew(client) => Input::Renew { ticket, owner, client },
            Call::Goodbye(client) => Input::Goodbye { ticket, owner, client },
            Call::Request(request) => {
                let path = match &request.request {
                    Request::Connect { from, to, .. } => path(from, to, 0),
                    _ => Ok(Vec::new()),
                };
                Input::Request { ticket, owner, request, path }
            }
        };
        self.core(at, input);
    }

    /// Passes an input to the core and carries out its outputs.
    pub(super) fn core(&mut self, at: usize, input: Input) {
        self.note(|| format!("{} core <- {input:?}", NAMES[at]));
        let input = Sabotage::of_input(self.sabotage, input);
        let outputs = match &mut self.processes[at] {
            Some(of) if !of.is_ending => of.core(self.now, input),
            _ => return,
        };
        for output in outputs {
            self.note(|| format!("{} core -> {output:?}", NAMES[at]));
            self.output(at, output);
        }
        self.wake_core(at);
    }

    fn output(&mut self, at: usize, output: Output) {
        let Some(of) = &mut self.processes[at] else { return };
        match output {
            Output::Store { write, after, changes } => {
                if self.sabotage == Some(Sabotage::AnswersFirst) {
                    let stored = Input::Stored { write, error: None, revision: after };
                    self.inside_after(at, Duration::ZERO, Inside::Core(stored));
                }
                self.message(at, PersisterMessage::Write(Write { write, after, changes }));
            }
            Output::Released { group } => self.message(at, PersisterMessage::Released(group)),
            Output::Answer { ticket, answer } => {
                if let Some((client, attempt)) = of.tickets.remove(&ticket) {
                    let later = self.below_us(2_000);
                    self.after(later, Event::Receives(client, attempt, answer));
                }
            }
            Output::Order { order, port, task, why } => {
                of.orders.insert((why.cause == Cause::Check, order), (port, task));
                self.next_order(at);
            }
            Output::Discover => {
                let later = self.below_ms(5, 50);
                self.inside_after(at, later, Inside::Discovered);
            }
            Output::RecordIgnored { error } => self.checker.fails(|| error),
            _ => {}
        }
    }

    /// Sends a message to the session's thread.
    fn message(&mut self, at: usize, message: PersisterMessage) {
        let later = self.in_order(at, 0);
        self.inside_after(at, later, Inside::Message(message));
    }

    /// Returns the delay of a message between event loop and session, which does not overtake earlier ones.
    fn in_order(&mut self, at: usize, way: usize) -> Duration {
        let arrives = self.now + self.below_us(300);
        let Some(of) = &mut self.processes[at] else { return Duration::ZERO };
        of.last[way] = of.last[way].max(arrives);
        of.last[way] - self.now
    }

    /// The writer begins the next order, if it is idle.
    fn next_order(&mut self, at: usize) {
        let Some(of) = &mut self.processes[at] else { return };
        if !of.is_writing && !of.orders.is_empty() {
            of.is_writing = true;
            let later = self.below_us(500);
            self.inside_after(at, later, Inside::Order);
        }
    }

    fn order(&mut self, at: usize) {
        let Some(of) = &mut self.processes[at] else { return };
        let Some(((_, order), (port, task))) = of.orders.pop_first() else { return };
        let run = of.run;
        // The writer's fence.
        if !of.may_write(self.now) {
            let outcome = OrderOutcome::Failed { error: "the fence is closed".into() };
            return self.inside_after(at, Duration::ZERO, Inside::OrderEnded(order, outcome));
        }
        if self.switch.would_write(port, &task) {
            let others = self.others(at, port);
            self.checker.writes(self.now, (at, port), &self.etcd, &others);
        }
        let later = match self.chance.one_in(50) {
            true => self.below_ms(100, 400),
            false => self.below_ms(0, 20),
        };
        self.after(later, Event::AtSwitch(at, run, order, port, task));
    }

    /// Returns the other controllers that may write a port now.
    fn others(&self, at: usize, port: PortId) -> Vec<usize> {
        let may_write = |of: &Process| {
            of.may_write(self.now) && of.core.held().any(|group| *group == group_of(port.0))
        };
        let others = self.processes.iter().enumerate().filter(|of| of.0 != at);
        others.filter(|of| of.1.as_ref().is_some_and(may_write)).map(|of| of.0).collect()
    }

    fn wake_core(&mut self, at: usize) {
        let late = self.below_us(1_000);
        let now = self.now;
        let Some(of) = &mut self.processes[at] else { return };
        let Some(due) = of.core.wake().map(|due| (due + of.behind).max(now) + late) else { return };
        if of.wake_core.is_none_or(|before| due < before) {
            of.wake_core = Some(due);
            self.inside_after(at, due - now, Inside::WakeCore);
        }
    }

    /// Passes an input to the session and carries out its outputs.
    fn session(&mut self, at: usize, input: SessionInput) {
        self.note(|| format!("{} session <- {input:?}", NAMES[at]));
        let now = self.now;
        let Some(of) = &mut self.processes[at] else { return };
        of.session.handle(now - of.behind, input);
        loop {
            let Some(of) = &mut self.processes[at] else { return };
            let Some(output) = of.session.poll() else { break };
            self.note(|| format!("{} session -> {output:?}", NAMES[at]));
            self.session_output(at, output);
        }
        let late = self.below_us(1_000);
        let Some(of) = &mut self.processes[at] else { return };
        let Some(due) = of.session.wake().map(|due| (due + of.behind).max(now) + late) else {
            return;
        };
        if of.wake_session.is_none_or(|before| due < before) {
            of.wake_session = Some(due);
            self.inside_after(at, due - now, Inside::WakeSession);
        }
    }

    fn session_output(&mut self, at: usize, output: SessionOutput) {
        match output {
            SessionOutput::Open(member) => self.open(at, member),
            SessionOutput::Close => self.close(at),
            SessionOutput::Call(id, call) => self.send(at, id, call),
            SessionOutput::Tell(input) => {
                let later = self.in_order(at, 1);
                self.inside_after(at, later, Inside::Core(input));
            }
            SessionOutput::Ended => self.kill(at),
            SessionOutput::Stored(_) | SessionOutput::Notice(_) => {}
        }
    }

    /// Ends a process in order: it releases its groups.
    pub(super) fn end(&mut self, at: usize) {
        if let Some(of) = &mut self.processes[at] {
            of.is_ending = true;
            self.session(at, SessionInput::Stop);
        }
    }

    /// Continues a paused process. Its threads run again in any order.
    pub(super) fn go_on(&mut self, at: usize, run: u64) {
        let offsets = [(); 3].map(|()| self.below_us(3_000));
        let now = self.now;
        let Some(of) = self.processes[at].as_mut().filter(|of| of.run == run) else { return };
        let Some((since, stands_still)) = of.paused.take() else { return };
        if stands_still {
            of.behind += now - since;
        }
        let threads = [Thread::Session, Thread::EventLoop, Thread::Writer];
        for thread in threads {
            of.asleep.entry(thread).or_default();
        }
        for inside in std::mem::take(&mut of.backlog) {
            of.asleep.entry(inside.thread()).or_default().push(inside);
        }
        for (thread, later) in threads.into_iter().zip(offsets) {
            self.after(later, Event::Runs(at, run, thread));
        }
    }

    /// A thread runs again and finds what happened during the pause.
    pub(super) fn runs(&mut self, at: usize, run: u64, thread: Thread) {
        let Some(of) = self.processes[at].as_mut().filter(|of| of.run == run) else { return };
        for inside in of.asleep.remove(&thread).unwrap_or_default() {
            self.inside(at, run, inside);
        }
    }
}
