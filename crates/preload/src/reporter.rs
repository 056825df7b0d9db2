//! The reporting thread: reports connections to the controller. It has descriptors of its own, so the program never
//! meets those of its connections and files.

use crate::hosts::Hosts;
use crate::ledger::Change;
use crate::marking::{Marking, Shared};
use crate::reports::Reports;
use crate::settings::Settings;
use crate::system;
use saba::Client;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// The interval of requests to the controller while a connection has no final answer.
const RETRY_INTERVAL: Duration = Duration::from_millis(32);

/// The state of the thread.
struct Reporter<'a> {
    settings: &'a Settings,
    was_denied: fn() -> bool,
    marking: &'a Shared,
    client: Client,
    reports: Reports<saba::Opened>,
    /// The log already reports that no controller is reachable.
    is_unreachable: bool,
    /// The controller's doubts that are in the log.
    doubts: Vec<String>,
}

/// Runs until the sender of changes is gone, or the controller refuses the application. `was_denied` returns whether the
/// kernel has refused a namespace to the program since the last call.
pub(crate) fn run(
    settings: &Settings,
    changes: &Receiver<Vec<Change>>,
    marking: &Shared,
    was_denied: fn() -> bool,
) {
    if let Err(error) = system::use_own_descriptors() {
        let text = "the kernel gives the library no descriptors of its own, so nothing is reported";
        return settings.log.write(&format!("{text}: {error}"));
    }
    let client = match Client::new(&settings.name, settings.options.clone()) {
        Ok(client) => client,
        Err(error) => return settings.log.write(&error.to_string()),
    };
    let hosts = Hosts::read(&std::fs::read_to_string(&settings.hosts).unwrap_or_default());
    let reports = Reports::new(hosts, settings.options.host_or_own());
    let (is_unreachable, doubts) = (false, Vec::new());
    let mut reporter =
        Reporter { settings, was_denied, marking, client, reports, is_unreachable, doubts };
    loop {
        reporter.tell_denied();
        let wait = reporter.report();
        if let Some(why) = reporter.client.refused() {
            settings.log.write(why);
            return reporter.client.end();
        }
        match changes.recv_timeout(wait) {
            Ok(first) => {
                for change in std::iter::once(first).chain(changes.try_iter()).flatten() {
                    reporter.reports.change(&mut reporter.client, change);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                reporter.tell_denied();
                return reporter.client.end();
            }
        }
    }
}

impl Reporter<'_> {
    /// Reports pending connections. Returns the time until the next call, if nothing changes.
    fn report(&mut self) -> Duration {
        let mut wait = Duration::ZERO;
        // The first requests can bring the mark, or refuse the first name of a host.
        for _ in 0..2 {
            self.settle();
            wait = self.client.poll();
        }
        self.settle();
        let unreachable = self.client.unreachable();
        if let Some(why) = unreachable.as_ref().filter(|_| !self.is_unreachable) {
            let filter = match system::has_seccomp_filter() {
                true => "; a seccomp filter applies to the library's threads",
                false => "",
            };
            self.settings.log.write(&format!("no controller answers: {why}{filter}"));
        }
        self.is_unreachable = unreachable.is_some();
        self.tell_doubts();
        if let Some(mark) = self.client.mark().map(Marking::from) {
            self.marking.set(mark);
        }
        if self.reports.is_settled() { wait } else { wait.min(RETRY_INTERVAL) }
    }

    /// Logs that the library's threads have kept the program from a namespace.
    fn tell_denied(&self) {
        if (self.was_denied)() {
            self.settings.log.write(
                "the kernel refused unshare to the program, since it has the library's threads: it has to come \
                 before the first connection",
            );
        }
    }

    /// Logs the controller's doubts about the application's model, again only if they differ.
    fn tell_doubts(&mut self) {
        if self.client.doubts() != self.doubts {
            self.doubts = self.client.doubts().to_vec();
            for doubt in &self.doubts {
                self.settings.log.write(&format!("the model is doubtful: {doubt}"));
            }
        }
    }

    fn settle(&mut self) {
        for refused in self.reports.settle(&mut self.client) {
            self.settings.log.write(&refused);
        }
    }
}
