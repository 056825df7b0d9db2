//! [`MarkerSettings`]: FECN marking of a switch.

use bandwise_units::Bytes;

/// Conditions under which a switch considers a lane of a port congested, and marks its packets
/// (IBTA A10.2.1.1; the SwitchCongestionSetting of a subnet manager).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkerSettings {
    /// Queue beyond which the lane is congested. The specification has a level from 0 to 15 and
    /// leaves the bytes to the switch; this is the level in bytes.
    pub threshold: Bytes,
    /// Mean number of eligible packets between two marked ones; 0 marks all.
    pub marking_rate: u16,
    /// Smallest size of a marked packet, in bytes on the wire.
    pub packet_size: u32,
    /// Ports that mark packets although they wait for credits.
    pub victims: Victims,
}

/// Ports with a set bit in the victim mask. Such ports also mark packets of a lane that waits for
/// credits, although the congestion is caused downstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victims {
    /// No port.
    None,
    /// Ports that lead to hosts. A host marks nothing, so a host slower than its link is a root of
    /// congestion that no other port reports.
    AtHosts,
    /// All ports.
    All,
}

/// A lane of an output port at the departure of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Departure {
    /// Bytes that wait for the lane, including the packet.
    pub queued: Bytes,
    /// Bytes of the packet on the wire.
    pub packet_bytes: u32,
    /// The lane waited for credits: it is a victim of congestion, not its root.
    pub starved: bool,
    /// The port leads to a host.
    pub to_host: bool,
}

impl MarkerSettings {
    /// Returns whether the packet is eligible for the FECN bit. One of `marking_rate + 1` eligible
    /// packets is marked.
    #[inline]
    pub fn is_eligible(&self, departure: Departure) -> bool {
        let marks = !departure.starved
            || match self.victims {
                Victims::None => false,
                Victims::AtHosts => departure.to_host,
                Victims::All => true,
            };
        marks && departure.queued > self.threshold && departure.packet_bytes >= self.packet_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: MarkerSettings = MarkerSettings {
        threshold: Bytes::new(1000),
        marking_rate: 2,
        packet_size: 100,
        victims: Victims::None,
    };

    const ROOT: Departure =
        Departure { queued: Bytes::new(1001), packet_bytes: 100, starved: false, to_host: false };

    #[test]
    fn marks_large_packets_of_a_root_of_congestion() {
        assert!(SETTINGS.is_eligible(ROOT));
        let at_the_threshold = Departure { queued: Bytes::new(1000), ..ROOT };
        assert!(!SETTINGS.is_eligible(at_the_threshold));
        assert!(!SETTINGS.is_eligible(Departure { packet_bytes: 99, ..ROOT }), "too small");
    }

    #[test]
    fn the_victim_mask_selects_victims_that_mark() {
        let victim = Departure { starved: true, ..ROOT };
        let at_host = Departure { to_host: true, ..victim };
        let mask = [(Victims::None, false, false), (Victims::AtHosts, false, true)];
        for (victims, inside, last) in mask.into_iter().chain([(Victims::All, true, true)]) {
            let settings = MarkerSettings { victims, ..SETTINGS };
            assert_eq!(settings.is_eligible(victim), inside, "{victims:?}");
            assert_eq!(settings.is_eligible(at_host), last, "{victims:?}");
            assert!(settings.is_eligible(ROOT));
        }
    }
}
