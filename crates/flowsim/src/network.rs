//! [`Network`]: directed links. [`LinkConfig`]: the sharing of a link.

use crate::rate::Rate;
use bandwise_units::BitRate;

/// The maximum capacity of a link. Rates are in units of 2^-16 bits per second; this capacity has
/// less than 2^60.
pub const MAX_CAPACITY: BitRate = BitRate::from_gbps(10_000);

/// The directed links that flows cross, numbered from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    pub(crate) capacities: Vec<Rate>,
}

impl Network {
    /// Returns links of these capacities.
    ///
    /// # Errors
    ///
    /// Returns a [`NetworkError`] if a capacity is zero or above [`MAX_CAPACITY`].
    pub fn new(capacities: impl IntoIterator<Item = BitRate>) -> Result<Network, NetworkError> {
        let check = |(link, capacity): (u32, BitRate)| match capacity.as_bps() {
            0 => Err(NetworkError::Capacity { link, capacity }),
            _ if capacity > MAX_CAPACITY => Err(NetworkError::Capacity { link, capacity }),
            _ => Ok(Rate::new(capacity)),
        };
        let capacities = (0..).zip(capacities).map(check).collect::<Result<_, _>>()?;
        Ok(Network { capacities })
    }

    /// Returns the number of links.
    pub fn links(&self) -> u32 {
        self.capacities.len() as u32
    }

    /// Returns the capacity of a link.
    ///
    /// # Panics
    ///
    /// Panics if the link does not exist.
    pub fn capacity(&self, link: u32) -> BitRate {
        self.capacities[link as usize].whole()
    }
}

/// A queue of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    pub(crate) weight: u32,
    pub(crate) guarantee: Rate,
    pub(crate) limit: Rate,
}

/// The most queues of a link.
pub const MAX_QUEUES: usize = 256;
/// The largest weight of a queue.
pub const MAX_WEIGHT: u32 = 1 << 24;

impl Queue {
    /// Returns a queue that shares the rate beyond the guarantees by weight: 1 to [`MAX_WEIGHT`].
    pub const fn weighted(weight: u32) -> Queue {
        Queue { weight, guarantee: Rate::ZERO, limit: Rate::UNLIMITED }
    }

    /// Returns a queue that has at least `least` if it has enough to send, and shares the rest by
    /// `weight`.
    pub const fn guaranteed(least: BitRate, weight: u32) -> Queue {
        Queue { weight, guarantee: Rate::new(least), limit: Rate::UNLIMITED }
    }

    /// Returns a queue that never has more than `rate`, even on an idle link, and never less if it
    /// has enough to send. If flows have ranks, a flow that the reservation limits leaves nothing
    /// to later ranks.
    pub const fn reserved(rate: BitRate) -> Queue {
        Queue { weight: 1, guarantee: Rate::new(rate), limit: Rate::new(rate) }
    }
}

/// The sharing of a link: its queues, and the queue of each class.
///
/// Each queue with flows first has its guarantee. The rest is shared by weight, and unused parts of
/// queues go to the others by weight. Within a queue flows share max-min fairly. So a link is idle
/// only if all its flows are limited elsewhere, or by a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkConfig {
    pub(crate) queues: Vec<Queue>,
    queue_of_class: Vec<u8>,
}

impl LinkConfig {
    /// Returns one queue for all flows.
    pub fn single() -> LinkConfig {
        LinkConfig { queues: vec![Queue::weighted(1)], queue_of_class: Vec::new() }
    }

    /// Returns queues, 1 to [`MAX_QUEUES`], and the queue of class 0, 1, … Classes beyond the table use queue
    /// 0.
    ///
    /// # Errors
    ///
    /// Returns a [`NetworkError`] if the number of queues, a weight or a queue of a class is out of
    /// range.
    pub fn new(queues: Vec<Queue>, queue_of_class: Vec<u8>) -> Result<LinkConfig, NetworkError> {
        if queues.is_empty() || queues.len() > MAX_QUEUES {
            return Err(NetworkError::Queues { queues: queues.len() });
        }
        if let Some(queue) = queues.iter().find(|q| !(1..=MAX_WEIGHT).contains(&q.weight)) {
            return Err(NetworkError::Weight { weight: queue.weight });
        }
        let is_beyond = |&&q: &&u8| usize::from(q) >= queues.len();
        if let Some(&queue) = queue_of_class.iter().find(is_beyond) {
            return Err(NetworkError::NoSuchQueue { queue, queues: queues.len() });
        }
        Ok(LinkConfig { queues, queue_of_class })
    }

    /// Returns queues of these weights, one or more, each from 1, and the queues of some classes.
    /// Other classes use queue 0.
    ///
    /// # Errors
    ///
    /// Returns a [`NetworkError`] if the number of queues, a weight or a queue of a class is out of
    /// range.
    pub fn weighted(
        weights: &[u8],
        queues: impl IntoIterator<Item = (u8, u8)>,
    ) -> Result<LinkConfig, NetworkError> {
        let mut queue_of_class = Vec::new();
        for (class, queue) in queues {
            let class = usize::from(class);
            queue_of_class.resize(queue_of_class.len().max(class + 1), 0);
            queue_of_class[class] = queue;
        }
        let queue = |&weight: &u8| Queue::weighted(weight.into());
        LinkConfig::new(weights.iter().map(queue).collect(), queue_of_class)
    }

    /// Returns the queue of a class.
    pub fn queue_of(&self, class: u8) -> u8 {
        self.queue_of_class.get(usize::from(class)).copied().unwrap_or(0)
    }

    /// Checks that the guarantees fit a link.
    pub(crate) fn check_for(&self, link: u32, capacity: Rate) -> Result<(), NetworkError> {
        let guarantees = self.queues.iter().map(|q| u128::from(q.guarantee.0)).sum::<u128>();
        if guarantees > u128::from(capacity.0) {
            return Err(NetworkError::Guarantees { link, capacity: capacity.whole() });
        }
        Ok(())
    }
}

/// The reasons for which links are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// A capacity of zero, or too large.
    #[error("link {link} has a capacity of {capacity}")]
    Capacity {
        /// The link.
        link: u32,
        /// The capacity.
        capacity: BitRate,
    },
    /// No queue, or more than [`MAX_QUEUES`].
    #[error("a link with {queues} queues")]
    Queues {
        /// The number of queues.
        queues: usize,
    },
    /// A weight out of range.
    #[error("a queue with a weight of {weight}")]
    Weight {
        /// The weight.
        weight: u32,
    },
    /// A class in a queue that does not exist.
    #[error("a class in queue {queue} of a link that has {queues}")]
    NoSuchQueue {
        /// The queue.
        queue: u8,
        /// The number of queues.
        queues: usize,
    },
    /// Guarantees whose sum exceeds the capacity of the link.
    #[error("the guarantees of link {link} are more than its {capacity}")]
    Guarantees {
        /// The link.
        link: u32,
        /// The capacity.
        capacity: BitRate,
    },
    /// A link that does not exist.
    #[error("there is no link {link}")]
    NoSuchLink {
        /// The link's number.
        link: u32,
        /// The number of links.
        links: u32,
    },
}

impl NetworkError {
    /// Returns the allowed values.
    pub fn allowed(&self) -> String {
        match self {
            Self::Capacity { .. } => format!("above 0 and at most {MAX_CAPACITY}"),
            Self::Queues { .. } => format!("1 to {MAX_QUEUES} queues"),
            Self::Weight { .. } => format!("1 to {MAX_WEIGHT}"),
            Self::NoSuchQueue { queues, .. } => format!("queues 0 to {}", queues.saturating_sub(1)),
            Self::Guarantees { capacity, .. } => {
                format!("guarantees and reservations of {capacity} together")
            }
            Self::NoSuchLink { links, .. } => format!("links 0 to {}", links.saturating_sub(1)),
        }
    }
}
