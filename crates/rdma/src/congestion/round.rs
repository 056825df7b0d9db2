//! [`Round`]: one round trip of a flow, by counting.

/// Finds the ends of round trips: a round ends when all that was in flight at its start is
/// acknowledged. TCP compares with the sequence number that was next at the start (RFC 8257
/// 3.3, DCTCP.WindowEnd); counting packets gives the same where they arrive in order, and needs
/// no sequence numbers here. Lost packets make a round longer by as many.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    /// Packets still to be acknowledged in this round.
    left: u32,
}

impl Round {
    /// `acked` packets were acknowledged and `in_flight` remain. Whether that ended a round; the
    /// first call always does.
    #[inline]
    pub fn on_ack(&mut self, acked: u32, in_flight: u32) -> bool {
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
    fn a_round_is_what_was_in_flight() {
        let mut round = Round::default();
        assert!(round.on_ack(1, 3));
        assert!(!round.on_ack(1, 3) && !round.on_ack(1, 3));
        assert!(round.on_ack(1, 3), "the third of three");
        assert!(round.on_ack(5, 0), "more than the round");
        assert!(round.on_ack(1, 0), "a flow of single packets");
    }
}
