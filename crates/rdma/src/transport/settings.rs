//! [`Settings`]: what the two ends of a flow agree on.

use bandwise_units::Time;
use std::num::NonZeroU32;

/// How flows are made reliable: for all flows of a host, not part of any flow's state.
///
/// The transports of the `irn` paper are [`roce_with_pfc`](Self::roce_with_pfc),
/// [`roce`](Self::roce), [`irn`](Self::irn) and [`iwarp`](Self::iwarp). Its ablations (IRN 4.3)
/// are those with another field:
///
/// ```
/// # use bandwise_rdma::transport::{Recovery, Settings, Timeout};
/// # use bandwise_units::Time;
/// let with_go_back_n = Settings { recovery: Recovery::GoBackN, ..Settings::irn() };
/// let without_bdp_fc = Settings { window: None, ..Settings::irn() };
/// let without_sack = Settings { recovery: Recovery::SelectiveWithoutSack, ..Settings::irn() };
/// let fetched_late = Settings { fetch: Time::from_us(2), ..Settings::irn() };
/// let dynamic_timeout = Settings { timeout: Timeout::DYNAMIC, ..Settings::irn() };
/// for settings in [with_go_back_n, without_bdp_fc, without_sack, fetched_late, dynamic_timeout] {
///     settings.validate().unwrap();
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// What becomes of lost packets.
    pub recovery: Recovery,
    /// Which packets are acknowledged.
    pub acks: Acks,
    /// The most packets from the first unacknowledged one on: the cap of BDP-FC (IRN 3.2), or the
    /// receive window of TCP. `None`: no limit.
    pub window: Option<NonZeroU32>,
    /// When what was sent counts as lost though nothing says so.
    pub timeout: Timeout,
    /// How long a packet that was found lost takes from the host's memory to the NIC
    /// (IRN 6.3: up to 2 us). New packets are prefetched.
    pub fetch: Time,
}

/// What becomes of lost packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The receiver drops what is out of order; the sender goes back (IRN 2.1).
    GoBackN,
    /// The receiver keeps it; the sender sends again what is lost (IRN 3.1).
    Selective {
        /// Whether a cumulative acknowledgement inside a recovery says that the packet at it is
        /// lost, as in TCP (RFC 6582): it was sent before the one that now has arrived. IRN 3.1 has
        /// a packet lost "only if another packet with a higher sequence number has been selectively
        /// acked"; with that alone each packet of a window that is lost to its end costs a timeout,
        /// where the sender without SACK (IRN 4.3) takes a round trip.
        partial_acks: bool,
    },
    /// The same without a bitmap at the sender (IRN 4.3, question 2): a NACK has the packet at its
    /// cumulative acknowledgement sent again, no other. The next loss of the window shows when
    /// that has arrived, a round trip later (RFC 6582, partial acknowledgements).
    SelectiveWithoutSack,
    /// TCP, as in iWARP (IRN 4.6): with a congestion window of its own.
    Tcp {
        /// The congestion window of a new flow, packets.
        initial_window: NonZeroU32,
    },
}

/// Which packets are acknowledged. What is out of order always is, by a NACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acks {
    /// Every one (IRN 5.2).
    EveryPacket,
    /// Every so many in order, or one after a time (RFC 1122 4.2.3.2, RFC 5681 4.2). At once
    /// where a packet fills a gap, comes twice or is the last.
    Delayed {
        /// How many packets in order one acknowledgement is for.
        every: NonZeroU32,
        /// How long a packet waits for it at most.
        after: Time,
    },
    /// Only the flow as a whole, as where all messages are READs (IRN 5.2): the data's receiver is
    /// the one who asked, and knows. The sender then learns nothing about what arrives: the network
    /// must neither lose nor reorder, and there can be no window, no timeout and no congestion
    /// control that counts packets in flight.
    OnCompletion,
}

/// How long nothing may be heard of the first unacknowledged packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// For ever (IRN 4.1: with PFC).
    None,
    /// A fixed time.
    Fixed(Time),
    /// IRN 3.1: a short one while few packets are in flight, so that the loss of a short message
    /// shows early and hardly anything is sent in vain.
    LowHigh {
        /// RTO_low.
        low: Time,
        /// RTO_high.
        high: Time,
        /// N: `low` holds with fewer packets than this in flight.
        few: u32,
    },
    /// From the round trips, as TCP does (RFC 6298; IRN 4.3, question 3).
    Dynamic {
        /// Before the first round trip.
        initial: Time,
        /// Never less than this.
        min: Time,
        /// Nor more, however often it has doubled.
        max: Time,
    },
}

/// RTO_low of IRN 4.1.
pub const RTO_LOW: Time = Time::from_us(100);
/// RTO_high of IRN 4.1: the longest round trip with one congested link in the default network.
pub const RTO_HIGH: Time = Time::from_us(320);
/// The BDP cap of IRN 4.1, packets: 120 KB at an MTU of 1 KB.
pub const BDP_CAP: NonZeroU32 = NonZeroU32::new(110).unwrap();

impl Timeout {
    /// RTO_low, RTO_high and N of IRN 4.1.
    pub const IRN: Timeout = Timeout::LowHigh { low: RTO_LOW, high: RTO_HIGH, few: 3 };
    /// RFC 6298 with bounds for a network of microseconds. The least is what IRN 4.1 takes for the
    /// longest round trip: with less, a queue that fills is taken for a loss.
    pub const DYNAMIC: Timeout =
        Timeout::Dynamic { initial: RTO_HIGH, min: RTO_HIGH, max: Time::from_ms(100) };
}

/// Why settings can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Something needs acknowledgements that are not there.
    #[error("{0} needs acknowledgements before the flow is complete")]
    NeedsAcks(&'static str),
    /// A timeout of nothing, or one whose parts are in the wrong order.
    #[error("the timeout's parts are in the wrong order, or nothing: {0:?}")]
    Timeout(Timeout),
    /// Delays in fetching belong to NICs without TCP's send buffer.
    #[error("TCP has no delay in fetching retransmissions")]
    TcpFetch,
}

impl Settings {
    /// RoCE on a network without losses (IRN 4.1, 5.2): go-back-N, no timeout, all READs.
    pub const fn roce_with_pfc() -> Self {
        Settings { acks: Acks::OnCompletion, timeout: Timeout::None, ..Settings::roce() }
    }

    /// RoCE without PFC (IRN 4.1): a fixed timeout of RTO_high, an acknowledgement a packet.
    pub const fn roce() -> Self {
        Settings {
            recovery: Recovery::GoBackN,
            acks: Acks::EveryPacket,
            window: None,
            timeout: Timeout::Fixed(RTO_HIGH),
            fetch: Time::ZERO,
        }
    }

    /// IRN with the parameters of IRN 4.1.
    pub const fn irn() -> Self {
        Settings {
            recovery: Recovery::Selective { partial_acks: true },
            acks: Acks::EveryPacket,
            window: Some(BDP_CAP),
            timeout: Timeout::IRN,
            fetch: Time::ZERO,
        }
    }

    /// TCP for iWARP (IRN 4.6): 4 packets of 1 KB at first (RFC 5681 3.1), an acknowledgement for
    /// every second packet, which waits for it less than the least timeout.
    pub const fn iwarp() -> Self {
        Settings {
            recovery: Recovery::Tcp { initial_window: NonZeroU32::new(4).unwrap() },
            acks: Acks::Delayed { every: NonZeroU32::new(2).unwrap(), after: Time::from_us(100) },
            window: None,
            timeout: Timeout::DYNAMIC,
            fetch: Time::ZERO,
        }
    }

    /// Whether a flow with these settings can end.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let in_order = match self.timeout {
            Timeout::None => true,
            Timeout::Fixed(time) => time > Time::ZERO,
            Timeout::LowHigh { low, high, .. } => Time::ZERO < low && low <= high,
            Timeout::Dynamic { initial, min, max } => {
                Time::ZERO < min && min <= initial && initial <= max
            }
        };
        if !in_order {
            return Err(SettingsError::Timeout(self.timeout));
        }
        let is_tcp = matches!(self.recovery, Recovery::Tcp { .. });
        if is_tcp && self.fetch > Time::ZERO {
            return Err(SettingsError::TcpFetch);
        }
        if self.acks == Acks::OnCompletion {
            let without = [
                (is_tcp, "TCP"),
                (self.window.is_some(), "a window"),
                (self.timeout != Timeout::None, "a timeout"),
            ];
            if let Some((_, what)) = without.into_iter().find(|(is_set, _)| *is_set) {
                return Err(SettingsError::NeedsAcks(what));
            }
        }
        Ok(())
    }

    /// The most packets from the first unacknowledged one on.
    #[inline]
    pub(super) fn window(&self) -> u32 {
        self.window.map_or(u32::MAX, NonZeroU32::get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_end_is_refused() {
        for settings in
            [Settings::roce(), Settings::roce_with_pfc(), Settings::irn(), Settings::iwarp()]
        {
            assert_eq!(settings.validate(), Ok(()));
        }
        let silent = Settings { acks: Acks::OnCompletion, ..Settings::irn() };
        assert_eq!(
            silent.validate().unwrap_err().to_string(),
            "a window needs acknowledgements before the flow is complete"
        );
        let silent = Settings { window: None, ..silent };
        assert_eq!(silent.validate(), Err(SettingsError::NeedsAcks("a timeout")));
        let silent = Settings { acks: Acks::OnCompletion, ..Settings::iwarp() };
        assert_eq!(silent.validate(), Err(SettingsError::NeedsAcks("TCP")));
        let late = Settings { fetch: Time::from_us(2), ..Settings::iwarp() };
        assert_eq!(late.validate(), Err(SettingsError::TcpFetch));
        let (low, high) = (RTO_HIGH, RTO_LOW);
        for timeout in [Timeout::Fixed(Time::ZERO), Timeout::LowHigh { low, high, few: 3 }] {
            let settings = Settings { timeout, ..Settings::irn() };
            assert_eq!(settings.validate(), Err(SettingsError::Timeout(timeout)));
        }
    }
}
