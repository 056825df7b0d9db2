//! [`Places`]: how many connections each peer may hold.

use crate::core::Owner;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The holder of a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    /// A peer at this address that has shown no credential yet; the network of 64 bits in IPv6.
    Stranger(IpAddr),
    /// A caller.
    Known(Owner),
}

impl Holder {
    /// Returns a peer that has shown no credential yet.
    pub(super) fn stranger(address: IpAddr) -> Self {
        Holder::Stranger(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                IpAddr::V6(network.into())
            }
            address => address,
        })
    }
}

/// The largest numbers of connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The connections of all callers.
    pub(super) callers: usize,
    /// The connections of all strangers.
    pub(super) strangers: usize,
    /// The connections of the strangers at one address.
    pub(super) of_address: usize,
    /// The connections of one caller.
    pub(super) of_owner: usize,
}

/// The places of a listener. Strangers have places of their own, and one that finds none takes the place of another
/// stranger: the oldest one at its own address, or at the address that holds most. A caller that finds none takes the
/// oldest place of the caller that holds most, if that one holds more than the caller itself would.
#[derive(Debug)]
pub(super) struct Places<T> {
    room: Room,
    next: u64,
    /// The number of strangers.
    strangers: usize,
    /// The places of each holder with any, the oldest first.
    of: BTreeMap<Holder, BTreeMap<u64, T>>,
    holders: BTreeMap<u64, Holder>,
}

impl<T> Places<T> {
    pub(super) fn new(room: Room) -> Self {
        Places { room, next: 0, strangers: 0, of: BTreeMap::new(), holders: BTreeMap::new() }
    }

    /// Gives a new connection a place. Returns the place's number and a connection that has lost its own, or `None` if
    /// there is no place for the new one.
    pub(super) fn enter(&mut self, holder: Holder, connection: T) -> Option<(u64, Option<T>)> {
        let lost = self.make_room(&holder)?;
        let number = self.next;
        self.next += 1;
        self.put(number, holder, connection);
        Some((number, lost))
    }

    fn make_room(&mut self, holder: &Holder) -> Option<Option<T>> {
        match holder {
            Holder::Known(_) => self.room_for_caller(holder),
            Holder::Stranger(_) if self.held(holder) >= self.room.of_address => {
                Some(self.oldest(&holder.clone()))
            }
            Holder::Stranger(_) if self.strangers >= self.room.strangers => {
                self.oldest_of_most(|of| matches!(of, Holder::Stranger(_)), 0).map(Some)
            }
            Holder::Stranger(_) => Some(None),
        }
    }

    fn room_for_caller(&mut self, holder: &Holder) -> Option<Option<T>> {
        let held = self.held(holder);
        match held >= self.room.of_owner {
            true => None,
            false if self.holders.len() - self.strangers < self.room.callers => Some(None),
            false => self.oldest_of_most(|of| matches!(of, Holder::Known(_)), held + 1).map(Some),
        }
    }

    /// Passes a place to the caller that its holder has turned out to be. Returns a connection that has lost its own, or
    /// `None` if the caller may hold no other place: its connection should be closed.
    pub(super) fn recognise(&mut self, number: u64, owner: &Owner) -> Option<Option<T>> {
        let known = Holder::Known(owner.clone());
        if self.holders.get(&number) == Some(&known) {
            return Some(None);
        }
        let lost = self.room_for_caller(&known)?;
        if let Some(connection) = self.leave(number) {
            self.put(number, known, connection);
        }
        Some(lost)
    }

    /// Gives a place up. Returns its connection, unless it has lost the place already.
    pub(super) fn leave(&mut self, number: u64) -> Option<T> {
        let holder = self.holders.remove(&number)?;
        let places = self.of.get_mut(&holder)?;
        let connection = places.remove(&number);
        self.strangers -= usize::from(matches!(holder, Holder::Stranger(_)));
        if places.is_empty() {
            self.of.remove(&holder);
        }
        connection
    }

    fn put(&mut self, number: u64, holder: Holder, connection: T) {
        self.strangers += usize::from(matches!(holder, Holder::Stranger(_)));
        self.of.entry(holder.clone()).or_default().insert(number, connection);
        self.holders.insert(number, holder);
    }

    /// Returns the number of places that are held.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.holders.len()
    }

    fn held(&self, holder: &Holder) -> usize {
        self.of.get(holder).map_or(0, BTreeMap::len)
    }

    fn oldest(&mut self, holder: &Holder) -> Option<T> {
        let number = *self.of.get(holder)?.first_key_value()?.0;
        self.leave(number)
    }

    /// Takes the oldest place of the holder of this kind that has most, if it has more than `least`.
    fn oldest_of_most(&mut self, is_kind: fn(&Holder) -> bool, least: usize) -> Option<T> {
        let all = self.of.iter().filter(|of| is_kind(of.0));
        let (most, places) = all.max_by_key(|of| of.1.len())?;
        if places.len() <= least {
            return None;
        }
        self.oldest(&most.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOM: Room = Room { callers: 6, strangers: 6, of_address: 3, of_owner: 4 };

    fn at(address: u8) -> Holder {
        Holder::stranger(IpAddr::from([10, 0, 0, address]))
    }

    #[test]
    fn strangers_take_each_others_places_only() {
        let mut places = Places::new(ROOM);
        let enter = |places: &mut Places<u8>, holder, id| places.enter(holder, id).map(|of| of.1);
        for id in 0..3 {
            assert_eq!(enter(&mut places, at(1), id), Some(None));
        }
        assert_eq!(enter(&mut places, at(1), 3), Some(Some(0)), "the oldest at the address");
        for id in 4..7 {
            assert_eq!(enter(&mut places, at(id), id), Some(None));
        }
        assert_eq!(
            enter(&mut places, at(9), 9),
            Some(Some(1)),
            "the oldest of the largest address"
        );
        let known = |name: &str| Holder::Known(name.into());
        for id in 20..24 {
            assert_eq!(enter(&mut places, known("spark"), id), Some(None));
        }
        assert_eq!(enter(&mut places, known("spark"), 24), None);
        for id in 30..32 {
            assert_eq!(enter(&mut places, known("root"), id), Some(None));
        }
        assert_eq!(enter(&mut places, known("root"), 32), Some(Some(20)), "spark holds most");
        assert_eq!(enter(&mut places, known("root"), 33), None, "each has 3");
        assert_eq!(enter(&mut places, known("nobody"), 40), Some(Some(21)));
        assert_eq!(enter(&mut places, at(3), 50), Some(Some(2)), "strangers have their own");
    }

    #[test]
    fn recognised_strangers_hold_a_place_of_their_caller() {
        let mut places = Places::new(ROOM);
        let numbers: Vec<u64> = (0..5).map(|id| places.enter(at(id), id).unwrap().0).collect();
        let recognised = numbers.iter().map(|&number| places.recognise(number, &"spark".into()));
        let there = Some(None);
        assert_eq!(recognised.collect::<Vec<_>>(), [there, there, there, there, None]);
        assert_eq!(places.recognise(numbers[0], &"spark".into()), there, "again");
        assert_eq!(places.strangers, 1);
        assert_eq!((places.leave(numbers[0]), places.leave(numbers[0])), (Some(0), None));
        assert_eq!(places.recognise(numbers[4], &"spark".into()), there);
    }

    #[test]
    fn addresses_of_one_network_are_one_stranger() {
        let of = |text: &str| Holder::stranger(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::2"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }

    proptest! {
        /// Whatever comes and goes, no bound is passed and no place is lost or held twice.
        #[test]
        fn bounds_hold(steps in prop::collection::vec((0u8..4, 0u8..8), 0..300)) {
            let mut places = Places::new(ROOM);
            let mut there = BTreeMap::new();
            for (kind, which) in steps {
                let entered = match kind {
                    0 => places.enter(at(which), places.next),
                    1 => places.enter(Holder::Known((*which.to_string()).into()), places.next),
                    2 => {
                        let number = there.keys().nth(usize::from(which)).copied();
                        let owner = (*(which % 3).to_string()).into();
                        let recognised = number.and_then(|of| places.recognise(of, &owner));
                        if let Some(lost) = recognised.flatten() {
                            prop_assert!(there.remove(&lost).is_some());
                        }
                        None
                    }
                    _ => {
                        if let Some((number, ())) = there.pop_first() {
                            prop_assert_eq!(places.leave(number), Some(number));
                        }
                        None
                    }
                };
                if let Some((number, lost)) = entered {
                    there.insert(number, ());
                    if let Some(lost) = lost {
                        prop_assert!(there.remove(&lost).is_some());
                    }
                }
                let held: Vec<u64> = places.holders.keys().copied().collect();
                prop_assert_eq!(held, there.keys().copied().collect::<Vec<_>>());
                let strangers = places.holders.values().filter(|of| matches!(of, Holder::Stranger(_)));
                let strangers = strangers.count();
                prop_assert_eq!(places.strangers, strangers);
                prop_assert!(strangers <= ROOM.strangers);
                prop_assert!(there.len() - strangers <= ROOM.callers);
                for (holder, of) in &places.of {
                    let most = match holder {
                        Holder::Stranger(_) => ROOM.of_address,
                        Holder::Known(_) => ROOM.of_owner,
                    };
                    prop_assert!(!of.is_empty() && of.len() <= most);
                }
            }
        }
    }
}
