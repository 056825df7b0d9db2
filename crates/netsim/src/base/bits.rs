//! Sets of small numbers as bits of words.

use bandwise_topology::MAX_PORTS;

/// Returns the numbers of the bits set in `set`, lowest first.
#[inline]
pub(crate) fn ones(set: u64) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let first = (rest != 0).then(|| rest.trailing_zeros() as usize);
        rest &= rest.wrapping_sub(1);
        first
    })
}

/// Number of ports in a word.
const BITS: usize = u64::BITS as usize;

/// Number of words for any port.
const WORDS: usize = (MAX_PORTS as usize).div_ceil(BITS);

/// A set of ports of a switch, counted from 0.
#[derive(Debug)]
pub(crate) struct PortSet {
    members: [u64; WORDS],
    /// Number of words that the switch uses.
    words: usize,
}

impl PortSet {
    /// Creates an empty set for a switch with this number of ports.
    pub(crate) fn new(ports: usize) -> Self {
        PortSet { members: [0; WORDS], words: ports.div_ceil(BITS) }
    }

    #[inline]
    pub(crate) fn insert(&mut self, port: usize) {
        self.members[port / BITS % WORDS] |= 1 << (port % BITS);
    }

    #[inline]
    pub(crate) fn remove(&mut self, port: usize) {
        self.members[port / BITS % WORDS] &= !(1 << (port % BITS));
    }

    /// Returns the number of words of 64 ports.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Iterates over the ports of a word, as they are at the call.
    #[inline]
    pub(crate) fn of_word(&self, word: usize) -> impl Iterator<Item = usize> + use<> {
        ones(self.members[word]).map(move |bit| word * BITS + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_in_ascending_order() {
        assert!(ones(1 << 63 | 0b1010).eq([1, 3, 63]));
        assert!(ones(u64::MAX).eq(0..64));
        assert_eq!(ones(0).next(), None);
    }

    #[test]
    fn ports_of_a_set_are_in_ascending_order() {
        let mut set = PortSet::new(129);
        [128, 0, 64, 63, 5].into_iter().for_each(|port| set.insert(port));
        set.remove(5);
        let ports = (0..set.words()).flat_map(|word| set.of_word(word));
        assert!(ports.eq([0, 63, 64, 128]));
    }
}
