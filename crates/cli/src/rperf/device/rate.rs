//! The notation of rate limits.

use crate::values::{Refusal, refused};
use bandwise_measure::rate::Rate;
use bandwise_units::BitRate;

const ALLOWED: &str = "Gbps as a number, such as 10 or 2.5; a rate such as \"500 Mbps\"; messages a second, such as \
                       \"2 Mpps\", \"500 kpps\" or \"1000 pps\"";

/// Parses a rate limit. A number without a unit is in Gbps, as of perftest's `--rate_limit`.
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
}
