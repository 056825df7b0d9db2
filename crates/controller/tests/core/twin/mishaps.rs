//! The begin and the end of faults.

use super::event::Event;
use super::faults::Fault;
use super::process::{LEASE, NAMES, Process};
use super::twin::Twin;
use std::time::Duration;

impl Twin<'_> {
    pub(super) fn begin_fault(&mut self, number: usize) {
        let fault = self.faults[number].1;
        self.note(|| format!("fault {number}: {fault:?}"));
        if fault.loses_store() {
            self.checker.loses(self.now, &self.etcd, &self.processes);
        }
        match fault {
            Fault::Killed(at, lasts) => {
                self.kill(at);
                self.after(lasts, Event::Start(at));
            }
            Fault::Stopped(at, lasts) => {
                if self.processes[at].as_ref().is_some_and(|of| of.paused.is_none()) {
                    self.end(at);
                    // A process that can't release its lease ends after its timeout.
                    self.after(lasts + Duration::from_millis(1_500), Event::Start(at));
                }
            }
            Fault::Paused(at, _) => self.pause(at, false),
            Fault::Suspended(at, _) => self.pause(at, true),
            Fault::Cut(at, cut, _) => drop(self.cuts.insert(number, (at, cut))),
            Fault::Outage(_) => self.outages.push(number),
            Fault::Full(_) => self.full.push(number),
            Fault::Slow(_) => self.slow.push(number),
            Fault::Emptied => self.etcd.empty(),
            Fault::BackedUp => self.etcd.back_up(),
            Fault::Restored(is_new) => {
                self.etcd.restore(self.now, is_new);
                // The operator looks at the copy first.
                self.etcd.wipe();
                self.checker.restored(&self.etcd, &self.processes, &self.clients);
                self.break_links();
            }
            Fault::Replaced => {
                self.etcd.replace();
                self.break_links();
            }
            Fault::Compacted => self.etcd.compact(),
            Fault::Unreadable(_) => self.etcd.scribble(),
            Fault::Port(port, fault, _) => drop(self.switch.faults.insert(port, fault)),
            Fault::Reset(port) => self.switch.reset(port),
            Fault::Overwritten(port) => self.switch.overwrite(port),
            Fault::Silent(client) => self.clients[client].is_silent = true,
        }
        self.etcd.is_full = !self.full.is_empty();
        self.report_news();
        if fault.lasts() > Duration::ZERO {
            self.after(fault.lasts(), Event::Mends(number));
        }
    }

    pub(super) fn end_fault(&mut self, number: usize) {
        let fault = self.faults[number].1;
        self.note(|| format!("end of fault {number}: {fault:?}"));
        match fault {
            Fault::Paused(at, _) | Fault::Suspended(at, _) => self.resume(at, number),
            Fault::Outage(_) => self.etcd.elect(self.now),
            Fault::Unreadable(lasts) => {
                let is_long = lasts > LEASE + Duration::from_secs(1);
                let was_there = self.etcd.wipe();
                if was_there && is_long {
                    self.check_unread(number);
                }
            }
            Fault::Port(port, fault, _) if self.switch.faults.get(&port) == Some(&fault) => {
                self.switch.faults.remove(&port);
            }
            _ => {}
        }
        self.cuts.remove(&number);
        for faults in [&mut self.outages, &mut self.slow, &mut self.full] {
            faults.retain(|of| *of != number);
        }
        self.etcd.is_full = !self.full.is_empty();
        self.report_news();
    }

    /// Checks that nobody goes on with an etcd that has been unreadable for longer than a lease, and that read it when
    /// this began.
    fn check_unread(&mut self, number: usize) {
        let (began, second) = (self.faults[number].0, Duration::from_secs(1));
        let makes_readable = |(of, (at, fault)): (usize, &(Duration, Fault))| {
            let is_one = fault.loses_store() || matches!(fault, Fault::Unreadable(_));
            of != number && is_one && *at <= self.now && *at + fault.lasts() >= began
        };
        if self.faults.iter().enumerate().any(makes_readable) {
            return;
        }
        for at in 0..NAMES.len() {
            let keeps_from_reading = |of: &(Duration, Fault)| {
                let is_one = match of.1 {
                    Fault::Cut(of, ..) | Fault::Paused(of, _) | Fault::Suspended(of, _) => of == at,
                    Fault::Outage(_) | Fault::Full(_) | Fault::Slow(_) => true,
                    _ => false,
                };
                is_one && of.0 < began + second && of.0 + of.1.lasts() + second > began
            };
            let goes_on = |of: &&Process| of.paused.is_none() && of.may_write(self.now);
            if self.processes[at].as_ref().filter(goes_on).is_some()
                && !self.faults.iter().any(keeps_from_reading)
            {
                self.checker.goes_on(self.now, at);
            }
        }
    }

    fn pause(&mut self, at: usize, stands_still: bool) {
        let now = self.now;
        if let Some(of) = self.processes[at].as_mut().filter(|of| of.paused.is_none()) {
            of.paused = Some((now, stands_still));
        }
    }

    fn resume(&mut self, at: usize, number: usize) {
        // A process that was started since is not the one that was paused.
        let began = self.faults[number].0;
        let paused = self.processes[at].as_ref().and_then(|of| Some((of.run, of.paused?)));
        if let Some((run, (since, stands_still))) = paused.filter(|of| of.1.0 == began) {
            debug_assert!(since <= self.now);
            if stands_still {
                self.checker.woke(self.now);
            }
            self.go_on(at, run);
        }
    }
}
