//! [`Round`]: detection of a flow's round trips by counting.

/// Detects the ends of round trips: a round ends when all packets in flight at its start are
/// acknowledged. TCP compares with the next sequence number at the start (RFC 8257 3.3,
/// DCTCP.WindowEnd). Counting packets gives the same result if they arrive in order, and needs no
/// sequence numbers. Each lost packet makes a round longer by one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    /// Packets still to be acknowledged in this round.
    left: u32,
}

impl Round {
    /// Records `acked` acknowledged packets, with `in_flight` remaining. Returns whether that ended
    /// a round; the first call always does.
    #[inline]
    pub(super) fn on_ack(&mut self, acked: u32, in_flight: u32) -> bool {
        if acked < self.left {
            self.left -= acked;
            return false;
        }
        self.left = in_flight;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_the_packets_in_flight_at_its_start() {
        let mut round = Round::default();
        assert!(round.on_ack(1, 3));
        assert!(!round.on_ack(1, 3) && !round.on_ack(1, 3));
        assert!(round.on_ack(1, 3), "the third of three");
        assert!(round.on_ack(5, 0), "more than the round");
        assert!(round.on_ack(1, 0), "a flow of single packets");
    }
}
