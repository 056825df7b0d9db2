//! Programs that connect, duplicate and close, seen and unseen, before a model of what the system has.

use super::*;
use crate::table::At;
use crate::watch::Watch;
use proptest::prelude::*;
use std::collections::BTreeSet;

const N: usize = 8;

#[derive(Debug, Clone)]
enum Step {
    /// A socket at this descriptor, whatever stood there, is connected to this host.
    Connect(usize, u8),
    /// `dup2`.
    Duplicate(usize, usize),
    Close(usize),
    /// By a way that the library does not see, `fclose` for one; whether a file has the descriptor at once.
    CloseUnseen(usize, bool),
    /// The thread looks at what has changed.
    Look,
    /// It looks whether descriptors are what they were.
    Verify,
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0..N;
    prop_oneof![
        3 => (at.clone(), 0..4u8).prop_map(|(at, host)| Step::Connect(at, host)),
        2 => (at.clone(), at.clone()).prop_map(|(from, to)| Step::Duplicate(from, to)),
        2 => at.clone().prop_map(Step::Close),
        1 => (at, any::<bool>()).prop_map(|(at, file)| Step::CloseUnseen(at, file)),
        2 => Just(Step::Look),
        1 => Just(Step::Verify),
    ]
}

fn peer(host: u8) -> Peer {
    format!("10.0.0.{host}").parse().unwrap()
}

#[derive(Default)]
struct World {
    watch: Box<Option<Watch<N, 1, 1>>>,
    /// What the system has at a descriptor: an inode, and who is connected, if that is a socket.
    system: BTreeMap<usize, (u64, Option<Peer>)>,
    inodes: u64,
    ledger: Ledger,
    /// What was said.
    reported: BTreeMap<Id, Peer>,
    ever: BTreeSet<Id>,
}

impl World {
    fn watch(&self) -> &Watch<N, 1, 1> {
        self.watch.as_ref().as_ref().unwrap()
    }

    fn inode(&mut self) -> u64 {
        self.inodes += 1;
        self.inodes
    }

    fn hear(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Opened(id, peer) => {
                    assert!(self.ever.insert(id), "a connection is opened once");
                    self.reported.insert(id, peer);
                }
                Change::Closed(id) => {
                    assert!(self.reported.remove(&id).is_some(), "it was open");
                }
            }
        }
    }

    fn look(&mut self) {
        let mut changed = Vec::new();
        self.watch().take(|descriptor| changed.push(descriptor));
        let seen = |descriptor: usize| {
            let At::Connection(id, peer) = self.watch().at(descriptor) else { return None };
            // What is no socket any more is known to be none.
            let (inode, _) = self.system.get(&descriptor).filter(|there| there.1.is_some())?;
            Some(Seen { id, peer, identity: Identity(*inode) })
        };
        let seen: Vec<_> = changed.into_iter().map(|changed| (changed, seen(changed))).collect();
        let changes = self.ledger.look(seen);
        self.hear(changes);
    }

    fn verify(&mut self) {
        let held: Vec<_> = self.ledger.held().collect();
        for (descriptor, id, identity) in held {
            if self.system.get(&descriptor).map(|there| Identity(there.0)) != Some(identity) {
                self.watch().lost(descriptor, id);
            }
        }
        self.look();
    }

    fn does(&mut self, step: &Step) {
        match *step {
            Step::Connect(at, host) => {
                // What stands there was closed unseen, if it was closed at all.
                let inode = self.inode();
                self.system.insert(at, (inode, Some(peer(host))));
                self.watch().connected(at, peer(host));
            }
            Step::Duplicate(from, to) => {
                if let Some(there) = self.system.get(&from).copied().filter(|_| from != to) {
                    self.system.insert(to, there);
                    self.watch().duplicated(from, to);
                }
            }
            Step::Close(at) => {
                self.watch().closing(at);
                self.system.remove(&at);
            }
            Step::CloseUnseen(at, by_a_file) => {
                self.system.remove(&at);
                if by_a_file {
                    let inode = self.inode();
                    self.system.insert(at, (inode, None));
                }
            }
            Step::Look => self.look(),
            Step::Verify => self.verify(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever a program does and whenever the thread looks: when it has looked, what was said is what there is.
    #[test]
    fn in_the_end_what_was_said_is_what_there_is(steps in proptest::collection::vec(step(), 0..60)) {
        let mut world = World { watch: Box::new(Some(Watch::new())), ..World::default() };
        for step in &steps {
            world.does(step);
        }
        // Descriptors that were closed unseen before anybody looked are found by the second look.
        world.look();
        world.verify();
        let there: BTreeMap<u64, Peer> =
            world.system.values().filter_map(|(inode, peer)| Some((*inode, (*peer)?))).collect();
        let mut there: Vec<Peer> = there.into_values().collect();
        let mut said: Vec<Peer> = world.reported.values().copied().collect();
        there.sort();
        said.sort();
        prop_assert_eq!(said, there);
    }

    /// One that ends before anybody looks is not said at all.
    #[test]
    fn what_is_over_before_it_is_seen_is_not_said(hosts in proptest::collection::vec(0..4u8, 1..20)) {
        let mut world = World { watch: Box::new(Some(Watch::new())), ..World::default() };
        for host in hosts {
            world.does(&Step::Connect(3, host));
            world.does(&Step::Close(3));
        }
        world.look();
        prop_assert!(world.ever.is_empty());
    }
}
