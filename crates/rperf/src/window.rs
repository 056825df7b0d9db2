//! [`Window`]: a time window, and its parts.

use bandwise_units::Time;

/// A time window in which completions count, `from` included, `to` excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Start.
    pub from: Time,
    /// End.
    pub to: Time,
}

/// Number of parts of a window with separate results, so that a run cut short still has results for
/// its first parts.
pub const PARTS: usize = 32;

/// Time units in a window: of its parts, 16 have one unit each, 8 have two, and 8 have four. The
/// first part is short, and in a run cut short later, the complete parts are at least eight ninths
/// of it.
const UNITS: u64 = units(PARTS);
const SHORTEST: usize = 8;

const fn units(parts: usize) -> u64 {
    match parts {
        0..SHORTEST => parts as u64,
        _ => ((SHORTEST + parts % SHORTEST) << (parts / SHORTEST - 1)) as u64,
    }
}

impl Window {
    /// Returns the unit of its parts, rounded down to a picosecond.
    pub fn unit(self) -> Time {
        Time::from_ps(self.to.saturating_sub(self.from).as_ps() / UNITS)
    }

    /// Returns the units in its first `parts` parts.
    ///
    /// # Panics
    ///
    /// If there are more than [`PARTS`].
    pub fn units(parts: usize) -> u64 {
        assert!(parts <= PARTS, "a window has {PARTS} parts, not {parts}");
        units(parts)
    }

    /// Returns the window of its first `parts` parts alone.
    ///
    /// # Panics
    ///
    /// If there are more than [`PARTS`].
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
            // The time just before the next part ends.
            let (whole, next) = (Window::units(parts), Window::units(parts + 1));
            assert!(whole < next && 9 * whole >= 8 * next || parts < SHORTEST, "{whole} {next}");
        }
        let open = Window { from: Time::ZERO, to: Time::MAX };
        assert!(open.to - open.first(PARTS).to < Time::from_ps(UNITS));
    }
}
