//! [`Priorities`]: the use of network priorities (Homa 3.4).

use bandwise_units::Bytes;

/// Largest number of priorities of a switch: those of IEEE 802.1Q.
pub const LEVELS: u8 = 8;

/// Assignment of the switches' priorities, 0 being the lowest. Scheduled packets use the low ones
/// and unscheduled packets the ones above, short messages the highest. Control packets also use the
/// highest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priorities {
    scheduled: u8,
    cutoffs: Vec<Bytes>,
}

/// Reason why priorities are unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PrioritiesError {
    /// No priority is left for scheduled packets.
    #[error("no priority is left for scheduled packets")]
    NoneScheduled,
    /// There are more priorities than switches have.
    #[error("{0} priorities: there are 8 at most")]
    TooMany(usize),
    /// Cutoffs are not ascending.
    #[error("cutoffs are in the wrong order: {1} after {0}")]
    Order(Bytes, Bytes),
}

impl Priorities {
    /// Creates `scheduled` priorities for scheduled packets, and unscheduled ones above them.
    /// Messages up to the first cutoff have the highest, those up to the second the next, and those
    /// above the last cutoff the lowest.
    ///
    /// # Errors
    ///
    /// No scheduled priority, more than [`LEVELS`] priorities, or cutoffs that are not ascending.
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

    /// Returns how many of `levels` (2 to [`LEVELS`]) are for unscheduled packets: in proportion to
    /// the unscheduled bytes (Homa 3.4), at least one for either kind. `sizes` has message sizes
    /// with their frequencies; the first `unscheduled` bytes of each message are unscheduled.
    pub fn unscheduled_levels(sizes: &[(Bytes, f64)], unscheduled: Bytes, levels: u8) -> u8 {
        let bytes = |most: Bytes| -> f64 {
            sizes.iter().map(|&(size, count)| size.min(most).get() as f64 * count).sum()
        };
        let all = bytes(Bytes::new(u64::MAX));
        let share = if all > 0.0 { bytes(unscheduled) / all } else { 0.0 };
        ((share * f64::from(levels)).round() as u8).clamp(1, levels.max(2) - 1)
    }

    /// Returns the cutoffs with which each of `priorities` unscheduled priorities carries about the
    /// same number of unscheduled bytes (Homa 3.4). Messages of one size are never split. If one
    /// size exceeds a share, the others share the rest, possibly with fewer priorities.
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
            // Closer to a share than with the next size included.
            let is_full = 2.0 * level + bytes(next) >= 2.0 * rest / f64::from(left);
            if left > 1 && is_full {
                cutoffs.push(of_size[0].0);
                rest -= level;
                (level, left) = (0.0, left - 1);
            }
        }
        cutoffs
    }

    /// Returns the number of scheduled priorities, which are the lowest. As many messages are
    /// granted at a time (Homa 3.5).
    pub fn scheduled(&self) -> u8 {
        self.scheduled
    }

    /// Returns the largest message sizes of the unscheduled priorities, highest priority first.
    pub fn cutoffs(&self) -> &[Bytes] {
        &self.cutoffs
    }

    /// Returns the total number of priorities.
    pub fn count(&self) -> u8 {
        self.scheduled + self.cutoffs.len() as u8 + 1
    }

    /// Returns the highest priority, which control packets have (Homa 3.2).
    #[inline]
    pub fn control(&self) -> u8 {
        self.count() - 1
    }

    /// Returns the priority of the unscheduled packets of a message of that size.
    pub fn unscheduled(&self, bytes: Bytes) -> u8 {
        let shorter = self.cutoffs.partition_point(|&cutoff| cutoff < bytes) as u8;
        self.control() - shorter
    }
}
