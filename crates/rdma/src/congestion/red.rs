//! [`RedMarker`]: ECN marking of a switch.

use bandwise_units::Bytes;

/// ECN marking of an Ethernet switch, as in RED (random early detection), but by the current queue
/// instead of an average: the congestion point of DCQCN (section 3.1, figure 5).
///
/// ```text
/// probability
///      1 |                 +-----
///        |                 |
///   Pmax |               . +
///        |          .      |
///      0 +----+------------+-----> queue
///           Kmin         Kmax
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RedMarker {
    kmin: Bytes,
    kmax: Bytes,
    pmax: f64,
}

/// Reason why a marker is unusable.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RedError {
    /// The thresholds are in the wrong order.
    #[error("Kmin is {kmin}, beyond Kmax, which is {kmax}")]
    Thresholds {
        /// The lower threshold.
        kmin: Bytes,
        /// The upper threshold.
        kmax: Bytes,
    },
    /// The value is not a probability.
    #[error("Pmax is {0}: a probability is 0 to 1")]
    Probability(f64),
}

impl RedMarker {
    /// DCQCN's (section 5.2): Kmin 5 KB, Kmax 200 KB, Pmax 1%, for 40 Gbps.
    pub const DCQCN: RedMarker =
        RedMarker { kmin: Bytes::new(5_000), kmax: Bytes::new(200_000), pmax: 0.01 };

    /// DCTCP's step (section 3.4: more than a seventh of the bandwidth-delay product): 65 packets of
    /// 1.5 KB, for 10 Gbps.
    pub const DCTCP: RedMarker = RedMarker::step(Bytes::new(97_500));

    /// Creates a marker that marks no packet up to `kmin` queued bytes, every packet beyond `kmax`,
    /// and between them with a probability that increases from 0 to `pmax`.
    ///
    /// # Errors
    ///
    /// `kmin` above `kmax`, or a `pmax` outside of 0 to 1.
    pub fn new(kmin: Bytes, kmax: Bytes, pmax: f64) -> Result<Self, RedError> {
        if kmin > kmax {
            return Err(RedError::Thresholds { kmin, kmax });
        }
        if !(0.0..=1.0).contains(&pmax) {
            return Err(RedError::Probability(pmax));
        }
        Ok(RedMarker { kmin, kmax, pmax })
    }

    /// Returns a marker that marks each packet that finds more than `threshold` queued, and no other
    /// (DCTCP, section 3.1).
    pub const fn step(threshold: Bytes) -> Self {
        RedMarker { kmin: threshold, kmax: threshold, pmax: 1.0 }
    }

    /// Returns the queue up to which no packet is marked.
    pub const fn kmin(self) -> Bytes {
        self.kmin
    }

    /// Returns the queue beyond which every packet is marked.
    pub const fn kmax(self) -> Bytes {
        self.kmax
    }

    /// Returns the probability of a mark at Kmax.
    pub const fn pmax(self) -> f64 {
        self.pmax
    }

    /// Returns whether to mark a packet that finds `queued` bytes in its output queue. `draw` is
    /// uniform over all 64-bit numbers. Draw one for each packet, even without effect, so that one
    /// packet's outcome does not shift those of later packets.
    #[inline]
    pub fn marks(&self, queued: Bytes, draw: u64) -> bool {
        if queued <= self.kmin {
            return false;
        }
        if queued > self.kmax {
            return true;
        }
        let along = (queued - self.kmin).get() as f64 / (self.kmax - self.kmin).get() as f64;
        // 2^64 is the number of draws. A product of 2^64 saturates to 2^64 - 1.
        draw < (self.pmax * along * 18_446_744_073_709_551_616.0) as u64
    }
}

impl Default for RedMarker {
    fn default() -> Self {
        RedMarker::DCQCN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_probability_is_a_ramp() {
        let marker = RedMarker::DCQCN;
        // Half-way, 102.5 KB: 0.5%, which is 92233720368547758 of 2^64 draws.
        let half = Bytes::new(102_500);
        assert!(marker.marks(half, 92_233_720_368_547_000));
        assert!(!marker.marks(half, 92_233_720_368_548_000));
        assert!(!marker.marks(Bytes::new(5_000), 0), "at Kmin");
        assert!(!marker.marks(Bytes::new(200_000), u64::MAX / 99), "at Kmax still 1%");
        assert!(marker.marks(Bytes::new(200_000), u64::MAX / 101));
        assert!(marker.marks(Bytes::new(200_001), u64::MAX), "beyond Kmax");
    }

    #[test]
    fn a_step_is_deterministic() {
        let marker = RedMarker::step(Bytes::new(97_500));
        assert!(!marker.marks(Bytes::new(97_500), 0));
        assert!(marker.marks(Bytes::new(97_501), u64::MAX));
    }

    #[test]
    fn unusable_thresholds_are_refused() {
        let error = RedMarker::new(Bytes::from_kib(2), Bytes::from_kib(1), 0.1).unwrap_err();
        assert_eq!(error.to_string(), "Kmin is 2 KiB, beyond Kmax, which is 1 KiB");
        for pmax in [-0.1, 1.1, f64::NAN] {
            assert!(RedMarker::new(Bytes::ZERO, Bytes::ZERO, pmax).is_err(), "{pmax}");
        }
    }

    proptest! {
        /// If a queue is marked, longer ones are too.
        #[test]
        fn marking_grows_with_the_queue(
            kmin in 0u64..300_000, ramp in 0u64..300_000, pmax in 0.0..=1.0,
            queued in 0u64..700_000, more in 0u64..100_000, draw: u64,
        ) {
            let marker = RedMarker::new(Bytes::new(kmin), Bytes::new(kmin + ramp), pmax).unwrap();
            let (shorter, longer) = (Bytes::new(queued), Bytes::new(queued + more));
            prop_assert!(!marker.marks(shorter, draw) || marker.marks(longer, draw));
        }
    }
}
