//! Contents of real messages: keys, and values that are distinct.
//!
//! Every client has its own keys at each worker. Therefore it knows the correct response: the
//! value of its last PUT.

mod requests;
mod table;

pub use requests::KeyValueRequests;
pub use table::KeyValueTable;

/// Bytes of a key, and of the length before a value, as in HERD
/// ([`KeyValueSizes::herd`](crate::KeyValueSizes)).
const KEY: usize = 16;
const LENGTH: usize = 2;

/// Number of keys of a client at a worker. The number is small, since look-ups are not measured.
const KEYS: u32 = 256;

/// A key of a client at a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    client: u16,
    worker: u16,
    index: u32,
}

impl Key {
    fn number(self) -> u64 {
        u64::from(self.client) << 48 | u64::from(self.worker) << 32 | u64::from(self.index)
    }

    fn write(self, to: &mut [u8]) {
        let number = self.number();
        to[..8].copy_from_slice(&number.to_le_bytes());
        to[8..KEY].copy_from_slice(&spread(number).to_le_bytes());
    }

    /// Reads the key at the start of a request. Returns `None` if the key is invalid.
    fn read(request: &[u8]) -> Option<Key> {
        let word = |at: usize| Some(u64::from_le_bytes(request.get(at..at + 8)?.try_into().ok()?));
        let (number, check) = (word(0)?, word(8)?);
        let key = Key {
            client: (number >> 48) as u16,
            worker: (number >> 32) as u16,
            index: number as u32,
        };
        (check == spread(number) && key.index < KEYS).then_some(key)
    }

    /// Writes the value that the key has after `version` PUTs.
    fn value(self, version: u32, to: &mut [u8]) {
        let mut state = spread(self.number()) ^ u64::from(version);
        for part in to.chunks_mut(8) {
            state = spread(state);
            part.copy_from_slice(&state.to_le_bytes()[..part.len()]);
        }
    }
}

/// SplitMix64, which makes consecutive numbers dissimilar.
fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests;
