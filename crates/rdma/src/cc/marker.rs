//! [`Marker`]: which packets a switch marks.

use bandwise_units::Bytes;

/// When the switch counts a lane of a port as congested, and which packets it then marks
/// (IBTA A10.2.1.1; the SwitchCongestionSetting of a subnet manager).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkerSettings {
    /// The queue beyond which the lane is congested. The specification has a level from 0 to 15
    /// here and leaves the bytes to the switch; this is what the level stands for.
    pub threshold: Bytes,
    /// How many eligible packets pass unmarked between two marked ones; 0 marks all.
    pub marking_rate: u16,
    /// Smaller packets are never marked, in bytes on the wire.
    pub packet_size: u32,
    /// Whether a lane that waits for credits is marked too (a bit of the port's victim mask):
    /// it is congested by someone downstream, not by itself.
    pub mark_victims: bool,
}

/// The marking state of one lane of one output port.
#[derive(Debug, Clone, Copy, Default)]
pub struct Marker {
    /// Eligible packets still to pass before one is marked.
    to_pass: u16,
}

impl Marker {
    /// Whether the packet that leaves now gets the FECN bit: `queued` waits on the lane, the
    /// packet takes `packet_bytes` on the wire, and `has_credits` says that the lane did not
    /// wait for credits (a root of congestion, not a victim).
    ///
    /// The specification asks for a mean distance between marks; this keeps it exactly.
    #[inline]
    pub fn on_departure(
        &mut self,
        settings: &MarkerSettings,
        queued: Bytes,
        packet_bytes: u32,
        has_credits: bool,
    ) -> bool {
        let congested = queued > settings.threshold && (has_credits || settings.mark_victims);
        if !congested || packet_bytes < settings.packet_size {
            return false;
        }
        if self.to_pass > 0 {
            self.to_pass -= 1;
            return false;
        }
        self.to_pass = settings.marking_rate;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SETTINGS: MarkerSettings = MarkerSettings {
        threshold: Bytes::new(1000),
        marking_rate: 2,
        packet_size: 100,
        mark_victims: false,
    };

    #[test]
    fn marks_large_packets_of_a_root_of_congestion() {
        let marks = |queued: u64, bytes, has_credits| {
            Marker::default().on_departure(&SETTINGS, Bytes::new(queued), bytes, has_credits)
        };
        assert!(marks(1001, 100, true));
        assert!(!marks(1000, 100, true), "at the threshold");
        assert!(!marks(1001, 99, true), "too small");
        assert!(!marks(1001, 100, false), "a victim");
        let victims = MarkerSettings { mark_victims: true, ..SETTINGS };
        assert!(Marker::default().on_departure(&victims, Bytes::new(1001), 100, false));
    }

    proptest! {
        #[test]
        fn marks_are_a_marking_rate_apart(
            rate in 0u16..20, packets in prop::collection::vec((0u64..2000, 50u32..200), 1..300),
        ) {
            let settings = MarkerSettings { marking_rate: rate, ..SETTINGS };
            let (mut marker, mut eligible, mut marked) = (Marker::default(), 0u32, 0u32);
            for (queued, bytes) in packets {
                let is_eligible = queued > 1000 && bytes >= 100;
                let mark = marker.on_departure(&settings, Bytes::new(queued), bytes, true);
                prop_assert!(is_eligible || !mark);
                eligible += u32::from(is_eligible);
                marked += u32::from(mark);
            }
            prop_assert_eq!(marked, eligible.div_ceil(u32::from(rate) + 1));
        }
    }
}
