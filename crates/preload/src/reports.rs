//! [`Reports`]: the connections that are reported to the controller, by host name.

use crate::hosts::Hosts;
use crate::ledger::Change;
use crate::peer::Peer;
use crate::table::Id;
use std::collections::BTreeMap;

/// The receiver of reports; [`saba::Client`] implements it.
pub(crate) trait ConnectionReporter {
    /// A reported connection.
    type Opened: Copy;
    /// Reports a connection to a host. Returns `None` as long as no controller has assigned a mark.
    fn open(&mut self, to: &str) -> Option<Self::Opened>;
    fn close(&mut self, opened: Self::Opened);
    fn is_known(&self, opened: Self::Opened) -> bool;
    /// Returns the reason if the connection was refused, once.
    fn refusal(&mut self, opened: Self::Opened) -> Option<String>;
}

impl ConnectionReporter for saba::Client {
    type Opened = saba::Opened;
    fn open(&mut self, to: &str) -> Option<saba::Opened> {
        saba::Client::open(self, to)
    }
    fn close(&mut self, opened: saba::Opened) {
        saba::Client::close(self, opened);
    }
    fn is_known(&self, opened: saba::Opened) -> bool {
        saba::Client::is_known(self, opened)
    }
    fn refusal(&mut self, opened: saba::Opened) -> Option<String> {
        saba::Client::refusal(self, opened)
    }
}

#[derive(Debug)]
struct Report<O> {
    peer: Peer,
    /// The report, if there is one, and the index of the host's name in it.
    opened: Option<(O, usize)>,
    is_settled: bool,
}

/// The controller's name for a host, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Known {
    /// The names before this index were refused.
    From(usize),
    /// The controller knows none of the names, so connections to the host are not reported.
    Unknown,
}

/// The open connections and their reports.
#[derive(Debug)]
pub(crate) struct Reports<O> {
    hosts: Hosts,
    /// This host's name: connections to itself pass no switch.
    own: String,
    known: BTreeMap<Peer, Known>,
    reports: BTreeMap<Id, Report<O>>,
    /// The connections without a final answer of the controller.
    unsettled: Vec<Id>,
}

impl<O: Copy> Reports<O> {
    pub(crate) fn new(hosts: Hosts, own: String) -> Self {
        let (known, reports) = (BTreeMap::new(), BTreeMap::new());
        Reports { hosts, own, known, reports, unsettled: Vec::new() }
    }

    pub(crate) fn change(
        &mut self,
        controller: &mut impl ConnectionReporter<Opened = O>,
        change: Change,
    ) {
        match change {
            Change::Opened(id, peer) => {
                if !self.hosts.names(peer).contains(&self.own) {
                    self.reports.insert(id, Report { peer, opened: None, is_settled: false });
                    self.unsettled.push(id);
                }
            }
            Change::Closed(id) => {
                if let Some((opened, _)) = self.reports.remove(&id).and_then(|of| of.opened) {
                    controller.close(opened);
                }
            }
        }
    }

    /// Returns whether the controller has answered finally for each connection.
    pub(crate) fn is_settled(&self) -> bool {
        self.unsettled.is_empty()
    }

    /// Reports pending connections, with the next name of the host if one was refused. Has to be called before and
    /// after requests are sent. Returns the final refusals.
    pub(crate) fn settle(
        &mut self,
        controller: &mut impl ConnectionReporter<Opened = O>,
    ) -> Vec<String> {
        let mut given_up = Vec::new();
        for id in std::mem::take(&mut self.unsettled) {
            let Some(report) = self.reports.get_mut(&id) else { continue };
            let peer = report.peer;
            if let Some((opened, name)) = report.opened {
                report.is_settled = controller.is_known(opened);
                if let Some(why) = controller.refusal(opened) {
                    report.opened = None;
                    // A report of another connection to the host may have moved to the next name already.
                    if self.known.get(&peer) == Some(&Known::From(name)) {
                        let is_last = name + 1 == self.hosts.names(peer).len();
                        let next = if is_last { Known::Unknown } else { Known::From(name + 1) };
                        self.known.insert(peer, next);
                        if is_last {
                            given_up.push(format!("connections to {peer}: {why}"));
                        }
                    }
                }
            }
            if report.opened.is_none() {
                match self.known.entry(peer).or_insert(Known::From(0)) {
                    Known::From(name) => {
                        let called = self.hosts.names(peer).swap_remove(*name);
                        report.opened = controller.open(&called).map(|opened| (opened, *name));
                    }
                    Known::Unknown => report.is_settled = true,
                }
            }
            if !report.is_settled {
                self.unsettled.push(id);
            }
        }
        given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Identity, Ledger, Observed};
    use crate::table::{At, Table};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A controller that knows some hosts.
    #[derive(Default)]
    struct Controller {
        is_there: bool,
        hosts: BTreeSet<String>,
        next: u32,
        requested: BTreeMap<u32, String>,
        known: BTreeMap<u32, String>,
        refused: BTreeSet<u32>,
        refusals: u32,
    }

    impl ConnectionReporter for Controller {
        type Opened = u32;
        fn open(&mut self, to: &str) -> Option<u32> {
            if !self.is_there {
                return None;
            }
            self.next += 1;
            self.requested.insert(self.next, to.to_owned());
            Some(self.next)
        }
        fn close(&mut self, opened: u32) {
            let was = self.known.remove(&opened).or_else(|| self.requested.remove(&opened));
            assert!(was.is_some() || self.refused.remove(&opened), "it was open");
        }
        fn is_known(&self, opened: u32) -> bool {
            self.known.contains_key(&opened)
        }
        fn refusal(&mut self, opened: u32) -> Option<String> {
            self.refused.remove(&opened).then(|| "there is no such host".to_owned())
        }
    }

    impl Controller {
        fn hear(&mut self) {
            for (opened, to) in std::mem::take(&mut self.requested) {
                match self.hosts.contains(&to) {
                    true => drop(self.known.insert(opened, to)),
                    false => {
                        self.refused.insert(opened);
                        self.refusals += 1;
                    }
                }
            }
        }
    }

    const HOSTS: &str =
        "10.0.0.0 h0.example h0\n10.0.0.1 first h1\n10.0.0.2 nobody\n10.0.0.4 own\n";

    proptest! {
        /// Whenever the controller becomes reachable and answers, in the end it knows the open connections to its
        /// hosts.
        #[test]
        fn controller_knows_open_connections_to_its_hosts(
            steps in proptest::collection::vec((0..6usize, 0..6u8, any::<bool>()), 0..40),
            comes_at in 0..40usize,
        ) {
            let (mut ledger, table) = (Ledger::default(), Table::<6>::new());
            let hosts = ["h0", "h1", "10.0.0.3", "own"].map(str::to_owned).into();
            let mut controller = Controller { hosts, ..Controller::default() };
            let mut reports = Reports::new(Hosts::read(HOSTS), "own".to_owned());
            let mut open = BTreeMap::new();
            for (i, (at, host, is_open)) in steps.into_iter().enumerate() {
                controller.is_there |= i >= comes_at;
                let peer: Peer = format!("10.0.0.{host}").parse().unwrap();
                match is_open {
                    true => table.put(at, peer),
                    false => table.clear(at),
                }
                open.remove(&at);
                open.extend(is_open.then_some((at, host)));
                let observed = match table.at(at) {
                    At::Connection(id, peer) => Some(Observed { id, peer, identity: Identity(0) }),
                    _ => None,
                };
                for change in ledger.update([(at, observed)]) {
                    reports.change(&mut controller, change);
                }
                reports.settle(&mut controller);
                if i % 2 == 0 {
                    controller.hear();
                }
            }
            controller.is_there = true;
            for _ in 0..4 {
                reports.settle(&mut controller);
                controller.hear();
            }
            reports.settle(&mut controller);
            let names = BTreeMap::from([(0, "h0"), (1, "h1"), (3, "10.0.0.3")]);
            let mut there: Vec<&str> = open.values().filter_map(|host| names.get(host).copied()).collect();
            let mut known: Vec<&str> = controller.known.values().map(String::as_str).collect();
            there.sort();
            known.sort();
            prop_assert_eq!(known, there);
        }
    }

    #[test]
    fn refused_host_name_is_tried_once() {
        let (mut ledger, table) = (Ledger::default(), Table::<8>::new());
        let mut controller = Controller { is_there: true, ..Controller::default() };
        let mut reports = Reports::new(Hosts::read(HOSTS), "own".to_owned());
        let mut given_up = Vec::new();
        for at in 0..8 {
            table.put(at, "10.0.0.2".parse().unwrap());
            let At::Connection(id, peer) = table.at(at) else { panic!() };
            for change in ledger.update([(at, Some(Observed { id, peer, identity: Identity(0) }))])
            {
                reports.change(&mut controller, change);
            }
            for _ in 0..3 {
                given_up.extend(reports.settle(&mut controller));
                controller.hear();
            }
        }
        assert_eq!(given_up, ["connections to 10.0.0.2: there is no such host"]);
        assert_eq!(controller.refusals, 2, "each name once");
    }
}
