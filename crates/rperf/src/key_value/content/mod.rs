//! What requests and answers hold, where messages are real: keys, and values that can be told from each other.
//!
//! Every client has keys of its own with each worker, so that it knows what an answer must be: what it has last put
//! there.

mod questions;
mod table;

pub use questions::KeyValueQuestions;
pub use table::KeyValueTable;

/// Bytes of a key, and of the length of a value before it: HERD's, as in [`KeyValueSizes::herd`](crate::KeyValueSizes).
const KEY: usize = 16;
const LENGTH: usize = 2;

/// Keys that a client has with a worker. They are few: what looking one up takes is not what is measured.
const KEYS: u32 = 256;

/// A key: one of those that a client has with a worker.
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

    /// The key that a request begins with; `None` if it is none.
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

    /// What stands there after it was put so many times.
    fn value(self, version: u32, to: &mut [u8]) {
        let mut state = spread(self.number()) ^ u64::from(version);
        for part in to.chunks_mut(8) {
            state = spread(state);
            part.copy_from_slice(&state.to_le_bytes()[..part.len()]);
        }
    }
}

/// SplitMix64: numbers that follow each other become unlike.
fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests;
