//! [`Agenda`]: the next event of each bundle. A heap in flat arrays that stores the place of each
//! bundle, so that an event can be moved.

use bandwise_units::Time;

/// The next event of each bundle that has one, by time and then by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agenda {
    heap: Vec<(Time, u32)>,
    /// The place in the heap, by bundle.
    place: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Agenda {
    /// Returns the first event, if there is one.
    pub(crate) fn first(&self) -> Option<(Time, u32)> {
        self.heap.first().copied()
    }

    /// Sets or moves the event of a bundle, or removes it without a time.
    pub(crate) fn set(&mut self, bundle: u32, at: Option<Time>) {
        if self.place.len() <= bundle as usize {
            self.place.resize(bundle as usize + 1, NOWHERE);
        }
        let place = self.place[bundle as usize];
        match (place, at) {
            (NOWHERE, None) => {}
            (NOWHERE, Some(at)) => {
                self.heap.push((at, bundle));
                self.up(self.heap.len() - 1);
            }
            (place, Some(at)) => {
                let before = std::mem::replace(&mut self.heap[place as usize].0, at);
                if at < before { self.up(place as usize) } else { self.down(place as usize) }
            }
            (place, None) => {
                let last = self.heap.pop().expect("the bundle stands in the heap");
                self.place[bundle as usize] = NOWHERE;
                if last.1 != bundle {
                    self.heap[place as usize] = last;
                    self.up(place as usize);
                    let at = self.place[last.1 as usize];
                    self.down(at as usize);
                }
            }
        }
    }

    fn up(&mut self, mut at: usize) {
        let moved = self.heap[at];
        while at > 0 && moved < self.heap[(at - 1) / 2] {
            self.put(at, self.heap[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
        self.put(at, moved);
    }

    fn down(&mut self, mut at: usize) {
        let moved = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child + 1 < self.heap.len() && self.heap[child + 1] < self.heap[child] {
                child += 1;
            }
            if child >= self.heap.len() || moved <= self.heap[child] {
                break;
            }
            self.put(at, self.heap[child]);
            at = child;
        }
        self.put(at, moved);
    }

    fn put(&mut self, at: usize, event: (Time, u32)) {
        self.heap[at] = event;
        self.place[event.1 as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    proptest::proptest! {
        /// The agenda equals a sorted map after any sequence of operations.
        #[test]
        fn agenda_equals_a_sorted_map(
            steps in proptest::collection::vec((0u32..20, proptest::option::of(0u64..50)), 0..200),
        ) {
            let (mut agenda, mut map) = (Agenda::default(), BTreeMap::new());
            for (bundle, at) in steps {
                agenda.set(bundle, at.map(Time::from_ps));
                map.remove(&bundle);
                map.extend(at.map(|at| (bundle, Time::from_ps(at))));
                let first = map.iter().map(|(&bundle, &at)| (at, bundle)).min();
                proptest::prop_assert_eq!(agenda.first(), first);
            }
        }
    }
}
