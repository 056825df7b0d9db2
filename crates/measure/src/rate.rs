//! [`Rate`]: the limit of bulk traffic.

use bandwise_units::BitRate;
use std::fmt;

/// The limit of bulk traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Payload rate.
    Payload(BitRate),
    /// Messages per second.
    Messages(u64),
}

/// The longest time that one message may take at this rate, s.
const MAX_MESSAGE_S: u64 = 3600;

impl Rate {
    /// Returns the payload rate of each of `threads` threads with messages of `bytes`; at least 1 b/s.
    pub fn of_thread(self, bytes: u32, threads: u32) -> BitRate {
        let all = match self {
            Rate::Payload(rate) => rate.as_bps(),
            Rate::Messages(n) => n.saturating_mul(8 * u64::from(bytes)),
        };
        BitRate::from_bps((all / u64::from(threads)).max(1))
    }

    /// Returns whether a message of `bytes` takes less than an hour at this rate.
    pub fn is_for(self, bytes: u32, threads: u32) -> bool {
        8 * u64::from(bytes) / MAX_MESSAGE_S < self.of_thread(bytes, threads).as_bps()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Payload(rate) => write!(f, "{rate}"),
            Rate::Messages(n) => write!(f, "{n} messages/s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand messages of 125 B are a megabit.
    #[test]
    fn rate_is_divided_by_threads() {
        let rate = Rate::Messages(1_000);
        assert_eq!(rate.of_thread(125, 1), BitRate::from_bps(1_000_000));
        assert_eq!(rate.of_thread(125, 4), BitRate::from_bps(250_000));
        let slow = Rate::Payload(BitRate::from_bps(1));
        assert!(slow.is_for(64, 64) && !slow.is_for(1 << 30, 1));
        assert!(Rate::Messages(1).is_for(1 << 30, 64));
        assert_eq!(Rate::Payload(BitRate::from_bps(3)).of_thread(64, 4), BitRate::from_bps(1));
    }
}
