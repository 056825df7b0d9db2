//! The reporting thread: reads changes, reports them to the controller, and applies marks that arrive late.

use crate::hosts::Hosts;
use crate::ledger::{Identity, Ledger, Observed};
use crate::marking::{Marking, Shared};
use crate::reports::Reports;
use crate::settings::Settings;
use crate::table::At;
use crate::watch::Watch;
use crate::{DESCRIPTORS, system};
use saba::Client;
use std::time::{Duration, Instant};

/// The interval of scans while connections change. Waking the thread for each change would cost the program more than
/// all other work in its threads.
const SHORT_SCAN: Duration = Duration::from_millis(1);

/// The longest interval; without changes the interval doubles up to this.
const LONG_SCAN: Duration = Duration::from_millis(32);

/// The interval of checks for descriptors that were closed unnoticed.
const VERIFY_INTERVAL: Duration = Duration::from_secs(1);

/// The state of the thread.
struct Reporter<'a, const N: usize, const WORDS: usize, const SUMMARIES: usize> {
    settings: &'a Settings,
    watch: &'a Watch<N, WORDS, SUMMARIES>,
    marking: &'a Shared,
    client: Client,
    ledger: Ledger,
    reports: Reports<saba::Opened>,
    /// The log already reports that no controller is reachable.
    is_unreachable: bool,
}

/// Runs until `sleep`, which gets the duration, returns true.
pub(crate) fn run<const N: usize, const WORDS: usize, const SUMMARIES: usize>(
    settings: &Settings,
    watch: &Watch<N, WORDS, SUMMARIES>,
    marking: &Shared,
    sleep: impl Fn(Duration) -> bool,
) {
    let client = match Client::new(&settings.name, settings.options.clone()) {
        Ok(client) => client,
        Err(error) => return settings.log.write(&error.to_string()),
    };
    let hosts = Hosts::read(&std::fs::read_to_string(&settings.hosts).unwrap_or_default());
    let reports = Reports::new(hosts, settings.options.host_or_own());
    let ledger = Ledger::default();
    let is_unreachable = false;
    let mut reporter =
        Reporter { settings, watch, marking, client, ledger, reports, is_unreachable };
    let (mut wait, mut verified) = (SHORT_SCAN, Instant::now());
    loop {
        let mut is_busy = reporter.scan();
        if verified.elapsed() >= VERIFY_INTERVAL {
            reporter.verify();
            is_busy |= reporter.scan();
            verified = Instant::now();
        }
        reporter.report();
        if let Some(why) = reporter.client.refused() {
            settings.log.write(why);
            return reporter.client.end();
        }
        wait = if is_busy { SHORT_SCAN } else { (2 * wait).min(LONG_SCAN) };
        if sleep(wait) {
            return reporter.client.end();
        }
    }
}

impl<const N: usize, const WORDS: usize, const SUMMARIES: usize> Reporter<'_, N, WORDS, SUMMARIES> {
    /// Returns the connection at a descriptor, if that is a socket with a peer on another host.
    fn observe(&self, descriptor: usize) -> Option<Observed> {
        let At::Connection(id, peer) = self.watch.at(descriptor) else { return None };
        let identity = match i32::try_from(descriptor) {
            Ok(fd) if descriptor < DESCRIPTORS => {
                let inode = system::socket(fd)?;
                // The address is this host's own; such packets take the loopback.
                if system::local(fd) == Some(peer) {
                    return None;
                }
                Identity(inode)
            }
            // A single function destroys queue pairs, and one destroys address handles.
            _ => Identity(0),
        };
        Some(Observed { id, peer, identity })
    }

    /// Reads the changes. Returns whether there are any.
    fn scan(&mut self) -> bool {
        let mut changed = Vec::new();
        self.watch.take(|descriptor| changed.push(descriptor));
        let is_any = !changed.is_empty();
        let observed: Vec<_> =
            changed.into_iter().map(|changed| (changed, self.observe(changed))).collect();
        for change in self.ledger.update(observed) {
            self.reports.change(&mut self.client, change);
        }
        is_any
    }

    /// Finds descriptors that were closed unnoticed, for example by `fclose`.
    fn verify(&mut self) {
        for (descriptor, id, identity) in self.ledger.held() {
            let Some(fd) = i32::try_from(descriptor).ok().filter(|_| descriptor < DESCRIPTORS)
            else {
                continue;
            };
            if system::socket(fd).map(Identity) != Some(identity) {
                self.watch.lost(descriptor, id);
            }
        }
    }

    fn report(&mut self) {
        let first = self.reports.settle(&mut self.client);
        self.client.poll();
        let then = self.reports.settle(&mut self.client);
        for refused in first.iter().chain(&then) {
            self.settings.log.write(refused);
        }
        let unreachable = self.client.unreachable();
        if let Some(why) = unreachable.as_ref().filter(|_| !self.is_unreachable) {
            self.settings.log.write(&format!("no controller answers: {why}"));
        }
        self.is_unreachable = unreachable.is_some();
        let Some(mark) = self.client.mark().map(Marking::from) else { return };
        if mark != self.marking.get() {
            self.marking.set(mark);
            self.remark(mark);
        }
    }

    /// Marks sockets that were connected before the current mark was known.
    fn remark(&self, mark: Marking) {
        for (descriptor, ..) in self.ledger.held() {
            let (At::Connection(_, peer), Ok(fd)) =
                (self.watch.at(descriptor), i32::try_from(descriptor))
            else {
                continue;
            };
            if descriptor < DESCRIPTORS {
                system::mark(fd, peer, mark, false);
            }
        }
    }
}
