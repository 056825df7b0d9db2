//! [`Network`]: directed links. [`LinkConfig`]: how one of them shares.

use crate::rate::Rate;
use bandwise_units::BitRate;

/// The most that a link can carry. Rates are kept in 2^-16 bits per second, of which this is 2^60.
pub const MAX_CAPACITY: BitRate = BitRate::from_gbps(10_000);

/// The directed links that flows cross, numbered from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    pub(crate) capacities: Vec<Rate>,
}

impl Network {
    /// Links of these capacities, each above 0 and at most [`MAX_CAPACITY`].
    pub fn new(capacities: impl IntoIterator<Item = BitRate>) -> Result<Network, NetworkError> {
        let check = |(link, capacity): (u32, BitRate)| match capacity.as_bps() {
            0 => Err(NetworkError::Capacity { link, capacity }),
            _ if capacity > MAX_CAPACITY => Err(NetworkError::Capacity { link, capacity }),
            _ => Ok(Rate::new(capacity)),
        };
        let capacities = (0..).zip(capacities).map(check).collect::<Result<_, _>>()?;
        Ok(Network { capacities })
    }

    /// How many links there are.
    pub fn links(&self) -> u32 {
        self.capacities.len() as u32
    }

    /// What a link carries. Panics for a link that isn't there.
    pub fn capacity(&self, link: u32) -> BitRate {
        self.capacities[link as usize].whole()
    }
}

/// One queue of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    pub(crate) weight: u32,
    pub(crate) guarantee: Rate,
    pub(crate) limit: Rate,
}

/// The largest weight of a queue.
pub const MAX_WEIGHT: u32 = 1 << 24;

impl Queue {
    /// A queue that shares what the guarantees leave, by weight: 1 to [`MAX_WEIGHT`].
    pub const fn weighted(weight: u32) -> Queue {
        Queue { weight, guarantee: Rate::ZERO, limit: Rate::UNLIMITED }
    }

    /// A queue that has at least `least` when it has so much to send, and shares what is left by
    /// `weight`.
    pub const fn guaranteed(least: BitRate, weight: u32) -> Queue {
        Queue { weight, guarantee: Rate::new(least), limit: Rate::UNLIMITED }
    }

    /// A queue that never has more than `rate`, though the link be idle, and never less when it has
    /// so much to send. Where flows have ranks, those behind one that its reservation limits get nothing.
    pub const fn reserved(rate: BitRate) -> Queue {
        Queue { weight: 1, guarantee: Rate::new(rate), limit: Rate::new(rate) }
    }
}

/// How a link shares: its queues, and in which of them the flows of a class stand.
///
/// Among the queues that have something to send, each first has its guarantee; the rest is shared by
/// weight; what a queue can't use goes to the others by weight. Within a queue flows share max-min
/// fairly. So a link is idle only where all its flows are limited elsewhere, or by a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkConfig {
    pub(crate) queues: Vec<Queue>,
    queue_of_class: Vec<u8>,
}

impl LinkConfig {
    /// One queue for all.
    pub fn single() -> LinkConfig {
        LinkConfig { queues: vec![Queue::weighted(1)], queue_of_class: Vec::new() }
    }

    /// Queues, 1 to 256, and for class 0, 1, … the number of its queue. Classes that the table does
    /// not reach stand in queue 0.
    pub fn new(queues: Vec<Queue>, queue_of_class: Vec<u8>) -> Result<LinkConfig, NetworkError> {
        if queues.is_empty() || queues.len() > 256 {
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

    /// Queues of these weights, one or more, each from 1; of some classes the number of their queue. Classes that are not
    /// named stand in queue 0.
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

    /// The queue in which flows of a class stand.
    pub fn queue_of(&self, class: u8) -> u8 {
        self.queue_of_class.get(usize::from(class)).copied().unwrap_or(0)
    }

    /// Whether the guarantees fit a link.
    pub(crate) fn check_for(&self, link: u32, capacity: Rate) -> Result<(), NetworkError> {
        let guarantees = self.queues.iter().map(|q| u128::from(q.guarantee.0)).sum::<u128>();
        if guarantees > u128::from(capacity.0) {
            return Err(NetworkError::Guarantees { link, capacity: capacity.whole() });
        }
        Ok(())
    }
}

/// Why links can't be so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// A link that carries nothing, or more than can be counted.
    #[error("link {link} has a capacity of {capacity}")]
    Capacity {
        /// The link.
        link: u32,
        /// Its capacity as given.
        capacity: BitRate,
    },
    /// No queue, or too many.
    #[error("a link with {queues} queues")]
    Queues {
        /// How many there are.
        queues: usize,
    },
    /// A weight of nothing, or too large.
    #[error("a queue with a weight of {weight}")]
    Weight {
        /// The weight as given.
        weight: u32,
    },
    /// A class in a queue that isn't there.
    #[error("a class in queue {queue} of a link that has {queues}")]
    NoSuchQueue {
        /// The queue as given.
        queue: u8,
        /// How many there are.
        queues: usize,
    },
    /// Guarantees that the link can't give all at once.
    #[error("the guarantees of link {link} are more than its {capacity}")]
    Guarantees {
        /// The link.
        link: u32,
        /// What it carries.
        capacity: BitRate,
    },
    /// A link that isn't there.
    #[error("there is no link {link}")]
    NoSuchLink {
        /// Its number as given.
        link: u32,
        /// How many there are.
        links: u32,
    },
}

impl NetworkError {
    /// What would be allowed instead.
    pub fn allowed(&self) -> String {
        match self {
            Self::Capacity { .. } => format!("above 0 and at most {MAX_CAPACITY}"),
            Self::Queues { .. } => "1 to 256 queues".into(),
            Self::Weight { .. } => format!("1 to {MAX_WEIGHT}"),
            Self::NoSuchQueue { queues, .. } => format!("queues 0 to {}", queues.saturating_sub(1)),
            Self::Guarantees { capacity, .. } => {
                format!("guarantees and reservations of {capacity} together")
            }
            Self::NoSuchLink { links, .. } => format!("links 0 to {}", links.saturating_sub(1)),
        }
    }
}
