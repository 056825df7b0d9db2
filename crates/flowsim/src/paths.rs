//! [`Paths`]: the paths that flows have taken, numbered. [`Alike`]: the bundles on each.

use crate::share::QueueChoice;
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// All paths that flows have taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Paths {
    /// By path: where its links end in `links`; they begin where those of the one before end.
    end: Vec<u32>,
    links: Vec<u32>,
    /// By first and last link: the path with these that was found last.
    newest: BTreeMap<(u32, u32), u32>,
    /// By path: the one with the same first and last link that was found before it.
    older: Vec<u32>,
}

impl Paths {
    /// The number of a path of one link or more.
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

/// What flows of a bundle have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Likeness {
    pub(crate) path: u32,
    pub(crate) kin: u64,
    pub(crate) class: u8,
    pub(crate) cap: u64,
    pub(crate) rank: u64,
    pub(crate) queue: QueueChoice,
}

/// Which bundles flows may join.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alike {
    /// By path: the first of its bundles.
    first: Vec<u32>,
    /// By bundle: the next one of its path.
    next: Vec<u32>,
    /// By bundle: what its flows have in common, if others may join.
    likeness: Vec<Option<Likeness>>,
}

impl Alike {
    /// The bundle whose flows are like that.
    pub(crate) fn find(&self, like: &Likeness) -> Option<u32> {
        let mut at = self.first.get(like.path as usize).copied().unwrap_or(NONE);
        while at != NONE && self.likeness[at as usize].as_ref() != Some(like) {
            at = self.next[at as usize];
        }
        (at != NONE).then_some(at)
    }

    /// The kin of a bundle that others may join.
    pub(crate) fn kin(&self, bundle: u32) -> Option<u64> {
        self.likeness[bundle as usize].map(|like| like.kin)
    }

    /// A bundle begins.
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

    /// A bundle has ended.
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
        /// As a map has them.
        #[test]
        fn numbers_of_paths(
            paths in proptest::collection::vec(proptest::collection::vec(0u32..4, 1..5), 0..100),
        ) {
            let (mut numbers, mut map) = (Paths::default(), BTreeMap::new());
            for path in paths {
                let next = map.len() as u32;
                let expected = *map.entry(path.clone()).or_insert(next);
                prop_assert_eq!(numbers.number(&path), expected);
            }
        }

        /// As a map has them, whatever begins and ends.
        #[test]
        fn bundles_that_are_alike(steps in proptest::collection::vec((0u32..4, 0u64..4), 0..200)) {
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
