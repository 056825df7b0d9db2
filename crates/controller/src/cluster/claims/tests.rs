//! A model of controllers and a store whose events arrive late, but in order.

use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Debug, Clone)]
enum Event {
    Alive(Group, bool),
    Held(Group, Option<Holder>),
}

/// A running controller: its claims, and the number of events that it has received.
struct One {
    claims: Claims,
    known: usize,
    /// Groups with outstanding orders since the controller held them.
    busy: BTreeSet<Group>,
}

#[derive(Default)]
struct World {
    history: Vec<Event>,
    holders: BTreeMap<Group, Holder>,
    running: BTreeMap<Group, One>,
    leases: i64,
}

impl World {
    fn publish(&mut self, event: Event) {
        if let Event::Held(group, holder) = &event {
            match holder {
                Some(holder) => drop(self.holders.insert(group.clone(), holder.clone())),
                None => drop(self.holders.remove(group)),
            }
        }
        self.history.push(event);
    }

    fn starts(&mut self, name: Group) {
        if self.running.contains_key(&name) {
            return;
        }
        self.leases += 1;
        let me = Holder { instance: name.clone(), lease: self.leases };
        let claims = Claims::new(me, NAMES.map(Group::from));
        self.publish(Event::Alive(name.clone(), true));
        self.running.insert(name, One { claims, known: 0, busy: BTreeSet::new() });
    }

    /// Ends a controller's lease. The controller knows that, as it holds its groups only until then.
    fn dies(&mut self, name: &Group) {
        if self.running.remove(name).is_none() {
            return;
        }
        let had = self.holders.iter().filter(|of| of.1.instance == *name);
        for group in had.map(|of| of.0.clone()).collect::<Vec<_>>() {
            self.publish(Event::Held(group, None));
        }
        self.publish(Event::Alive(name.clone(), false));
    }

    /// Delivers some events to a controller and carries out its decisions.
    fn deliver(&mut self, name: &Group, most: usize) {
        let Some(one) = self.running.get_mut(name) else { return };
        for event in self.history.iter().skip(one.known).take(most) {
            match event.clone() {
                Event::Alive(name, is) => one.claims.alive(name, is),
                Event::Held(group, holder) => one.claims.held(group, holder),
            }
            one.known += 1;
        }
        let Decided { claim, free: mut freed } = one.claims.decide();
        let ours: BTreeSet<Group> = one.claims.ours().into_iter().collect();
        one.busy.extend(ours.iter().cloned());
        // Outstanding orders end some time after the groups are lost.
        let rests: Vec<Group> = one.busy.difference(&ours).cloned().collect();
        for group in rests {
            one.busy.remove(&group);
            if one.claims.is_given_back(&group) {
                freed.push(group);
            }
        }
        let me = one.claims.me().clone();
        for group in claim {
            match self.holders.contains_key(&group) {
                false => self.publish(Event::Held(group, Some(me.clone()))),
                true => self.running.get_mut(name).unwrap().claims.answered(&group),
            }
        }
        for group in freed {
            assert_eq!(
                self.holders.get(&group),
                Some(&me),
                "a controller releases only its own groups"
            );
            self.publish(Event::Held(group, None));
        }
        self.nobody_has_what_another_has();
    }

    fn nobody_has_what_another_has(&mut self) {
        let mut all = BTreeMap::<Group, &Group>::new();
        for (name, one) in &mut self.running {
            for group in one.claims.ours() {
                assert_eq!(all.insert(group.clone(), name), None, "two have {group}");
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Happens {
    Starts(Index),
    Dies(Index),
    Hears(Index, usize),
}

fn anything() -> impl Strategy<Value = Vec<Happens>> {
    let one = prop_oneof![
        2 => any::<Index>().prop_map(Happens::Starts),
        1 => any::<Index>().prop_map(Happens::Dies),
        6 => (any::<Index>(), 0usize..6).prop_map(|(name, most)| Happens::Hears(name, most)),
    ];
    prop::collection::vec(one, 0..80)
}

proptest! {
    /// A group never has two holders. In the end each running controller holds its own group, and every other group has
    /// a holder.
    #[test]
    fn every_group_has_exactly_one_holder(happens in anything(), last in 0usize..3) {
        let name = |of: &Index| Group::from(*of.get(&NAMES));
        let mut world = World::default();
        for what in &happens {
            match what {
                Happens::Starts(of) => world.starts(name(of)),
                Happens::Dies(of) => world.dies(&name(of)),
                Happens::Hears(of, most) => world.deliver(&name(of), *most),
            }
        }
        world.starts(NAMES[last].into());
        for _ in 0..20 {
            NAMES.iter().for_each(|name| world.deliver(&Group::from(*name), usize::MAX));
        }
        for name in NAMES.map(Group::from) {
            let holder = world.holders.get(&name).map(|holder| &holder.instance);
            match world.running.contains_key(&name) {
                true => prop_assert_eq!(holder, Some(&name)),
                false => prop_assert!(world.running.contains_key(holder.unwrap())),
            }
        }
        let ours: usize = world.running.values_mut().map(|one| one.claims.ours().len()).sum();
        prop_assert_eq!(ours, NAMES.len());
    }
}

/// The former holder of a group may not know yet that the store was emptied.
#[test]
fn groups_of_others_are_claimed_a_lease_after_the_store_was_emptied() {
    let [a, b, c] = NAMES.map(Group::from);
    let holder = |of: &Group, lease| Holder { instance: of.clone(), lease };
    let held = BTreeMap::from([
        (a.clone(), holder(&a, 1)),
        (b.clone(), holder(&b, 2)),
        (c.clone(), holder(&a, 1)),
    ]);
    let new = || {
        let mut claims = Claims::new(holder(&a, 1), NAMES.map(Group::from));
        claims.see([a.clone(), b.clone()], held.clone());
        assert_eq!(claims.decide().claim, []);
        claims
    };
    let mut claims = new();
    claims.see_again([], BTreeMap::new(), true);
    assert_eq!(claims.decide().claim, [a.clone(), c.clone()]);
    claims.is_sure();
    assert_eq!(claims.decide().claim, vec![b.clone()]);
    // The own lease has ended, so the own groups may have other holders too.
    let mut claims = new();
    claims.see_again([], BTreeMap::new(), false);
    assert_eq!(claims.decide().claim, []);
    // An event of the new store shows that a group has had a holder since.
    claims.held(a.clone(), Some(holder(&c, 3)));
    claims.held(a.clone(), None);
    assert_eq!(claims.decide().claim, [a]);
    claims.is_sure();
    assert_eq!(claims.decide().claim, [b, c]);
}
