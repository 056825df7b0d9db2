//! [`Turns`]: a queue in which owners take turns.

use crate::core::Owner;
use std::collections::{BTreeMap, VecDeque};

/// A queue in which owners take turns, each with a bounded number of items. An owner with many items waits longer for
/// them than an owner with one.
#[derive(Debug)]
pub(super) struct Turns<T> {
    /// The items of each owner with any, the next first.
    of: BTreeMap<Owner, VecDeque<T>>,
    /// The owners with items; the next turn is that of the first.
    owners: VecDeque<Owner>,
    /// The largest number of items of an owner.
    most: usize,
}

impl<T> Turns<T> {
    pub(super) fn new(most: usize) -> Self {
        Turns { of: BTreeMap::new(), owners: VecDeque::new(), most }
    }

    /// Adds an item behind the owner's others, or before them if it is urgent. Returns whether there was room.
    pub(super) fn push(&mut self, owner: Owner, item: T, is_urgent: bool) -> bool {
        let items = self.of.entry(owner.clone()).or_default();
        if items.len() >= self.most {
            return false;
        }
        if items.is_empty() {
            self.owners.push_back(owner);
        }
        match is_urgent {
            true => items.push_front(item),
            false => items.push_back(item),
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Takes the first item of the owner whose turn it is.
    pub(super) fn pop(&mut self) -> Option<(Owner, T)> {
        let owner = self.owners.pop_front()?;
        let items = self.of.get_mut(&owner)?;
        let item = items.pop_front()?;
        match items.is_empty() {
            true => drop(self.of.remove(&owner)),
            false => self.owners.push_back(owner.clone()),
        }
        Some((owner, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Each owner's items come in their order, the urgent ones first, and none is lost. Between two items of an
        /// owner that has one waiting, every other owner gets one at most.
        #[test]
        fn owners_take_turns(steps in prop::collection::vec(prop::option::of((0u8..4, any::<bool>())), 0..200)) {
            let mut turns = Turns::new(8);
            let mut model = BTreeMap::<Owner, VecDeque<usize>>::new();
            // The owners that were served since each owner's last turn, or since it began to wait.
            let mut since = BTreeMap::<Owner, Vec<Owner>>::new();
            for (number, step) in steps.into_iter().enumerate() {
                let Some((owner, is_urgent)) = step else {
                    let popped = turns.pop();
                    prop_assert_eq!(popped.is_none(), model.values().all(VecDeque::is_empty));
                    if let Some((owner, item)) = popped {
                        prop_assert_eq!(model.get_mut(&owner).unwrap().pop_front(), Some(item));
                        since.remove(&owner);
                        for (other, served) in &mut since {
                            prop_assert!(!served.contains(&owner), "{} twice before {}", owner, other);
                            served.push(owner.clone());
                        }
                        if !model[&owner].is_empty() {
                            since.insert(owner, Vec::new());
                        }
                    }
                    continue;
                };
                let owner = Owner::from(&*owner.to_string());
                let own = model.entry(owner.clone()).or_default();
                prop_assert_eq!(turns.push(owner.clone(), number, is_urgent), own.len() < 8);
                if own.len() < 8 {
                    if own.is_empty() {
                        since.insert(owner, Vec::new());
                    }
                    match is_urgent {
                        true => own.push_front(number),
                        false => own.push_back(number),
                    }
                }
            }
        }
    }
}
