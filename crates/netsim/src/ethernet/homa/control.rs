//! Homa's control packets as packets carry them.

use super::super::packet::{Kind, Packet};
use bandwise_rdma::homa::{ToReceiver, ToSender};

/// What a packet is to the host that it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// DATA.
    Data,
    /// To the sender of its message.
    ToSender(ToSender),
    /// To the receiver of its message.
    ToReceiver(ToReceiver),
}

/// What packets without numbers say, in the place of the number.
const BUSY_SENDER: u32 = 0;
const ASK: u32 = 1;
const BUSY_RECEIVER: u32 = 2;
const DONE: u32 = 3;

/// A packet of `bytes` to the sender that has `key` for the message. The priority that it tells of
/// stands where others have a time stamp.
pub(super) fn to_sender(said: ToSender, bytes: u16, path: u64, key: u32) -> Packet {
    let packet = |kind, seq, sack, priority: u8| {
        Packet::new(kind, bytes, path, key, seq, sack).stamped(priority.into())
    };
    match said {
        ToSender::Grant { to, priority } => packet(Kind::Ack, to, 0, priority),
        ToSender::Resend { from, to, priority } => packet(Kind::Nack, from, to, priority),
        ToSender::Busy => packet(Kind::Notification, BUSY_RECEIVER, 0, 0),
        ToSender::Done => packet(Kind::Notification, DONE, 0, 0),
    }
}

/// A packet of `bytes` to the receiver that has `key` for the message.
pub(super) fn to_receiver(said: ToReceiver, bytes: u16, path: u64, key: u32) -> Packet {
    let code = match said {
        ToReceiver::Busy => BUSY_SENDER,
        ToReceiver::Ask => ASK,
    };
    Packet::new(Kind::Notification, bytes, path, key, code, 0)
}

/// What a packet says.
#[inline]
pub(super) fn meaning(packet: &Packet) -> Meaning {
    let priority = packet.stamp() as u8;
    match packet.kind() {
        Kind::Data => Meaning::Data,
        Kind::Ack => Meaning::ToSender(ToSender::Grant { to: packet.seq(), priority }),
        Kind::Nack => {
            let (from, to) = (packet.seq(), packet.sack());
            Meaning::ToSender(ToSender::Resend { from, to, priority })
        }
        Kind::Notification => match packet.seq() {
            BUSY_SENDER => Meaning::ToReceiver(ToReceiver::Busy),
            ASK => Meaning::ToReceiver(ToReceiver::Ask),
            BUSY_RECEIVER => Meaning::ToSender(ToSender::Busy),
            _ => Meaning::ToSender(ToSender::Done),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packets_say_what_they_were_made_of(
            from: u32, to: u32, priority in 0u8..8, class in 0u8..8, key: u32,
        ) {
            let said = [
                ToSender::Grant { to, priority },
                ToSender::Resend { from, to, priority },
                ToSender::Busy,
                ToSender::Done,
            ];
            for said in said {
                let packet = to_sender(said, 66, 0, key).of_class(class);
                prop_assert_eq!(meaning(&packet), Meaning::ToSender(said));
                prop_assert_eq!((packet.key(), packet.class()), (key, class.into()));
            }
            for said in [ToReceiver::Busy, ToReceiver::Ask] {
                let packet = to_receiver(said, 66, 0, key).of_class(class);
                prop_assert_eq!(meaning(&packet), Meaning::ToReceiver(said));
            }
        }
    }
}
