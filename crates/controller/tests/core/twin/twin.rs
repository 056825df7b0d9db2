//! [`Twin`]: three controllers, their etcd, a switch and clients, in virtual time.

use super::checker::Checker;
use super::client::Client;
use super::etcd::Etcd;
use super::event::{Event, Inside};
use super::faults::{Cut, Fault};
use super::process::{MEMBERS, NAMES, Process, Table};
use super::sabotage::Sabotage;
use super::switch::Switch;
use bandwise_random::Stream;
use std::collections::BTreeMap;
use std::time::Duration;

/// The time within which everything is right again after the last fault: a lease of a controller that was killed, up to
/// 1 s until etcd notices, a lease of a client that was silent, and 5 s.
pub(super) const BOUND: Duration = Duration::from_secs(3 + 1 + 6 + 5);

/// The time in which faults begin.
pub(super) const FAULTY: Duration = Duration::from_secs(12);

pub(super) const CLIENTS: usize = 4;

/// Three controllers, their etcd, a switch and clients.
pub(super) struct Twin<'a> {
    pub(super) now: Duration,
    events: BTreeMap<(Duration, u64), Event>,
    sequence: u64,
    pub(super) chance: Stream,
    pub(super) table: &'a Table,
    pub(super) etcd: Etcd,
    /// The processes; `None` while they are down.
    pub(super) processes: [Option<Process>; 3],
    pub(super) runs: u64,
    /// Links up to this number belong to an etcd that was replaced.
    pub(super) dead_links: u64,
    /// Cuts between controllers and etcds, by the number of the fault.
    pub(super) cuts: BTreeMap<usize, (usize, Cut)>,
    /// The numbers of faults during which no etcd answers, or is slow, or full.
    pub(super) outages: Vec<usize>,
    pub(super) slow: Vec<usize>,
    pub(super) full: Vec<usize>,
    pub(super) switch: Switch,
    pub(super) clients: Vec<Client>,
    pub(super) faults: Vec<(Duration, Fault)>,
    /// True after the last fault: clients only renew their leases.
    pub(super) is_calm: bool,
    pub(super) checker: Checker,
    pub(super) sabotage: Option<Sabotage>,
    /// True if everything is printed.
    pub(super) is_traced: bool,
}

impl<'a> Twin<'a> {
    pub(super) fn new(seed: u64, faults: Vec<(Duration, Fault)>, table: &'a Table) -> Self {
        let mut chance = Stream::new(seed, "twin", 0);
        let clients = (0..CLIENTS).map(|_| Client::new(&mut chance)).collect();
        Twin {
            now: Duration::ZERO,
            events: BTreeMap::new(),
            sequence: 0,
            chance,
            table,
            etcd: Etcd::new(),
            processes: [const { None }; 3],
            runs: 0,
            dead_links: 0,
            cuts: BTreeMap::new(),
            outages: Vec::new(),
            slow: Vec::new(),
            full: Vec::new(),
            switch: Switch::new(),
            clients,
            faults,
            is_calm: false,
            checker: Checker::default(),
            sabotage: None,
            is_traced: false,
        }
    }

    /// Runs until everything should be right, and checks it. Returns the first mistake.
    pub(super) fn run(&mut self) -> Result<(), String> {
        for at in 0..NAMES.len() {
            self.after(Duration::from_millis(10 * at as u64), Event::Start(at));
        }
        for client in 0..CLIENTS {
            self.after(Duration::from_millis(400), Event::Sends(client, 0));
        }
        self.after(Duration::ZERO, Event::Expiry);
        for fault in 0..self.faults.len() {
            self.after(self.faults[fault].0, Event::Fault(fault));
        }
        // The time at which the last fault has ended follows from the faults.
        let ends = self.faults.iter().map(|of| of.0 + of.1.lasts()).max().unwrap_or_default();
        let calm = ends.max(Duration::from_secs(2));
        self.run_until(calm)?;
        self.note(|| "the last fault has ended".into());
        self.is_calm = true;
        self.run_until(calm + BOUND)?;
        self.check_end()
    }

    fn run_until(&mut self, until: Duration) -> Result<(), String> {
        while let Some(first) = self.events.first_entry().filter(|of| of.key().0 <= until) {
            let ((at, _), event) = first.remove_entry();
            self.now = at;
            self.happen(event);
            if let Some(wrong) = self.checker.wrong() {
                return Err(format!("at {at:?}: {wrong}"));
            }
        }
        self.now = until;
        Ok(())
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Start(at) => self.start(at),
            Event::Runs(at, run, thread) => self.runs(at, run, thread),
            Event::Inside(at, run, inside) => self.inside(at, run, inside),
            Event::AtEtcd(at, link, id, call) => self.at_etcd(at, link, id, &call),
            Event::Expiry => {
                // Without a majority, no lease ends.
                if self.outages.is_empty() && self.etcd.expire(self.now) {
                    self.note(|| "a lease has expired".into());
                    self.report_news();
                }
                let later = self.below_ms(100, 500);
                self.after(later, Event::Expiry);
            }
            Event::AtSwitch(at, run, order, port, task) => {
                self.at_switch(at, run, order, port, &task);
            }
            Event::Sends(client, attempt) => self.sends(client, attempt),
            Event::Receives(client, attempt, answer) => self.receives(client, attempt, answer),
            Event::Fault(fault) => self.begin_fault(fault),
            Event::Mends(fault) => self.end_fault(fault),
        }
    }

    pub(super) fn after(&mut self, later: Duration, event: Event) {
        self.sequence += 1;
        self.events.insert((self.now + later, self.sequence), event);
    }

    /// Schedules something inside of a process.
    pub(super) fn inside_after(&mut self, at: usize, later: Duration, inside: Inside) {
        let run = self.processes[at].as_ref().map_or(0, |of| of.run);
        self.after(later, Event::Inside(at, run, inside));
    }

    /// Draws a time.
    pub(super) fn below_ms(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least) + self.below_us((most - least) * 1000)
    }

    pub(super) fn below_us(&mut self, most: u64) -> Duration {
        Duration::from_micros(self.chance.below(most))
    }

    /// Draws the delay of a message over the network to etcd.
    pub(super) fn network(&mut self) -> Duration {
        let most = if self.slow.is_empty() { 2_000 } else { 400_000 };
        self.below_us(most)
    }

    /// Returns whether messages between a controller and an etcd arrive.
    pub(super) fn reaches(&self, at: usize, member: usize, is_request: bool) -> bool {
        let is_cut = |(of, cut): &(usize, Cut)| {
            let is_way = if is_request { cut.requests } else { cut.answers };
            *of == at && is_way && cut.member.is_none_or(|of| of == member)
        };
        self.outages.is_empty() && !self.cuts.values().any(is_cut)
    }

    /// Returns the first etcd that a controller reaches both ways.
    pub(super) fn reachable(&self, at: usize) -> Option<usize> {
        (0..MEMBERS).find(|&of| self.reaches(at, of, true) && self.reaches(at, of, false))
    }

    pub(super) fn note(&self, what: impl FnOnce() -> String) {
        if self.is_traced {
            println!("{:9.4} {}", self.now.as_secs_f64(), what());
        }
    }

    fn check_end(&mut self) -> Result<(), String> {
        self.checker.end(&self.etcd, &self.processes, &self.clients, &self.switch, self.table)
    }
}
