//! How much to send at most, as it is written.

use crate::values::{Refusal, refused};
use bandwise_units::BitRate;
use std::fmt;

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rate {
    /// Of payload.
    Payload(BitRate),
    /// Messages in a second.
    Messages(u64),
}

const ALLOWED: &str = "Gbps as a number, such as 10 or 2.5; a rate such as \"500 Mbps\"; messages a second, such as \
                       \"2 Mpps\", \"500 kpps\" or \"1000 pps\"";

/// A number is Gbps, as of perftest's `--rate_limit`.
pub(super) fn rate(text: &str) -> Result<Rate, Refusal> {
    let text = text.trim();
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let messages = [("kpps", 1e3), ("Mpps", 1e6), ("pps", 1.0)]
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?.trim_end(), *factor)));
    let rate = match messages {
        Some((number, factor)) if is_number(number) => number
            .parse::<f64>()
            .ok()
            .map(|number| (number * factor).round())
            .filter(|number| (1.0..=1e12).contains(number))
            .map(|number| Rate::Messages(number as u64)),
        Some(_) => None,
        None if is_number(text) => format!("{text} Gbps").parse().ok().map(Rate::Payload),
        None => text.parse().ok().map(Rate::Payload),
    };
    match rate {
        Some(rate) if rate != Rate::Payload(BitRate::from_bps(0)) => Ok(rate),
        _ => refused(None, ALLOWED),
    }
}

impl Rate {
    /// What each of so many threads sends at most with messages of that size: a bit in a second at least.
    pub(super) fn of_thread(self, bytes: u32, threads: u32) -> BitRate {
        let all = match self {
            Rate::Payload(rate) => rate.as_bps(),
            Rate::Messages(n) => n.saturating_mul(8 * u64::from(bytes)),
        };
        BitRate::from_bps((all / u64::from(threads)).max(1))
    }
}

/// A message at this rate takes that long at most, seconds.
const LONGEST: u64 = 3600;

impl Rate {
    /// Whether a message of that size goes through in a time that anybody waits for.
    pub(super) fn is_for(self, bytes: u32, threads: u32) -> bool {
        8 * u64::from(bytes) / LONGEST < self.of_thread(bytes, threads).as_bps()
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

    #[test]
    fn numbers_are_gbps_and_messages_have_a_unit() {
        let gbps = |n| Rate::Payload(BitRate::from_gbps(n));
        for (text, expected) in [
            ("10", gbps(10)),
            ("2.5", Rate::Payload(BitRate::from_bps(2_500_000_000))),
            ("100 Gbps", gbps(100)),
            ("500Mbps", Rate::Payload(BitRate::from_bps(500_000_000))),
            ("2Mpps", Rate::Messages(2_000_000)),
            ("1.5 kpps", Rate::Messages(1_500)),
            ("7 pps", Rate::Messages(7)),
        ] {
            assert_eq!(rate(text).unwrap(), expected, "{text}");
        }
        for text in ["", "0", "-1", "0 pps", "pps", "1 s", "fast", "1e3", "9999999 Mpps"] {
            assert!(rate(text).is_err(), "{text}");
        }
        assert_eq!(rate("10").unwrap().to_string(), "10 Gbps");
    }

    /// A thousand messages of 125 B are a megabit.
    #[test]
    fn threads_share_it() {
        let rate = Rate::Messages(1_000);
        assert_eq!(rate.of_thread(125, 1), BitRate::from_bps(1_000_000));
        assert_eq!(rate.of_thread(125, 4), BitRate::from_bps(250_000));
        let slow = Rate::Payload(BitRate::from_bps(1));
        assert!(slow.is_for(64, 64) && !slow.is_for(1 << 30, 1));
        assert!(Rate::Messages(1).is_for(1 << 30, 64));
        assert_eq!(Rate::Payload(BitRate::from_bps(3)).of_thread(64, 4), BitRate::from_bps(1));
    }
}
