//! [`Window`]: the time in which something counts, and its parts.

use bandwise_units::Time;

/// The time in which completions count, `from` included, `to` not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When counting begins.
    pub from: Time,
    /// When it has ended.
    pub to: Time,
}

/// Parts of a window that are told apart, so that something can be said of the first of them when the whole does not
/// come about.
pub const PARTS: usize = 32;

/// Units of time that a window has: of the parts, 16 have one each, 8 two, and 8 four. So the first part is short, and
/// of a run that ends somewhere behind it the parts that are whole are eight ninths or more.
const UNITS: u64 = units(PARTS);
const SHORTEST: usize = 8;

const fn units(parts: usize) -> u64 {
    match parts {
        0..SHORTEST => parts as u64,
        _ => ((SHORTEST + parts % SHORTEST) << (parts / SHORTEST - 1)) as u64,
    }
}

impl Window {
    /// What its parts are multiples of, rounded down to a picosecond.
    pub fn unit(self) -> Time {
        Time::from_ps(self.to.saturating_sub(self.from).as_ps() / UNITS)
    }

    /// How many units its first parts have. Panics for more than [`PARTS`].
    pub fn units(parts: usize) -> u64 {
        assert!(parts <= PARTS, "{parts} parts");
        units(parts)
    }

    /// The window of its first parts alone. Panics for more than [`PARTS`].
    pub fn first(self, parts: usize) -> Window {
        let length = Time::from_ps(self.unit().as_ps() * Window::units(parts));
        Window { from: self.from, to: self.from + length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_window() {
        let (from, to) = (Time::from_ns(7), Time::from_us(100));
        let window = Window { from, to };
        assert_eq!(window.first(0), Window { from, to: from });
        let left = window.to - window.first(PARTS).to;
        assert!(left < Time::from_ps(UNITS), "{left}");
        assert_eq!(
            (UNITS, Window::units(15), Window::units(16), Window::units(17)),
            (64, 15, 16, 18)
        );
        for parts in 1..PARTS {
            // Just before the next part ends.
            let (whole, next) = (Window::units(parts), Window::units(parts + 1));
            assert!(whole < next && 9 * whole >= 8 * next || parts < SHORTEST, "{whole} {next}");
        }
        let open = Window { from: Time::ZERO, to: Time::MAX };
        assert!(open.to - open.first(PARTS).to < Time::from_ps(UNITS));
    }
}
