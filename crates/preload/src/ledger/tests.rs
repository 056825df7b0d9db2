//! Random programs that connect, duplicate and close, with and without the library noticing, beside a model of the
//! system.

use super::*;
use crate::table::At;
use crate::watch::Watch;
use proptest::prelude::*;
use std::collections::BTreeSet;

const N: usize = 8;

#[derive(Debug, Clone)]
enum Step {
    /// Connects the socket at this descriptor to this host.
    Connect(usize, u8),
    /// `dup2`.
    Duplicate(usize, usize),
    Close(usize),
    /// Closes a descriptor unnoticed, as `fclose` does; the flag says whether a file takes its place.
    CloseUnseen(usize, bool),
    /// The thread reads the changes.
    Look,
    /// The thread checks that descriptors are still the same sockets.
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
    /// The inode at each descriptor, and the peer if it is a connected socket.
    system: BTreeMap<usize, (u64, Option<Peer>)>,
    inodes: u64,
    ledger: Ledger,
    /// The reported connections.
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
        let observed = |descriptor: usize| {
            let At::Connection(id, peer) = self.watch().at(descriptor) else { return None };
            // The system reports that it is not a socket.
            let (inode, _) = self.system.get(&descriptor).filter(|there| there.1.is_some())?;
            Some(Observed { id, peer, identity: Identity(*inode) })
        };
        let observed: Vec<_> =
            changed.into_iter().map(|changed| (changed, observed(changed))).collect();
        let changes = self.ledger.update(observed);
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
                // A socket that stood there was closed unnoticed.
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

    /// For any calls of the program and any read times, the reported connections finally equal the open ones.
    #[test]
    fn reported_connections_equal_open_ones(steps in proptest::collection::vec(step(), 0..60)) {
        let mut world = World { watch: Box::new(Some(Watch::new())), ..World::default() };
        for step in &steps {
            world.does(step);
        }
        // The second scan finds descriptors that were closed unnoticed before the first.
        world.look();
        world.verify();
        let there: BTreeMap<u64, Peer> =
            world.system.values().filter_map(|(inode, peer)| Some((*inode, (*peer)?))).collect();
        let mut there: Vec<Peer> = there.into_values().collect();
        let mut reported: Vec<Peer> = world.reported.values().copied().collect();
        there.sort();
        reported.sort();
        prop_assert_eq!(reported, there);
    }

    /// A connection that ends before the thread reads is not reported.
    #[test]
    fn short_lived_connection_is_not_reported(hosts in proptest::collection::vec(0..4u8, 1..20)) {
        let mut world = World { watch: Box::new(Some(Watch::new())), ..World::default() };
        for host in hosts {
            world.does(&Step::Connect(3, host));
            world.does(&Step::Close(3));
        }
        world.look();
        prop_assert!(world.ever.is_empty());
    }
}
