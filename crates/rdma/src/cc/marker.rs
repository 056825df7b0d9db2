//! [`MarkerSettings`]: which packets a switch marks.

use bandwise_units::Bytes;

/// When the switch counts a lane of a port as congested, and which packets it then marks
/// (IBTA A10.2.1.1; the SwitchCongestionSetting of a subnet manager).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkerSettings {
    /// The queue beyond which the lane is congested. The specification has a level from 0 to 15
    /// here and leaves the bytes to the switch; this is what the level stands for.
    pub threshold: Bytes,
    /// How many eligible packets pass unmarked between two marked ones, on average; 0 marks all.
    pub marking_rate: u16,
    /// Smaller packets are never marked, in bytes on the wire.
    pub packet_size: u32,
    /// Which ports mark although they wait for credits.
    pub victims: Victims,
}

/// Which ports have their bit in the victim mask: those mark packets of a lane that waits for
/// credits too. It is congested by someone downstream, not by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Victims {
    /// None.
    None,
    /// Those that lead to hosts: a host marks nothing, so that one that is slower than its link is
    /// the root of congestion that nobody else would tell of.
    AtHosts,
    /// All.
    All,
}

/// A lane of an output port at the moment when a packet leaves by it.
#[derive(Debug, Clone, Copy)]
pub struct Departure {
    /// What waits for the lane, the packet included.
    pub queued: Bytes,
    /// The packet, on the wire.
    pub packet_bytes: u32,
    /// Whether the lane waited for credits: it is a victim of congestion, not its root.
    pub starved: bool,
    /// Whether the port leads to a host.
    pub to_host: bool,
}

impl MarkerSettings {
    /// Whether the packet may get the FECN bit. One of `marking_rate + 1` of these does.
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
    fn the_victim_mask_says_which_victims_mark() {
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
