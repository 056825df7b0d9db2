//! [`Side`]: what the other side must know to connect its queue pairs with those of this one.

use super::Gid;
use super::manager::ManagerPort;
use bandwise_rdma::wire::Mtu;
use serde::{Deserialize, Serialize};

/// A number of 24 bits: queue pairs and packets are counted by such (IBTA 9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Bits24(u32);

/// A number that needs more than 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} has more than 24 bits")]
pub struct Bits24Error(pub u32);

impl Bits24 {
    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The lowest 24 bits of a number.
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

/// A queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QpAddress {
    /// Its number.
    pub number: Bits24,
    /// The number of the first packet that it will send (PSN).
    pub psn: Bits24,
}

/// Memory that the other side may write to and read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Where it begins.
    pub address: u64,
    /// What opens it (R_Key).
    pub rkey: u32,
    /// How long it is.
    pub bytes: u32,
}

/// One side of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// The device, for people.
    pub device: String,
    /// The port's local identifier (LID); 0 on Ethernet.
    pub lid: u16,
    /// Its global identifier; none on InfiniBand, if none was asked for.
    pub gid: Option<Gid>,
    /// The largest payload of a packet that the port takes now.
    pub mtu: Mtu,
    /// Where WRITEs go, and READs and atomics.
    pub region: Region,
    /// Where it waits for connections by RDMA-CM, if it does.
    pub manager: Option<ManagerPort>,
    /// Those that are to be connected, in order.
    pub queue_pairs: Vec<QpAddress>,
}

impl Side {
    /// The queue pairs of several threads of one side, those of the first thread first; `None` for no thread.
    pub fn joined(threads: impl IntoIterator<Item = Side>) -> Option<Side> {
        threads.into_iter().reduce(|mut all, one| {
            all.queue_pairs.extend(one.queue_pairs);
            all
        })
    }

    /// What it is for one of so many threads, counted from 0; each has as many queue pairs.
    pub fn of_thread(&self, thread: usize, threads: usize) -> Side {
        let each = self.queue_pairs.len() / threads.max(1);
        let queue_pairs = self.queue_pairs.iter().skip(thread * each).take(each).copied().collect();
        Side { queue_pairs, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_get_their_own_queue_pairs_back() {
        let side = |numbers: std::ops::Range<u32>| Side {
            device: "a".into(),
            lid: 0,
            gid: None,
            mtu: Mtu::MAX,
            region: Region { address: 1, rkey: 2, bytes: 3 },
            manager: None,
            queue_pairs: numbers
                .map(|number| QpAddress { number: Bits24(number), psn: Bits24(0) })
                .collect(),
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
    fn has_24_bits() {
        assert_eq!(Bits24::try_from(0xff_ffff).map(Bits24::get), Ok(0xff_ffff));
        assert_eq!(Bits24::try_from(0x100_0000), Err(Bits24Error(0x100_0000)));
        assert_eq!(Bits24::of_lowest(0x1200_0003).get(), 3);
    }
}
