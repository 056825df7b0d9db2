//! [`Found`]: the numbers of a fabric's main setups. The paper's fabric has them in its figures, those
//! of today in the item of the claims.

use super::claim_runs::ITEM;
use super::fabrics::Fabric;
use super::link::LINK_GBPS;
use super::setup::bsgs;
use crate::Finding;

/// The findings of a fabric.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub findings: &'a [Finding],
    pub fabric: &'static Fabric,
}

const MEDIAN: &str = "RTT p50";
const TOTAL: &str = "total bandwidth";

impl Found<'_> {
    /// Returns a number by its names.
    pub(super) fn of(self, item: &str, case: &str, metric: &str) -> Option<f64> {
        Finding::find(self.findings, item, case, metric).map(Finding::value)
    }

    /// Returns a number of the paper's figure, or of the same setup on a fabric of today.
    fn either(self, item: &str, case: &str, today: &str, metric: &str) -> Option<f64> {
        match self.fabric.is_paper() {
            true => self.of(item, case, metric),
            false => self.of(ITEM, &self.fabric.called(today), metric),
        }
    }

    fn same(self, item: &str, case: &str, metric: &str) -> Option<f64> {
        self.either(item, case, case, metric)
    }

    /// Returns the median in us beside `n` bulk senders of 4096 B.
    pub(super) fn beside(self, n: usize) -> Option<f64> {
        self.same("fig7a", &bsgs(n), MEDIAN)
    }

    /// Returns the total bandwidth of `n` bulk senders of 4096 B in Gbps.
    pub(super) fn total(self, n: usize) -> Option<f64> {
        self.same("fig7b", &bsgs(n), TOTAL)
    }

    /// Returns the median in us beside five senders of messages of this size.
    pub(super) fn of_size(self, bytes: u32) -> Option<f64> {
        match bytes {
            4096 => self.either("fig8", "4096 B", "5 BSGs", MEDIAN),
            _ => {
                let size = format!("{bytes} B");
                self.either("fig8", &size, &format!("5 BSGs of {size}"), MEDIAN)
            }
        }
    }

    /// Returns the bandwidth of five senders of messages of this size in Gbps.
    pub(super) fn total_of_size(self, bytes: u32) -> Option<f64> {
        match (self.fabric.is_paper(), bytes) {
            (true, _) => {
                let share = self.of("fig9", &format!("{bytes} B"), "share of the link");
                share.map(|percent| percent / 100.0 * LINK_GBPS)
            }
            (false, 4096) => self.total(5),
            (false, _) => {
                self.of(ITEM, &self.fabric.called(&format!("5 BSGs of {bytes} B")), TOTAL)
            }
        }
    }

    /// Returns the median in us of first come, first served, beside five senders.
    pub(super) fn fcfs(self) -> Option<f64> {
        self.either("fig10", "FCFS 5 BSGs", "5 BSGs", MEDIAN)
    }

    /// Returns the median in us of round-robin.
    pub(super) fn round_robin(self) -> Option<f64> {
        self.same("fig10", "RR 5 BSGs", MEDIAN)
    }

    /// Returns the median in us of the oldest first, over two switches.
    pub(super) fn fcfs_over_two(self) -> Option<f64> {
        self.either("fig11", "FCFS", "FCFS over two hops", MEDIAN)
    }

    /// Returns the median in us of round-robin over two switches.
    pub(super) fn round_robin_over_two(self) -> Option<f64> {
        self.either("fig11", "RR", "RR over two hops", MEDIAN)
    }

    /// Returns the median in us on a service level of its own.
    pub(super) fn own_level(self) -> Option<f64> {
        self.same("fig12", "dedicated SL", MEDIAN)
    }

    /// Returns the bandwidth of the bulk senders beside it in Gbps.
    pub(super) fn own_level_total(self) -> Option<f64> {
        self.same("fig13", "dedicated SL", TOTAL)
    }

    /// Returns the median in us beside a pretend LSG.
    pub(super) fn beside_pretending(self) -> Option<f64> {
        self.same("fig12", GAMED, MEDIAN)
    }

    /// Returns the bandwidth of the pretend LSG in Gbps.
    pub(super) fn pretending(self) -> Option<f64> {
        match self.fabric.is_paper() {
            true => self.of("fig13", "pretend LSG", "bandwidth"),
            false => self.of(ITEM, &self.fabric.called(GAMED), "pretend LSG"),
        }
    }

    /// Returns the bandwidth of an honest sender beside it in Gbps.
    pub(super) fn honest(self) -> Option<f64> {
        match self.fabric.is_paper() {
            true => self.of("fig13", "BSG beside a pretend LSG: most", "bandwidth"),
            false => self.of(ITEM, &self.fabric.called(GAMED), TOTAL).map(|gbps| gbps / 4.0),
        }
    }
}

const GAMED: &str = "dedicated SL with a pretend LSG";
