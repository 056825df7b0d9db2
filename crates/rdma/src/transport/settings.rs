//! [`TransportSettings`]: parameters shared by both ends of a flow.

use bandwise_units::Time;
use std::num::NonZeroU32;

/// Parameters of reliable delivery for all flows of a host, separate from the state of flows.
///
/// The transports of the `irn` paper are [`roce_with_pfc`](Self::roce_with_pfc),
/// [`roce`](Self::roce), [`irn`](Self::irn) and [`iwarp`](Self::iwarp). Its ablations (IRN 4.3)
/// differ in one field:
///
/// ```
/// # use bandwise_rdma::transport::{Recovery, TransportSettings, Timeout};
/// # use bandwise_units::Time;
/// let with_go_back_n = TransportSettings { recovery: Recovery::GoBackN, ..TransportSettings::irn() };
/// let without_bdp_fc = TransportSettings { window: None, ..TransportSettings::irn() };
/// let without_sack = TransportSettings { recovery: Recovery::SelectiveWithoutSack, ..TransportSettings::irn() };
/// let fetched_late = TransportSettings { fetch: Time::from_us(2), ..TransportSettings::irn() };
/// let dynamic_timeout = TransportSettings { timeout: Timeout::DYNAMIC, ..TransportSettings::irn() };
/// for settings in [with_go_back_n, without_bdp_fc, without_sack, fetched_late, dynamic_timeout] {
///     settings.validate().unwrap();
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransportSettings {
    /// Recovery of lost packets.
    pub recovery: Recovery,
    /// Packets that are acknowledged.
    pub acks: Acks,
    /// Largest number of packets from the first unacknowledged one on: the cap of BDP-FC (IRN 3.2),
    /// or the receive window of TCP. `None` for no limit.
    pub window: Option<NonZeroU32>,
    /// Time after which packets count as lost without feedback.
    pub timeout: Timeout,
    /// Time to fetch a lost packet from the host's memory to the NIC (IRN 6.3: up to 2 us). New
    /// packets are prefetched.
    pub fetch: Time,
}

/// Recovery of lost packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The receiver drops packets out of order; the sender goes back (IRN 2.1).
    GoBackN,
    /// The receiver keeps packets out of order; the sender retransmits the lost ones (IRN 3.1).
    Selective {
        /// A cumulative acknowledgement during a recovery marks the packet at it as lost, as in TCP
        /// (RFC 6582): it was sent before the one that has now arrived. In IRN 3.1 a packet is lost
        /// "only if another packet with a higher sequence number has been selectively acked". With
        /// that rule alone, each packet of a window lost up to its end costs a timeout, where the
        /// sender without SACK (IRN 4.3) takes a round trip.
        partial_acks: bool,
    },
    /// Selective retransmission without a bitmap at the sender (IRN 4.3, question 2): a NACK
    /// retransmits only the packet at its cumulative acknowledgement. The window's next loss is
    /// detected when that packet has arrived, a round trip later (RFC 6582, partial
    /// acknowledgements).
    SelectiveWithoutSack,
    /// TCP, as in iWARP (IRN 4.6), with its own congestion window.
    Tcp {
        /// Congestion window of a new flow, in packets.
        initial_window: NonZeroU32,
    },
}

/// Packets that are acknowledged. Packets out of order always cause a NACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acks {
    /// Every packet (IRN 5.2).
    EveryPacket,
    /// Every `every` packets in order, or one after a delay (RFC 1122 4.2.3.2, RFC 5681 4.2).
    /// Immediate if a packet fills a gap, is a duplicate or the last.
    Delayed {
        /// Number of packets in order per acknowledgement.
        every: NonZeroU32,
        /// Largest delay of an acknowledgement.
        after: Time,
    },
    /// The whole flow only, as with READs (IRN 5.2): the requester receives the data and needs no
    /// acknowledgement. The sender then has no feedback on arrivals. The network must neither lose
    /// nor reorder packets, and there can be no window, no timeout and no congestion control that
    /// counts packets in flight.
    OnCompletion,
}

/// Longest time without feedback on the first unacknowledged packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// Unlimited (IRN 4.1: with PFC).
    None,
    /// A fixed time.
    Fixed(Time),
    /// IRN 3.1: a short timeout while few packets are in flight, so that the loss of a short
    /// message is detected early with few needless retransmissions.
    LowHigh {
        /// RTO_low.
        low: Time,
        /// RTO_high.
        high: Time,
        /// N: `low` applies with fewer packets than this in flight.
        few: u32,
    },
    /// Based on round trips, as in TCP (RFC 6298; IRN 4.3, question 3).
    Dynamic {
        /// Timeout before the first round trip.
        initial: Time,
        /// Smallest timeout.
        min: Time,
        /// Largest timeout, after any number of doublings.
        max: Time,
    },
}

/// RTO_low of IRN 4.1.
pub const RTO_LOW: Time = Time::from_us(100);
/// RTO_high of IRN 4.1: the longest round trip with one congested link in the default network.
pub const RTO_HIGH: Time = Time::from_us(320);
/// The BDP cap of IRN 4.1 in packets: 120 KB at an MTU of 1 KB.
pub const BDP_CAP: NonZeroU32 = NonZeroU32::new(110).unwrap();

impl Timeout {
    /// RTO_low, RTO_high and N of IRN 4.1.
    pub const IRN: Timeout = Timeout::LowHigh { low: RTO_LOW, high: RTO_HIGH, few: 3 };
    /// RFC 6298 with bounds for a network of microseconds. The smallest timeout is the longest
    /// round trip of IRN 4.1. With less, a growing queue would be mistaken for a loss.
    pub const DYNAMIC: Timeout =
        Timeout::Dynamic { initial: RTO_HIGH, min: RTO_HIGH, max: Time::from_ms(100) };
}

/// Reason why settings are unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransportSettingsError {
    /// A setting needs acknowledgements that are disabled.
    #[error("{0} needs acknowledgements before the flow is complete")]
    NeedsAcks(&'static str),
    /// A timeout is zero, or its parts are in the wrong order.
    #[error("the timeout's parts are zero or in the wrong order: {0:?}")]
    Timeout(Timeout),
    /// Fetch delays don't apply to TCP: its NICs have a send buffer.
    #[error("TCP has no delay in fetching retransmissions")]
    TcpFetch,
}

impl TransportSettings {
    /// Returns RoCE on a lossless network (IRN 4.1, 5.2): go-back-N, no timeout, READs only.
    pub const fn roce_with_pfc() -> Self {
        TransportSettings {
            acks: Acks::OnCompletion,
            timeout: Timeout::None,
            ..TransportSettings::roce()
        }
    }

    /// Returns RoCE without PFC (IRN 4.1): a fixed timeout of RTO_high, one acknowledgement per
    /// packet.
    pub const fn roce() -> Self {
        TransportSettings {
            recovery: Recovery::GoBackN,
            acks: Acks::EveryPacket,
            window: None,
            timeout: Timeout::Fixed(RTO_HIGH),
            fetch: Time::ZERO,
        }
    }

    /// Returns IRN with the parameters of IRN 4.1.
    pub const fn irn() -> Self {
        TransportSettings {
            recovery: Recovery::Selective { partial_acks: true },
            acks: Acks::EveryPacket,
            window: Some(BDP_CAP),
            timeout: Timeout::IRN,
            fetch: Time::ZERO,
        }
    }

    /// Returns TCP for iWARP (IRN 4.6): an initial window of 4 packets of 1 KB (RFC 5681 3.1), and
    /// an acknowledgement for every second packet, delayed by less than the smallest timeout.
    pub const fn iwarp() -> Self {
        TransportSettings {
            recovery: Recovery::Tcp { initial_window: NonZeroU32::new(4).unwrap() },
            acks: Acks::Delayed { every: NonZeroU32::new(2).unwrap(), after: Time::from_us(100) },
            window: None,
            timeout: Timeout::DYNAMIC,
            fetch: Time::ZERO,
        }
    }

    /// Checks that a flow with these settings can end.
    ///
    /// # Errors
    ///
    /// A timeout that is zero or in the wrong order, a setting that needs missing acknowledgements,
    /// or a fetch delay for TCP.
    pub fn validate(&self) -> Result<(), TransportSettingsError> {
        let in_order = match self.timeout {
            Timeout::None => true,
            Timeout::Fixed(time) => time > Time::ZERO,
            Timeout::LowHigh { low, high, .. } => Time::ZERO < low && low <= high,
            Timeout::Dynamic { initial, min, max } => {
                Time::ZERO < min && min <= initial && initial <= max
            }
        };
        if !in_order {
            return Err(TransportSettingsError::Timeout(self.timeout));
        }
        let is_tcp = matches!(self.recovery, Recovery::Tcp { .. });
        if is_tcp && self.fetch > Time::ZERO {
            return Err(TransportSettingsError::TcpFetch);
        }
        if self.acks == Acks::OnCompletion {
            let without = [
                (is_tcp, "TCP"),
                (self.window.is_some(), "a window"),
                (self.timeout != Timeout::None, "a timeout"),
            ];
            if let Some((_, what)) = without.into_iter().find(|(is_set, _)| *is_set) {
                return Err(TransportSettingsError::NeedsAcks(what));
            }
        }
        Ok(())
    }

    /// Returns the largest number of packets from the first unacknowledged one on.
    #[inline]
    pub(super) fn window(&self) -> u32 {
        self.window.map_or(u32::MAX, NonZeroU32::get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_flows_that_cannot_end_are_refused() {
        for settings in [
            TransportSettings::roce(),
            TransportSettings::roce_with_pfc(),
            TransportSettings::irn(),
            TransportSettings::iwarp(),
        ] {
            assert_eq!(settings.validate(), Ok(()));
        }
        let silent = TransportSettings { acks: Acks::OnCompletion, ..TransportSettings::irn() };
        assert_eq!(
            silent.validate().unwrap_err().to_string(),
            "a window needs acknowledgements before the flow is complete"
        );
        let silent = TransportSettings { window: None, ..silent };
        assert_eq!(silent.validate(), Err(TransportSettingsError::NeedsAcks("a timeout")));
        let silent = TransportSettings { acks: Acks::OnCompletion, ..TransportSettings::iwarp() };
        assert_eq!(silent.validate(), Err(TransportSettingsError::NeedsAcks("TCP")));
        let late = TransportSettings { fetch: Time::from_us(2), ..TransportSettings::iwarp() };
        assert_eq!(late.validate(), Err(TransportSettingsError::TcpFetch));
        let (low, high) = (RTO_HIGH, RTO_LOW);
        for timeout in [Timeout::Fixed(Time::ZERO), Timeout::LowHigh { low, high, few: 3 }] {
            let settings = TransportSettings { timeout, ..TransportSettings::irn() };
            assert_eq!(settings.validate(), Err(TransportSettingsError::Timeout(timeout)));
        }
    }
}
