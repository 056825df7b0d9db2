//! [`Priorities`]: which packets go first in the network (Homa 3.4).

use bandwise_units::Bytes;

/// Priorities that a switch can have: those of IEEE 802.1Q.
pub const LEVELS: u8 = 8;

/// How the priorities of switches are used, 0 being the lowest: scheduled packets have the low ones,
/// unscheduled packets the ones above, those of short messages the highest, and so do control packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priorities {
    scheduled: u8,
    cutoffs: Vec<Bytes>,
}

/// Why priorities can't be used so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PrioritiesError {
    /// Nothing could be granted.
    #[error("no priority is left for scheduled packets")]
    NoneScheduled,
    /// More than there can be.
    #[error("{0} priorities: there are 8 at most")]
    TooMany(usize),
    /// Not ascending.
    #[error("cutoffs are in the wrong order: {1} after {0}")]
    Order(Bytes, Bytes),
}

impl Priorities {
    /// So many scheduled priorities, and unscheduled ones above them: the highest for messages up to
    /// the first cutoff, the next for those up to the second, the lowest for those above the last.
    pub fn new(scheduled: u8, cutoffs: Vec<Bytes>) -> Result<Self, PrioritiesError> {
        let count = usize::from(scheduled) + cutoffs.len() + 1;
        if scheduled == 0 {
            return Err(PrioritiesError::NoneScheduled);
        }
        if count > usize::from(LEVELS) {
            return Err(PrioritiesError::TooMany(count));
        }
        if let Some(pair) = cutoffs.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(PrioritiesError::Order(pair[0], pair[1]));
        }
        Ok(Priorities { scheduled, cutoffs })
    }

    /// How many of `levels` (2 to [`LEVELS`]) are for unscheduled packets: the share that unscheduled
    /// bytes have of all (Homa 3.4), but one at least of either kind. `sizes` are messages and how
    /// often there is one; the first `unscheduled` bytes of each are.
    pub fn unscheduled_levels(sizes: &[(Bytes, f64)], unscheduled: Bytes, levels: u8) -> u8 {
        let bytes = |most: Bytes| -> f64 {
            sizes.iter().map(|&(size, count)| size.min(most).get() as f64 * count).sum()
        };
        let all = bytes(Bytes::new(u64::MAX));
        let share = if all > 0.0 { bytes(unscheduled) / all } else { 0.0 };
        ((share * f64::from(levels)).round() as u8).clamp(1, levels.max(2) - 1)
    }

    /// The cutoffs between so many unscheduled priorities that each carries as many unscheduled bytes
    /// (Homa 3.4), as nearly as sizes allow: what is of one size is not parted. Where that is more than
    /// a share, the others share what is left, and there may be fewer of them.
    pub fn balanced_cutoffs(
        sizes: &[(Bytes, f64)],
        unscheduled: Bytes,
        priorities: u8,
    ) -> Vec<Bytes> {
        let mut sizes = sizes.to_vec();
        sizes.sort_by_key(|&(size, _)| size);
        let bytes = |of_size: &[(Bytes, f64)]| -> f64 {
            of_size.iter().map(|&(size, count)| size.min(unscheduled).get() as f64 * count).sum()
        };
        let mut rest = bytes(&sizes);
        let (mut cutoffs, mut level, mut left) = (Vec::new(), 0.0, priorities);
        let mut by_size = sizes.chunk_by(|a, b| a.0 == b.0).peekable();
        while let (Some(of_size), Some(next)) = (by_size.next(), by_size.peek()) {
            level += bytes(of_size);
            // Closer to a share than with the next size.
            let is_full = 2.0 * level + bytes(next) >= 2.0 * rest / f64::from(left);
            if left > 1 && is_full {
                cutoffs.push(of_size[0].0);
                rest -= level;
                (level, left) = (0.0, left - 1);
            }
        }
        cutoffs
    }

    /// How many scheduled ones there are, the lowest; as many messages are granted at a time
    /// (Homa 3.5).
    pub fn scheduled(&self) -> u8 {
        self.scheduled
    }

    /// Up to which size messages have which unscheduled priority, that of the highest first.
    pub fn cutoffs(&self) -> &[Bytes] {
        &self.cutoffs
    }

    /// How many there are in all.
    pub fn count(&self) -> u8 {
        self.scheduled + self.cutoffs.len() as u8 + 1
    }

    /// The highest, which control packets have (Homa 3.2).
    #[inline]
    pub fn control(&self) -> u8 {
        self.count() - 1
    }

    /// That of unscheduled packets of a message of that size.
    pub fn unscheduled(&self, bytes: Bytes) -> u8 {
        let shorter = self.cutoffs.partition_point(|&cutoff| cutoff < bytes) as u8;
        self.control() - shorter
    }
}
