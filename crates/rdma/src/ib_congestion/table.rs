//! [`CctEntry`]: the wait between two packets of a flow, and tables of such entries.

use bandwise_units::Time;

/// An entry of the congestion control table: the wait of a flow between two packets, relative to
/// the time of the packet (IBTA A10, CongestionControlTable): `multiplier / 2^shift`.
///
/// Encoded in 16 bits: the shift in the upper 2, the multiplier in the lower 14. The shift allows
/// fractions down to an eighth, the multiplier waits up to 16383 packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CctEntry(u16);

impl CctEntry {
    /// Largest multiplier: 14 bits.
    pub const MAX_MULTIPLIER: u16 = (1 << 14) - 1;

    /// Creates a wait of `multiplier / 2^shift` packet times. Returns `None` if the multiplier
    /// needs more than 14 bits or the shift more than 2.
    pub const fn new(multiplier: u16, shift: u8) -> Option<Self> {
        if multiplier > Self::MAX_MULTIPLIER || shift > 3 {
            return None;
        }
        Some(CctEntry((shift as u16) << 14 | multiplier))
    }

    /// Creates an entry from its 16 bits in a MAD.
    pub const fn from_bits(bits: u16) -> Self {
        CctEntry(bits)
    }

    /// Returns the entry's 16 bits in a MAD.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the wait after a packet that took `packet_time` on the link, rounded down to
    /// picoseconds.
    #[inline]
    pub fn delay(self, packet_time: Time) -> Time {
        let multiplier = u64::from(self.0 & Self::MAX_MULTIPLIER);
        Time::from_ps((packet_time * multiplier).as_ps() >> (self.0 >> 14))
    }
}

/// Returns a table of `len` entries in which entry n waits n packet times, so that the flow gets
/// the fraction 1/(n+1) of its link.
pub fn linear_table(len: u16) -> Vec<CctEntry> {
    (0..len).map(|n| CctEntry(n.min(CctEntry::MAX_MULTIPLIER))).collect()
}

/// Returns a table of `len` entries whose waits grow with the square of the index, up to `longest`
/// packet times at the last one, each rounded down to a multiple of 2^-shift. Steps are small at
/// high rates and large at low ones. Returns `None` if the shift or the largest multiplier can't be
/// encoded.
pub fn quadratic_table(len: u16, longest: f64, shift: u8) -> Option<Vec<CctEntry>> {
    let least = 0.0..=f64::from(CctEntry::MAX_MULTIPLIER) + 1.0;
    let steps = longest * f64::from(1u32.checked_shl(shift.into())?);
    if !least.contains(&steps) {
        return None;
    }
    let last = f64::from(len.saturating_sub(1).max(1));
    let entry = |n: u16| {
        let part = f64::from(n) / last;
        // The cast rounds down.
        CctEntry::new((steps * part * part) as u16, shift)
    };
    (0..len).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_entry_is_a_multiple_of_the_packet_time() {
        let packet = Time::from_ns(585);
        assert_eq!(CctEntry::default().delay(packet), Time::ZERO);
        assert_eq!(CctEntry::new(3, 0).unwrap().delay(packet), Time::from_ns(1_755));
        assert_eq!(CctEntry::new(3, 1).unwrap().delay(packet), Time::from_ps(877_500));
        assert_eq!(CctEntry::new(1, 3).unwrap().bits(), 0b1100_0000_0000_0001);
        assert_eq!(CctEntry::from_bits(u16::MAX), CctEntry::new(16_383, 3).unwrap());
        assert!(CctEntry::new(16_384, 0).is_none() && CctEntry::new(1, 4).is_none());
    }

    /// Tables configured by the scripts of a study at LLNL with OpenSM (ib-cc-tools-llnl), as
    /// "Simula's" and as "Mellanox's": entry n is 7 n^2 / 106^2 / 0.218 eighths of a packet time,
    /// or 7 n^2 / 95^2 / 0.218 packet times.
    #[test]
    fn published_tables_are_quadratic() {
        for (index, shift) in [(106.0, 3), (95.0, 0)] {
            let published = |n: f64| (7.0 * n * n / (index * index) / 0.218) as u16;
            let longest = 7.0 * 127.0 * 127.0 / (index * index) / 0.218 / f64::from(1u8 << shift);
            let table = quadratic_table(128, longest, shift).unwrap();
            let expected = (0..128).map(|n| CctEntry::new(published(n.into()), shift).unwrap());
            assert_eq!(table, expected.collect::<Vec<_>>());
        }
    }

    proptest! {
        /// Waits never decrease with the index, start at zero and end at the longest.
        #[test]
        fn a_quadratic_table_ends_at_its_longest_wait(
            len in 2u16..2000, longest in 0.0f64..2000.0, shift in 0u8..4,
        ) {
            let packet = Time::from_us(1);
            let table = quadratic_table(len, longest, shift).unwrap();
            let waits: Vec<f64> = table.iter().map(|e| e.delay(packet).as_ns_f64() / 1e3).collect();
            prop_assert!(waits.is_sorted());
            prop_assert_eq!((waits.len(), waits[0]), (usize::from(len), 0.0));
            let step = 1.0 / f64::from(1u8 << shift);
            let last = waits[waits.len() - 1];
            prop_assert!(last <= longest + 1e-9 && last > longest - step - 1e-9, "{}", last);
        }
    }

    #[test]
    fn waits_that_cannot_be_encoded_are_refused() {
        assert!(quadratic_table(4, 16_383.9, 0).is_some());
        assert!(quadratic_table(4, 16_384.0, 0).is_none());
        assert!(quadratic_table(4, 2_048.0, 3).is_none());
        assert!(quadratic_table(4, 1.0, 4).is_none());
        assert!(quadratic_table(4, f64::NAN, 0).is_none());
        assert!(quadratic_table(4, -1.0, 0).is_none());
        assert_eq!(quadratic_table(1, 5.0, 0), Some(vec![CctEntry::default()]));
    }
}
