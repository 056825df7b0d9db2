//! The one thread: looks at what changed, speaks to the controller, and sees to marks that came late.

use crate::hosts::Hosts;
use crate::ledger::{Identity, Ledger, Seen};
use crate::marking::{Marking, Shared};
use crate::reports::Reports;
use crate::settings::Settings;
use crate::table::At;
use crate::watch::Watch;
use crate::{DESCRIPTORS, system};
use saba::Client;
use std::time::{Duration, Instant};

/// From one look to the next while connections come and go. Nobody wakes the thread: that would cost the program more
/// than all else that is done in its threads.
const SOON: Duration = Duration::from_millis(1);

/// The same after a while without any, twice as long each time until here.
const LATE: Duration = Duration::from_millis(32);

/// From one look at whether descriptors are what they were to the next.
const VERIFIED: Duration = Duration::from_secs(1);

/// What the thread has.
struct Reporter<'a, const N: usize, const WORDS: usize, const SUMMARIES: usize> {
    settings: &'a Settings,
    watch: &'a Watch<N, WORDS, SUMMARIES>,
    marking: &'a Shared,
    client: Client,
    ledger: Ledger,
    reports: Reports<saba::Opened>,
    /// Whether no controller answers, as the log says.
    is_away: bool,
}

/// Runs until `sleep`, which is given how long, says that it is over.
pub(crate) fn run<const N: usize, const WORDS: usize, const SUMMARIES: usize>(
    settings: &Settings,
    watch: &Watch<N, WORDS, SUMMARIES>,
    marking: &Shared,
    sleep: impl Fn(Duration) -> bool,
) {
    let client = match Client::new(&settings.name, settings.options.clone()) {
        Ok(client) => client,
        Err(error) => return settings.log.say(&error.to_string()),
    };
    let hosts = Hosts::read(&std::fs::read_to_string(&settings.hosts).unwrap_or_default());
    let reports = Reports::new(hosts, settings.options.host_or_own());
    let ledger = Ledger::default();
    let is_away = false;
    let mut reporter = Reporter { settings, watch, marking, client, ledger, reports, is_away };
    let (mut wait, mut verified) = (SOON, Instant::now());
    loop {
        let mut is_busy = reporter.look();
        if verified.elapsed() >= VERIFIED {
            reporter.verify();
            is_busy |= reporter.look();
            verified = Instant::now();
        }
        reporter.tell();
        if let Some(why) = reporter.client.refused() {
            settings.log.say(why);
            return reporter.client.end();
        }
        wait = if is_busy { SOON } else { (2 * wait).min(LATE) };
        if sleep(wait) {
            return reporter.client.end();
        }
    }
}

impl<const N: usize, const WORDS: usize, const SUMMARIES: usize> Reporter<'_, N, WORDS, SUMMARIES> {
    /// What a descriptor is: of a socket, and of one whose other end is not here.
    fn seen(&self, descriptor: usize) -> Option<Seen> {
        let At::Connection(id, peer) = self.watch.at(descriptor) else { return None };
        let identity = match i32::try_from(descriptor) {
            Ok(fd) if descriptor < DESCRIPTORS => {
                let inode = system::socket(fd)?;
                // An address of this host's own: that goes by loopback too.
                if system::local(fd) == Some(peer) {
                    return None;
                }
                Identity(inode)
            }
            // Queue pairs are destroyed by one function alone, and so are address handles.
            _ => Identity(0),
        };
        Some(Seen { id, peer, identity })
    }

    /// Whether anything has changed.
    fn look(&mut self) -> bool {
        let mut changed = Vec::new();
        self.watch.take(|descriptor| changed.push(descriptor));
        let is_any = !changed.is_empty();
        let seen: Vec<_> =
            changed.into_iter().map(|changed| (changed, self.seen(changed))).collect();
        for change in self.ledger.look(seen) {
            self.reports.change(&mut self.client, change);
        }
        is_any
    }

    /// Finds what was closed by a way that is not seen, such as `fclose`.
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

    fn tell(&mut self) {
        let first = self.reports.settle(&mut self.client);
        self.client.beat();
        let then = self.reports.settle(&mut self.client);
        for refused in first.iter().chain(&then) {
            self.settings.log.say(refused);
        }
        let away = self.client.away();
        if let Some(why) = away.as_ref().filter(|_| !self.is_away) {
            self.settings.log.say(&format!("no controller answers: {why}"));
        }
        self.is_away = away.is_some();
        let Some(mark) = self.client.mark().map(Marking::from) else { return };
        if mark != self.marking.get() {
            self.marking.set(mark);
            self.mark_again(mark);
        }
    }

    /// Sockets that were connected before the mark was known, or when it was another.
    fn mark_again(&self, mark: Marking) {
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
