//! Encoding of Homa's control packets in simulated packets.

use super::super::packet::{Kind, Packet};
use bandwise_rdma::homa::{ToReceiver, ToSender};

/// Content of a packet for the receiving host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// A DATA packet.
    Data,
    /// A control packet to the sender of its message.
    ToSender(ToSender),
    /// A control packet to the receiver of its message.
    ToReceiver(ToReceiver),
}

/// Codes of packets without a sequence number, in the field of the number.
const BUSY_SENDER: u32 = 0;
const RESEND_RESPONSE: u32 = 1;
const BUSY_RECEIVER: u32 = 2;
const DONE: u32 = 3;

/// Creates a packet of `bytes` to the sender that has `key` for the message. The priority is in the
/// time stamp's field.
pub(super) fn to_sender(content: ToSender, bytes: u16, path: u64, key: u32) -> Packet {
    let packet = |kind, seq, sack, priority: u8| {
        Packet::new(kind, bytes, path, key, seq, sack).stamped(priority.into())
    };
    match content {
        ToSender::Grant { to, priority } => packet(Kind::Ack, to, 0, priority),
        ToSender::Resend { from, to, priority } => packet(Kind::Nack, from, to, priority),
        ToSender::Busy => packet(Kind::Notification, BUSY_RECEIVER, 0, 0),
        ToSender::Done => packet(Kind::Notification, DONE, 0, 0),
    }
}

/// Creates a packet of `bytes` to the receiver that has `key` for the message.
pub(super) fn to_receiver(content: ToReceiver, bytes: u16, path: u64, key: u32) -> Packet {
    let code = match content {
        ToReceiver::Busy => BUSY_SENDER,
        ToReceiver::Resend => RESEND_RESPONSE,
    };
    Packet::new(Kind::Notification, bytes, path, key, code, 0)
}

/// Returns the content of a packet.
#[inline]
pub(super) fn decode(packet: &Packet) -> Content {
    let priority = packet.stamp() as u8;
    match packet.kind() {
        Kind::Data => Content::Data,
        Kind::Ack => Content::ToSender(ToSender::Grant { to: packet.seq(), priority }),
        Kind::Nack => {
            let (from, to) = (packet.seq(), packet.sack());
            Content::ToSender(ToSender::Resend { from, to, priority })
        }
        Kind::Notification => match packet.seq() {
            BUSY_SENDER => Content::ToReceiver(ToReceiver::Busy),
            RESEND_RESPONSE => Content::ToReceiver(ToReceiver::Resend),
            BUSY_RECEIVER => Content::ToSender(ToSender::Busy),
            _ => Content::ToSender(ToSender::Done),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn control_packets_are_decoded_as_encoded(
            from: u32, to: u32, priority in 0u8..8, class in 0u8..8, key: u32,
        ) {
            let content = [
                ToSender::Grant { to, priority },
                ToSender::Resend { from, to, priority },
                ToSender::Busy,
                ToSender::Done,
            ];
            for content in content {
                let packet = to_sender(content, 66, 0, key).of_class(class);
                prop_assert_eq!(decode(&packet), Content::ToSender(content));
                prop_assert_eq!((packet.key(), packet.class()), (key, class.into()));
            }
            for content in [ToReceiver::Busy, ToReceiver::Resend] {
                let packet = to_receiver(content, 66, 0, key).of_class(class);
                prop_assert_eq!(decode(&packet), Content::ToReceiver(content));
            }
        }
    }
}
