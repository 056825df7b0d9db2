//! [`PortSet`]: a set of ports.

use super::super::features::Features;
use crate::base::bits::ones;
use bandwise_topology::MAX_PORTS;
use std::marker::PhantomData;

/// Number of ports in a word.
const BITS: usize = u64::BITS as usize;

/// Number of words for any port.
const WORDS: usize = (MAX_PORTS as usize).div_ceil(BITS);

/// A set of ports of a switch, counted from 0. A switch of up to 64 ports uses the first word.
#[derive(Debug)]
pub(super) struct PortSet<F: Features> {
    members: [u64; WORDS],
    /// Number of words that the switch uses.
    words: usize,
    features: PhantomData<F>,
}

impl<F: Features> PortSet<F> {
    /// Creates an empty set for a switch with this number of ports.
    pub(super) fn new(ports: usize) -> Self {
        PortSet { members: [0; WORDS], words: ports.div_ceil(BITS), features: PhantomData }
    }

    /// Returns the word of a port, and the port's bit in it.
    #[inline]
    fn place(&mut self, port: usize) -> (&mut u64, u64) {
        let word = if F::LARGE_SWITCHES { port / BITS % WORDS } else { 0 };
        (&mut self.members[word], 1 << (port % BITS))
    }

    #[inline]
    pub(super) fn insert(&mut self, port: usize) {
        let (word, bit) = self.place(port);
        *word |= bit;
    }

    #[inline]
    pub(super) fn remove(&mut self, port: usize) {
        let (word, bit) = self.place(port);
        *word &= !bit;
    }

    /// Returns the number of words of 64 ports.
    #[inline]
    pub(super) fn words(&self) -> usize {
        if F::LARGE_SWITCHES { self.words } else { 1 }
    }

    /// Iterates over the ports of a word, as they are at the call.
    #[inline]
    pub(super) fn of_word(&self, word: usize) -> impl Iterator<Item = usize> + use<F> {
        ones(self.members[word]).map(move |bit| word * BITS + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::feature_sets::{Basic, Large};
    use super::*;

    fn ports<F: Features>(set: &PortSet<F>) -> Vec<usize> {
        (0..set.words()).flat_map(|word| set.of_word(word)).collect()
    }

    #[test]
    fn ports_of_a_set_are_in_ascending_order() {
        let mut set = PortSet::<Large<Basic>>::new(129);
        [128, 0, 64, 63, 5].into_iter().for_each(|port| set.insert(port));
        set.remove(5);
        assert_eq!(ports(&set), [0, 63, 64, 128]);
    }

    #[test]
    fn up_to_64_ports_are_a_word() {
        let mut set = PortSet::<Basic>::new(64);
        [63, 0, 5].into_iter().for_each(|port| set.insert(port));
        set.remove(5);
        assert_eq!((ports(&set), set.words()), (vec![0, 63], 1));
    }
}
