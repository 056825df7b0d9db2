//! [`Layout`]: the resources of a port, and the tree that shares them.

use super::rate::part;
use super::{
    Class, DEFAULT, Dscp, Family, Filter, LEAST, LINK, Marks, QUEUE, SABA, Tree, printable, quanta,
    rates,
};
use bandwise_saba::Share;
use bandwise_saba::controller::PortConfig;
use bandwise_units::{BitRate, Bytes};
use std::collections::BTreeMap;
use std::num::NonZeroU8;

/// The reason for which a port can't be shared as wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The link's rate.
    #[error("a link of {0}: allowed are 1 Mbps to 1 Tbps")]
    Link(BitRate),
    /// The share of other traffic. Without any, address resolution would starve and the network would stop.
    #[error("other traffic has {0} of the link: allowed are 1% to 99%")]
    Others(Share),
    /// More queues than there are class numbers.
    #[error("{0} queues: allowed are 1 to 64")]
    Queues(u8),
    /// A packet size that is out of range.
    #[error("packets of {0}: allowed are 64 B to 512 KiB")]
    Packet(Bytes),
    /// More queues than the port has.
    #[error("{wanted} queues are wanted, and the port has {there}")]
    TooManyQueues {
        /// The wanted number.
        wanted: usize,
        /// The port's number.
        there: u8,
    },
    /// A number of weights other than the number of queues, or a weight of 0.
    #[error("{weights} weights for {queues} queues: each queue needs a weight of 1 to 255")]
    Weights {
        /// The number of weights that are not 0.
        weights: usize,
        /// The number of queues.
        queues: usize,
    },
    /// A level without a priority of a switch.
    #[error("priority level {0} has no priority of the switch, which has 7 for levels 0 to 6")]
    NoPriority(u16),
    /// A level without a mark.
    #[error("packets of priority level {0} carry no mark")]
    NoMark(u16),
}

/// The resources of a port, and Saba's part of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    link: BitRate,
    others: Share,
    queues: NonZeroU8,
    packet: Bytes,
}

/// The divisor of a class's rate in its burst: a burst has the bytes of 2 ms at this rate, plus a packet. A class catches
/// up this much after a late timer. Timers are late by some hundred microseconds on a busy host, and by milliseconds on a
/// virtual machine without a processor. The link loses the bandwidth beyond the burst.
const CATCH_UP_PER_S: u64 = 500;

/// Returns the burst of a class with this rate.
pub(super) fn burst(rate: BitRate, packet: Bytes) -> Bytes {
    Bytes::new(rate.as_bps() / 8 / CATCH_UP_PER_S + packet.get())
}

/// Checks that a link can be limited.
pub(super) fn check_link(link: BitRate) -> Result<(), Unfit> {
    let (least, most) = (BitRate::from_bps(1_000_000), BitRate::from_gbps(1_000));
    if (least..=most).contains(&link) { Ok(()) } else { Err(Unfit::Link(link)) }
}

impl Layout {
    /// Returns the layout of a port. `link` is the rate of the link, rounded down to what `tc` prints; `others` is the
    /// share of other traffic; `packet` is the largest packet of a queue, on the link or as the host passes it to its
    /// device.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if a value is out of range.
    pub fn new(
        link: BitRate,
        others: Share,
        queues: NonZeroU8,
        packet: Bytes,
    ) -> Result<Self, Unfit> {
        check_link(link)?;
        if !(0.01..=0.99).contains(&others.get()) {
            return Err(Unfit::Others(others));
        }
        if queues.get() > 64 {
            return Err(Unfit::Queues(queues.get()));
        }
        if !(64..=512 << 10).contains(&packet.get()) {
            return Err(Unfit::Packet(packet));
        }
        Ok(Layout { link: printable(link), others, queues, packet })
    }

    /// Returns the rate of the link, as `tc` prints it.
    pub fn link(&self) -> BitRate {
        self.link
    }

    /// Returns the share of other traffic.
    pub fn others(&self) -> Share {
        self.others
    }

    /// Returns the number of Saba's queues.
    pub fn queues(&self) -> NonZeroU8 {
        self.queues
    }

    /// Returns the largest packet.
    pub(crate) fn packet(&self) -> Bytes {
        self.packet
    }

    /// Returns the tree for a configuration.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if the port can't have the configuration.
    pub fn tree(&self, config: &PortConfig, marks: &Marks) -> Result<Tree, Unfit> {
        self.check(config, self.queues.get())?;
        let PortConfig { table, weights } = config;
        let mut filters = BTreeMap::new();
        for (level, queue) in table.iter() {
            let dscp: Dscp = marks.of(level).ok_or(Unfit::NoMark(level.0))?;
            let filter = Filter { dscp: Some(dscp), class: QUEUE + u16::from(queue) };
            filters.extend(Family::ALL.map(|family| ((family, dscp.get().into()), filter)));
        }
        let classes = self.classes(weights);
        Ok(Tree { default: DEFAULT, classes, filters, tables: BTreeMap::new() })
    }

    /// Checks that a configuration has a weight for each queue, and no more queues than the port and `most`.
    pub(crate) fn check(&self, config: &PortConfig, most: u8) -> Result<(), Unfit> {
        let PortConfig { table, weights } = config;
        let positive = weights.iter().filter(|&&weight| weight > 0).count();
        if positive != table.len() || positive != weights.len() {
            return Err(Unfit::Weights { weights: positive, queues: table.len() });
        }
        let there = self.queues.get().min(most);
        if table.len() > usize::from(there) {
            return Err(Unfit::TooManyQueues { wanted: table.len(), there });
        }
        Ok(())
    }

    fn classes(&self, weights: &[u8]) -> BTreeMap<u16, Class> {
        // Rates are rounded to more than a millionth.
        let others = (self.others.get() * 1e6).round() as u64;
        let saba = part(self.link, 1_000_000 - others, 1_000_000);
        let turn = Some(self.packet.get() as u32);
        let inner = |parent, rate| self.class(parent, rate, None);
        let mut classes = BTreeMap::from([
            (LINK, inner(None, self.link)),
            (DEFAULT, self.class(Some(LINK), part(self.link, others, 1_000_000), turn)),
            (SABA, inner(Some(LINK), saba)),
        ]);
        let (rates, quanta) = (rates(saba, weights), quanta(weights, self.packet));
        for queue in 0..u16::from(self.queues.get()) {
            let at = usize::from(queue);
            let rate = rates.get(at).copied().unwrap_or(LEAST);
            let class = self.class(Some(SABA), rate, quanta.get(at).copied().or(turn));
            classes.insert(QUEUE + queue, class);
        }
        classes
    }

    fn class(&self, parent: Option<u16>, rate: BitRate, quantum: Option<u32>) -> Class {
        let ceil = self.link;
        let (burst, cburst) = (burst(rate, self.packet), burst(ceil, self.packet));
        Class { parent, rate, ceil, burst, cburst, quantum }
    }
}
