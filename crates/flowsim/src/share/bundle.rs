//! [`Bundles`]: flows with the same properties at all links, which therefore have one rate.

use crate::rate::Rate;

/// A link of a bundle's path, and the bundle's place at the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) link: u32,
    pub(crate) queue: u32,
    /// The index among the link's members, unless members before it were added or removed since.
    pub(crate) place: u32,
}

impl Hop {
    /// Returns a hop of a bundle that has not entered its link.
    pub(crate) const fn new(link: u32) -> Hop {
        Hop { link, queue: 0, place: 0 }
    }
}

/// The choice of a flow's queue at each link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueChoice {
    /// A single queue for all.
    One,
    /// The queue of its class, by the table of each link.
    ByClass,
    /// This queue at every link, all with the same weight.
    Own(u32),
}

/// Flows with the same path, class, limit and place.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    hops_at: u32,
    hops: u16,
    /// The number of hops for which there is room.
    room: u16,
    pub(crate) class: u8,
    pub(crate) queue: QueueChoice,
    /// The number of flows. A bundle without flows can be reused.
    pub(crate) flows: u32,
    /// The rank. Lower ranks are served first.
    pub(crate) rank: u64,
    pub(crate) cap: Rate,
    /// The rate of each flow.
    pub(crate) rate: Rate,
    pub(crate) is_touched: bool,
    /// True if flows were added or removed in this round.
    pub(crate) has_changed: bool,
    /// True if flows were added or removed without an update of the links.
    pub(crate) has_pending_change: bool,
    /// True if some flows were added.
    pub(crate) has_more: bool,
    /// True if the bundle has flows and had none before the update. It has no rate yet.
    pub(crate) is_fresh: bool,
    /// True if the bundle is removed.
    pub(crate) is_gone: bool,
}

/// All bundles, in reusable slots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bundles {
    all: Vec<Bundle>,
    free: Vec<u32>,
    /// Slots that are free after the computation of rates. Until then volumes are counted in them.
    gone: Vec<u32>,
    hops: Vec<Hop>,
}

impl Bundles {
    pub(crate) fn len(&self) -> u32 {
        self.all.len() as u32
    }

    #[inline]
    pub(crate) fn get(&self, bundle: u32) -> &Bundle {
        &self.all[bundle as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, bundle: u32) -> &mut Bundle {
        &mut self.all[bundle as usize]
    }

    #[inline]
    pub(crate) fn hops(&self, bundle: u32) -> &[Hop] {
        let Bundle { hops_at, hops, .. } = self.all[bundle as usize];
        &self.hops[hops_at as usize..hops_at as usize + usize::from(hops)]
    }

    #[inline]
    pub(crate) fn hops_mut(&mut self, bundle: u32) -> &mut [Hop] {
        let Bundle { hops_at, hops, .. } = self.all[bundle as usize];
        &mut self.hops[hops_at as usize..hops_at as usize + usize::from(hops)]
    }

    /// Adds a bundle without flows, over these hops.
    pub(crate) fn add(&mut self, like: Bundle, hops: impl ExactSizeIterator<Item = Hop>) -> u32 {
        let len = hops.len();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.all.push(Bundle { hops_at: 0, hops: 0, room: 0, ..like.clone() });
            self.all.len() as u32 - 1
        });
        let bundle = &mut self.all[slot as usize];
        if usize::from(bundle.room) < len {
            // The old room is lost. Paths are short, so a slot moves a few times at most.
            (bundle.hops_at, bundle.room) = (self.hops.len() as u32, len as u16);
            self.hops.resize(self.hops.len() + len, Hop::new(0));
        }
        let Bundle { hops_at, room, .. } = *bundle;
        *bundle = Bundle { hops_at, room, hops: len as u16, ..like };
        for (to, hop) in self.hops[hops_at as usize..].iter_mut().zip(hops) {
            *to = hop;
        }
        slot
    }

    /// Removes a bundle. Its slot can be reused after the computation of rates.
    pub(crate) fn remove(&mut self, bundle: u32) {
        self.gone.push(bundle);
    }

    /// Frees the removed slots after a computation of rates.
    pub(crate) fn release(&mut self) {
        self.free.append(&mut self.gone);
    }
}

impl Bundle {
    /// Returns a bundle without flows and hops.
    pub(crate) fn new(class: u8, queue: QueueChoice, rank: u64, cap: Rate) -> Bundle {
        Bundle {
            hops_at: 0,
            hops: 0,
            room: 0,
            class,
            queue,
            flows: 0,
            rank,
            cap,
            rate: Rate::ZERO,
            is_touched: false,
            has_changed: false,
            has_pending_change: false,
            has_more: false,
            is_fresh: false,
            is_gone: false,
        }
    }
}
