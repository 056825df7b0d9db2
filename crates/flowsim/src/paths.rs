//! [`Paths`]: numbered paths of flows. [`Alike`]: the bundles on each path.

use crate::share::QueueChoice;
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// All paths that flows have used.
#[derive(Debug, Clone, Default)]
pub(crate) struct Paths {
    /// The end of each path's links in `links`. They begin at the end of the previous path.
    end: Vec<u32>,
    links: Vec<u32>,
    /// The last path found with this first and last link.
    newest: BTreeMap<(u32, u32), u32>,
    /// The previous path with the same first and last link, by path.
    older: Vec<u32>,
}

impl Paths {
    /// Returns the number of a path of one link or more.
    pub(crate) fn number(&mut self, path: &[u32]) -> u32 {
        let (&first, &last) = (path.first().expect("a link"), path.last().expect("a link"));
        let newest = self.newest.entry((first, last)).or_insert(NONE);
        let mut at = *newest;
        while at != NONE {
            let begin = at.checked_sub(1).map_or(0, |before| self.end[before as usize]);
            if &self.links[begin as usize..self.end[at as usize] as usize] == path {
                return at;
            }
            at = self.older[at as usize];
        }
        let number = self.end.len() as u32;
        self.older.push(std::mem::replace(newest, number));
        self.links.extend_from_slice(path);
        self.end.push(self.links.len() as u32);
        number
    }
}

/// The common properties of a bundle's flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Likeness {
    pub(crate) path: u32,
    pub(crate) kin: u64,
    pub(crate) class: u8,
    pub(crate) cap: u64,
    pub(crate) rank: u64,
    pub(crate) queue: QueueChoice,
}

/// The bundles that flows may join.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alike {
    /// The first bundle of each path.
    first: Vec<u32>,
    /// The next bundle of the same path, by bundle.
    next: Vec<u32>,
    /// The common properties of a bundle's flows, if others may join.
    likeness: Vec<Option<Likeness>>,
}

impl Alike {
    /// Returns the bundle with these properties.
    pub(crate) fn find(&self, like: &Likeness) -> Option<u32> {
        let mut at = self.first.get(like.path as usize).copied().unwrap_or(NONE);
        while at != NONE && self.likeness[at as usize].as_ref() != Some(like) {
            at = self.next[at as usize];
        }
        (at != NONE).then_some(at)
    }

    /// Returns the kin of a bundle that others may join.
    pub(crate) fn kin(&self, bundle: u32) -> Option<u64> {
        self.likeness[bundle as usize].map(|like| like.kin)
    }

    /// Begins a bundle.
    pub(crate) fn begin(&mut self, bundle: u32, like: Option<Likeness>) {
        if self.likeness.len() <= bundle as usize {
            self.likeness.resize(bundle as usize + 1, None);
            self.next.resize(bundle as usize + 1, NONE);
        }
        self.likeness[bundle as usize] = like;
        if let Some(Likeness { path, .. }) = like {
            if self.first.len() <= path as usize {
                self.first.resize(path as usize + 1, NONE);
            }
            let first = std::mem::replace(&mut self.first[path as usize], bundle);
            self.next[bundle as usize] = first;
        }
    }

    /// Ends a bundle.
    pub(crate) fn end(&mut self, bundle: u32) {
        let Some(Likeness { path, .. }) = self.likeness[bundle as usize].take() else { return };
        let next = self.next[bundle as usize];
        if self.first[path as usize] == bundle {
            self.first[path as usize] = next;
            return;
        }
        let mut at = self.first[path as usize];
        while self.next[at as usize] != bundle {
            at = self.next[at as usize];
        }
        self.next[at as usize] = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Numbers are equal to those of a map.
        #[test]
        fn path_numbers_equal_those_of_a_map(
            paths in proptest::collection::vec(proptest::collection::vec(0u32..4, 1..5), 0..100),
        ) {
            let (mut numbers, mut map) = (Paths::default(), BTreeMap::new());
            for path in paths {
                let next = map.len() as u32;
                let expected = *map.entry(path.clone()).or_insert(next);
                prop_assert_eq!(numbers.number(&path), expected);
            }
        }

        /// Bundles are equal to those of a map after any sequence of operations.
        #[test]
        fn bundles_are_found_by_likeness(steps in proptest::collection::vec((0u32..4, 0u64..4), 0..200)) {
            let (mut alike, mut map, mut free) = (Alike::default(), BTreeMap::new(), vec![]);
            for (path, kin) in steps {
                let like = Likeness { path, kin, class: 0, cap: 0, rank: 0, queue: QueueChoice::One };
                prop_assert_eq!(alike.find(&like), map.get(&(path, kin)).copied());
                match map.remove(&(path, kin)) {
                    Some(bundle) => {
                        alike.end(bundle);
                        free.push(bundle);
                    }
                    None => {
                        let bundle = free.pop().unwrap_or(map.len() as u32);
                        alike.begin(bundle, Some(like));
                        map.insert((path, kin), bundle);
                    }
                }
            }
        }
    }
}
