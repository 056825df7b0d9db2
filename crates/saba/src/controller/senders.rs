//! [`Senders`]: the applications that send through a port.

use crate::mapping::PriorityLevel;

/// The applications that send through a port, by level, with their numbers of connections.
#[derive(Debug, Clone, Default)]
pub(super) struct Senders {
    /// The entries in the order of applications' numbers.
    each: Vec<Sender>,
    /// The number of applications by kind and level, in order. Most ports need nothing else.
    cells: Vec<Cell>,
    /// The number of applications with connections of several levels.
    mixed: u32,
}

/// The connections of one application and level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sender {
    /// The application's number.
    pub(super) application: u32,
    pub(super) connections: u32,
    pub(super) level: PriorityLevel,
}

/// The applications of one kind with connections of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// The number of their profile and tenant.
    pub(super) kind: u32,
    pub(super) applications: u32,
    pub(super) level: PriorityLevel,
}

impl Senders {
    /// Adds a connection of an application, of this kind if that is known.
    pub(super) fn add(&mut self, application: u32, kind: Option<u32>, level: PriorityLevel) {
        match self.find(application, level) {
            Ok(at) => self.each[at].connections += 1,
            Err(at) => {
                self.mixed += u32::from(self.of(application).len() == 1);
                self.each.insert(at, Sender { application, connections: 1, level });
                self.count(kind, level);
            }
        }
    }

    /// Removes a connection.
    pub(super) fn remove(&mut self, application: u32, kind: Option<u32>, level: PriorityLevel) {
        let Ok(at) = self.find(application, level) else { return };
        self.each[at].connections -= 1;
        if self.each[at].connections == 0 {
            self.each.remove(at);
            self.mixed -= u32::from(self.of(application).len() == 1);
            self.discount(kind, level);
        }
    }

    /// Changes the kind of an application.
    pub(super) fn change(&mut self, application: u32, from: Option<u32>, to: Option<u32>) {
        let levels: Vec<PriorityLevel> = self.of(application).iter().map(|of| of.level).collect();
        for level in levels {
            self.discount(from, level);
            self.count(to, level);
        }
    }

    fn count(&mut self, kind: Option<u32>, level: PriorityLevel) {
        let Some(kind) = kind else { return };
        match self.cells.binary_search_by_key(&(kind, level), |cell| (cell.kind, cell.level)) {
            Ok(at) => self.cells[at].applications += 1,
            Err(at) => self.cells.insert(at, Cell { kind, applications: 1, level }),
        }
    }

    fn discount(&mut self, kind: Option<u32>, level: PriorityLevel) {
        let Some(kind) = kind else { return };
        let at = self.cells.binary_search_by_key(&(kind, level), |cell| (cell.kind, cell.level));
        let Ok(at) = at else { return };
        self.cells[at].applications -= 1;
        if self.cells[at].applications == 0 {
            self.cells.remove(at);
        }
    }

    fn find(&self, application: u32, level: PriorityLevel) -> Result<usize, usize> {
        self.each.binary_search_by_key(&(application, level), |of| (of.application, of.level))
    }

    /// Returns the entries of an application, by level.
    fn of(&self, application: u32) -> &[Sender] {
        let from = self.each.partition_point(|of| of.application < application);
        let own = self.each[from..].iter().take_while(|of| of.application == application).count();
        &self.each[from..from + own]
    }

    /// Returns all entries, grouped by application.
    pub(super) fn each(&self) -> &[Sender] {
        &self.each
    }

    /// Returns the numbers of applications by kind and level. An application with several levels is
    /// in several cells; one of unknown kind is in none.
    pub(super) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns whether an application has connections of several levels.
    pub(super) fn is_mixed(&self) -> bool {
        self.mixed > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Counts equal those of a recount.
        #[test]
        fn counts_equal_a_recount(done in prop::collection::vec((0u32..5, 0u16..3, 0u32..4), 0..60)) {
            let (mut senders, mut links) = (Senders::default(), Vec::new());
            let mut kinds: [Option<u32>; 5] = [None; 5];
            for (application, level, what) in done {
                let (kind, level) = (kinds[application as usize], PriorityLevel(level));
                match what {
                    0 => {
                        let to = kind.map_or(Some(application % 2), |_| None);
                        kinds[application as usize] = to;
                        senders.change(application, kind, to);
                    }
                    1 => {
                        if let Some(at) = links.iter().position(|link| *link == (application, level)) {
                            links.remove(at);
                            senders.remove(application, kind, level);
                        }
                    }
                    _ => {
                        links.push((application, level));
                        senders.add(application, kind, level);
                    }
                }
                let mut each: BTreeMap<(u32, PriorityLevel), u32> = BTreeMap::new();
                links.iter().for_each(|&link| *each.entry(link).or_default() += 1);
                let mut cells: BTreeMap<(u32, PriorityLevel), u32> = BTreeMap::new();
                for (application, level) in each.keys() {
                    if let Some(kind) = kinds[*application as usize] {
                        *cells.entry((kind, *level)).or_default() += 1;
                    }
                }
                let all = |of: &Sender| ((of.application, of.level), of.connections);
                prop_assert!(senders.each().iter().map(all).eq(each.clone()));
                let all = |of: &Cell| ((of.kind, of.level), of.applications);
                prop_assert!(senders.cells().iter().map(all).eq(cells));
                let levels = |a: u32| each.keys().filter(|of| of.0 == a).count();
                prop_assert_eq!(senders.is_mixed(), (0..5).any(|a| levels(a) > 1));
            }
        }
    }
}
