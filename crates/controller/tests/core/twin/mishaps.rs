//! The begin and the end of faults.

use super::event::Event;
use super::faults::Fault;
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
                self.checker.restored(&self.etcd, &self.clients);
                self.break_links();
            }
            Fault::Replaced => {
                self.etcd.replace();
                self.break_links();
            }
            Fault::Compacted => self.etcd.compact(),
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
