//! [`Ticket`]: the private data of a connection request.

/// The private data of a connection request: the number of the queue pair, and the secret of the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) number: u32,
    pub(super) secret: u32,
}

impl Ticket {
    pub(super) fn to_bytes(self) -> [u8; 8] {
        (u64::from(self.number) << 32 | u64::from(self.secret)).to_be_bytes()
    }

    /// Reads a ticket. The network may have appended zeros.
    pub(super) fn of(bytes: &[u8]) -> Option<Ticket> {
        let all = u64::from_be_bytes(*bytes.first_chunk()?);
        Some(Ticket { number: (all >> 32) as u32, secret: all as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_round_trip() {
        let ticket = Ticket { number: 0x0102_0304, secret: 0xfffe_fdfc };
        let mut bytes = ticket.to_bytes().to_vec();
        bytes.extend([0; 48]);
        assert_eq!(Ticket::of(&bytes), Some(ticket));
        assert_eq!(Ticket::of(&bytes[..7]), None);
    }
}
