//! [`Side`]: the information that the other side needs to connect its queue pairs.

use crate::Gid;
use bandwise_rdma::wire::Mtu;
use serde::{Deserialize, Serialize};

/// A number of 24 bits: a queue pair number or a packet sequence number (IBTA 9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Bits24(u32);

/// A number that needs more than 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} has more than 24 bits")]
pub struct Bits24Error(pub u32);

impl Bits24 {
    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the lowest 24 bits of a number.
    pub const fn of_lowest(number: u32) -> Self {
        Bits24(number & 0xff_ffff)
    }
}

impl TryFrom<u32> for Bits24 {
    type Error = Bits24Error;
    fn try_from(number: u32) -> Result<Self, Bits24Error> {
        if number >> 24 == 0 { Ok(Bits24(number)) } else { Err(Bits24Error(number)) }
    }
}

impl From<Bits24> for u32 {
    fn from(bits: Bits24) -> u32 {
        bits.0
    }
}

/// The address of a queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QpAddress {
    /// The queue pair number.
    pub number: Bits24,
    /// The sequence number of the first packet that it will send (PSN).
    pub psn: Bits24,
    /// The offset of its part of the region in bytes; 0 if all queue pairs share the region.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub part: u32,
}

fn is_zero(part: &u32) -> bool {
    *part == 0
}

/// A memory region that the other side may write to and read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The start address.
    pub address: u64,
    /// The key (R_Key).
    pub rkey: u32,
    /// The length in bytes.
    pub bytes: u32,
}

/// Listening port of a side for connections by RDMA-CM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManagerPort {
    /// Port number, in RDMA-CM's own port space.
    pub port: u16,
    /// Secret that a connection must show, so that no other one is accepted.
    pub secret: u32,
}

/// One side of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// The device, for people.
    pub device: String,
    /// The local identifier of the port (LID); 0 on Ethernet.
    pub lid: u16,
    /// The global identifier; on InfiniBand only if one was requested.
    pub gid: Option<Gid>,
    /// The largest payload of a packet that the port currently takes.
    pub mtu: Mtu,
    /// The target of WRITEs, READs and atomics.
    pub region: Region,
    /// The listener for connections by RDMA-CM, if there is one.
    pub manager: Option<ManagerPort>,
    /// The queue pairs to connect, in order.
    pub queue_pairs: Vec<QpAddress>,
}

impl Side {
    /// Joins the sides of several threads, in order; `None` without a thread.
    pub fn joined(threads: impl IntoIterator<Item = Side>) -> Option<Side> {
        threads.into_iter().reduce(|mut all, one| {
            all.queue_pairs.extend(one.queue_pairs);
            all
        })
    }

    /// Returns the part of a thread, counted from 0, of `threads` threads with equally many queue pairs.
    pub fn of_thread(&self, thread: usize, threads: usize) -> Side {
        let each = self.queue_pairs.len() / threads.max(1);
        let queue_pairs = self.queue_pairs.iter().skip(thread * each).take(each).copied().collect();
        Side { queue_pairs, ..self.clone() }
    }

    /// Returns the part for thread `thread`, counted from 0, of `here` threads that each connect with each of the
    /// `there` threads of this side. Queue pairs of the first thread of this side come first.
    ///
    /// A thread of this side has queue pairs of several kinds, one of each kind for each of the `here` threads; the
    /// local threads have one of each kind for each of the `there` threads.
    pub fn across(&self, thread: usize, here: usize, there: usize) -> Side {
        let of_each = self.queue_pairs.len() / there.max(1);
        let kinds = of_each / here.max(1);
        let place = |kind: usize, other: usize| other * of_each + kind * here + thread;
        let places = (0..kinds).flat_map(|kind| (0..there).map(move |other| place(kind, other)));
        let queue_pairs = places.filter_map(|at| self.queue_pairs.get(at).copied()).collect();
        Side { queue_pairs, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(number: u32) -> QpAddress {
        QpAddress { number: Bits24(number), psn: Bits24(0), part: 0 }
    }

    proptest! {
        /// Each thread of one side with each of the other, by every kind of queue pair: both ends name each other, and
        /// every queue pair is used once.
        #[test]
        fn matched_queue_pairs_name_each_other(clients in 1usize..9, workers in 1usize..9, kinds in 1usize..4) {
            // A queue pair number encodes side, thread, kind and thread of the other side.
            let name = |side, thread, kind, other| {
                (side << 20 | thread << 12 | kind << 8 | other) as u32
            };
            let side = |side: usize, here: usize, there: usize| {
                let mut all = Vec::new();
                for thread in 0..here {
                    for kind in 0..kinds {
                        all.extend((0..there).map(|other| address(name(side, thread, kind, other))));
                    }
                }
                Side {
                    device: String::new(),
                    lid: 0,
                    gid: None,
                    mtu: Mtu::MAX,
                    region: Region { address: 0, rkey: 0, bytes: 0 },
                    manager: None,
                    queue_pairs: all,
                }
            };
            let (asks, answers) = (side(0, clients, workers), side(1, workers, clients));
            let ends = |there: &Side, here: usize, others: usize| {
                (0..here)
                    .flat_map(|thread| there.across(thread, here, others).queue_pairs)
                    .map(|address| address.number.get())
                    .collect::<Vec<_>>()
            };
            // In the order of the clients' own queue pairs, and of the workers'.
            let seen_by_clients = ends(&answers, clients, workers);
            let seen_by_workers = ends(&asks, workers, clients);
            let numbers = |side: &Side| -> Vec<u32> {
                side.queue_pairs.iter().map(|address| address.number.get()).collect()
            };
            let pairs: std::collections::BTreeMap<u32, u32> =
                numbers(&asks).into_iter().zip(seen_by_clients).collect();
            prop_assert_eq!(pairs.len(), 1.max(clients * workers * kinds));
            for (worker, client) in numbers(&answers).into_iter().zip(seen_by_workers) {
                prop_assert_eq!(pairs.get(&client), Some(&worker));
                // Both ends have the same kind.
                prop_assert_eq!(client >> 8 & 0xf, worker >> 8 & 0xf);
            }
        }
    }

    #[test]
    fn threads_get_their_own_queue_pairs_back() {
        let side = |numbers: std::ops::Range<u32>| Side {
            device: "a".into(),
            lid: 0,
            gid: None,
            mtu: Mtu::MAX,
            region: Region { address: 1, rkey: 2, bytes: 3 },
            manager: None,
            queue_pairs: numbers.map(address).collect(),
        };
        let sides = [side(0..3), side(3..6), side(6..9)];
        let all = Side::joined(sides.clone()).unwrap();
        assert_eq!(all, side(0..9));
        for (thread, side) in sides.iter().enumerate() {
            assert_eq!(all.of_thread(thread, 3), *side);
        }
        assert_eq!(Side::joined([]), None);
    }

    #[test]
    fn queue_pair_number_has_24_bits() {
        assert_eq!(Bits24::try_from(0xff_ffff).map(Bits24::get), Ok(0xff_ffff));
        assert_eq!(Bits24::try_from(0x100_0000), Err(Bits24Error(0x100_0000)));
        assert_eq!(Bits24::of_lowest(0x1200_0003).get(), 3);
    }
}
