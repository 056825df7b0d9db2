//! [`Bytes`]: a size.

use crate::parse::{UnitTable, text_forms};
use std::ops::{Add, AddAssign, Mul, Sub};

/// A size in bytes. `KB`, `MB`, `GB` are powers of 1000; `KiB`, `MiB`, `GiB` are powers of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub(crate) u64);

const UNITS: UnitTable = &[
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
    ("PB", 1_000_000_000_000_000),
    ("PiB", 1 << 50),
];
const PRINT: UnitTable =
    &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];

impl Bytes {
    /// A size of zero.
    pub const ZERO: Bytes = Bytes(0);

    /// Returns a size of `n` bytes.
    pub const fn new(n: u64) -> Self {
        Bytes(n)
    }
    /// Returns a size of `n` times 1024 bytes.
    pub const fn from_kib(n: u64) -> Self {
        Bytes(n << 10)
    }
    /// Returns the size of one unit, if there is a unit of bytes of this name. Case matters.
    ///
    /// ```
    /// use bandwise_units::Bytes;
    ///
    /// assert_eq!(Bytes::of_unit("kB"), Some(Bytes::new(1000)));
    /// assert_eq!(Bytes::of_unit("samples"), None);
    /// ```
    pub fn of_unit(name: &str) -> Option<Self> {
        let unit = UNITS.iter().find(|(unit, _)| *unit == name);
        unit.map(|&(_, size)| Bytes(size))
    }
    /// Returns the number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
    /// Returns the number of bits.
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0.checked_add(other.0).expect("size beyond 2^64 bytes"))
    }
}
impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}
impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.checked_sub(other.0).expect("a larger size subtracted from a smaller one"))
    }
}
impl Mul<u64> for Bytes {
    type Output = Bytes;
    fn mul(self, n: u64) -> Bytes {
        Bytes(self.0.checked_mul(n).expect("size beyond 2^64 bytes"))
    }
}
impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(iter: I) -> Bytes {
        iter.fold(Bytes::ZERO, Add::add)
    }
}

text_forms!(Bytes, UNITS, PRINT, "B, KB, KiB, MB, MiB, GB, GiB, TB, TiB, PB or PiB", "bytes");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilo_is_a_thousand_and_kibi_is_not() {
        assert_eq!("32 KiB".parse::<Bytes>().unwrap().get(), 32_768);
        assert_eq!("32 KB".parse::<Bytes>().unwrap().get(), 32_000);
        assert_eq!("1.5 KiB".parse::<Bytes>().unwrap().get(), 1_536);
        assert!("1.0001 KiB".parse::<Bytes>().is_err());
        assert!("-5 B".parse::<Bytes>().is_err());
        assert_eq!(Bytes::new(4096).to_string(), "4 KiB");
        assert_eq!(Bytes::new(4100).to_string(), "4100 B");
    }

    #[test]
    fn refusals_of_units_say_what_is_wrong() {
        let error = |text: &str| text.parse::<Bytes>().unwrap_err().to_string();
        for text in ["3", " 3 ", "0.5"] {
            assert!(error(text).contains(" needs a unit: B, "), "{}", error(text));
        }
        for text in ["2 h", "1bit", "4 kb", "1 e"] {
            assert!(error(text).contains(" needs another unit: B, "), "{}", error(text));
        }
        for text in ["1e308 B", "1e3", "2E-3 KB", "1e+3 B"] {
            assert!(error(text).contains(" has an exponent, "), "{}", error(text));
        }
    }

    proptest::proptest! {
        #[test]
        fn sizes_round_trip(n in 0u64..1 << 63) {
            let size = Bytes::new(n);
            proptest::prop_assert_eq!(size.to_string().parse::<Bytes>().unwrap(), size);
        }
    }
}
