//! [`Marking`]: ECN marks, with thresholds by a port's rate.

use super::super::packet::{Kind, Packet};
use bandwise_random::Stream;
use bandwise_rdma::congestion::RedMarker;
use bandwise_units::{BitRate, Bytes};

/// Marking (ECN) of arriving packets, by the bytes that wait for their output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Marking {
    /// Thresholds and probability.
    pub marker: RedMarker,
    /// Rate of the ports for which these thresholds are. Those of other ports are in proportion to the
    /// port's rate, so that a threshold is the same queueing delay everywhere. Without a rate, all ports
    /// have the same thresholds.
    pub at: Option<BitRate>,
}

impl From<RedMarker> for Marking {
    /// Returns marking with the same thresholds at all ports.
    fn from(marker: RedMarker) -> Self {
        Marking { marker, at: None }
    }
}

impl Marking {
    /// Returns the marker of a port with this rate. Fractions of a byte are discarded.
    pub fn of_port(&self, rate: BitRate) -> RedMarker {
        let Some(at) = self.at else { return self.marker };
        let scaled = |threshold: Bytes| {
            let bytes = u128::from(threshold.get()) * u128::from(rate.as_bps());
            Bytes::new((bytes / u128::from(at.as_bps()).max(1)).try_into().unwrap_or(u64::MAX))
        };
        let (kmin, kmax) = (scaled(self.marker.kmin()), scaled(self.marker.kmax()));
        RedMarker::new(kmin, kmax, self.marker.pmax()).expect("both thresholds grow by one factor")
    }
}

/// The marking of a switch.
#[derive(Debug)]
pub(super) struct Marks {
    /// Markers by output; empty if the switch marks no packet.
    markers: Vec<RedMarker>,
    random: Stream,
}

impl Marks {
    /// Creates the marking of a switch with outputs of these rates.
    pub(super) fn new(
        marking: Option<Marking>,
        rates: impl Iterator<Item = BitRate>,
        random: Stream,
    ) -> Self {
        let markers = marking.map(|marking| rates.map(|rate| marking.of_port(rate)).collect());
        Marks { markers: markers.unwrap_or_default(), random }
    }

    /// Marks a data packet before which `queued` bytes of its class wait for its output, if the
    /// switch marks packets and a draw says so. Returns whether it is marked.
    #[inline]
    pub(super) fn mark(&mut self, output: usize, queued: u32, packet: &mut Packet) -> bool {
        let Some(marker) = self.markers.get(output) else { return false };
        let marks = packet.kind() == Kind::Data
            && marker.marks(Bytes::new(queued.into()), self.random.below(u64::MAX));
        packet.mark(marks);
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_in_proportion_to_the_rate() {
        let gbps = BitRate::from_gbps;
        let marker = |kmin, kmax| RedMarker::new(Bytes::new(kmin), Bytes::new(kmax), 0.2).unwrap();
        let marking = Marking { marker: marker(100_000, 400_001), at: Some(gbps(25)) };
        assert_eq!(marking.of_port(gbps(25)), marker(100_000, 400_001));
        // 100/25 = 4, 10/25 = 0.4: 160,000.4 B.
        assert_eq!(marking.of_port(gbps(100)), marker(400_000, 1_600_004));
        assert_eq!(marking.of_port(gbps(10)), marker(40_000, 160_000));
        assert_eq!(Marking { at: None, ..marking }.of_port(gbps(100)), marker(100_000, 400_001));
        let large = Marking { marker: marker(1, u64::MAX), at: Some(BitRate::from_bps(1)) };
        assert_eq!(large.of_port(gbps(1)), marker(1_000_000_000, u64::MAX));
    }
}
