//! [`Bundles`]: flows that are treated alike everywhere, and so have one rate.

use crate::rate::Rate;

/// A link that a bundle crosses, and where it stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) link: u32,
    pub(crate) queue: u32,
    /// Its place among the link's members, if none has come or gone before it since.
    pub(crate) place: u32,
}

impl Hop {
    /// One of a bundle that no link knows of yet.
    pub(crate) const fn new(link: u32) -> Hop {
        Hop { link, queue: 0, place: 0 }
    }
}

/// How the queue of a flow is found at each link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueChoice {
    /// There is one queue for all.
    One,
    /// By its class, in the table of each link.
    ByClass,
    /// This one at every link, all with the same weight.
    Own(u32),
}

/// Flows with the same path, class, limit and place.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    hops_at: u32,
    hops: u16,
    /// How many hops there is room for.
    room: u16,
    pub(crate) class: u8,
    pub(crate) queue: QueueChoice,
    /// How many flows; a bundle without is free to be used again.
    pub(crate) flows: u32,
    /// Lower ones are served first.
    pub(crate) rank: u64,
    pub(crate) cap: Rate,
    /// What each flow has.
    pub(crate) rate: Rate,
    pub(crate) is_touched: bool,
    /// Flows have come or gone in this round.
    pub(crate) has_changed: bool,
    /// Flows have come or gone of which links have not been told.
    pub(crate) is_untold: bool,
    /// Then: some have come.
    pub(crate) has_more: bool,
    /// Then: it has flows, and had none before or in between. It has no rate yet.
    pub(crate) is_fresh: bool,
    /// It is to be used no more.
    pub(crate) is_gone: bool,
}

/// All bundles, in slots that are used again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bundles {
    all: Vec<Bundle>,
    free: Vec<u32>,
    /// Slots that are free when rates have been worked out: until then it counts what was carried in them.
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

    /// A bundle without flows yet, over these hops.
    pub(crate) fn add(&mut self, like: Bundle, hops: impl ExactSizeIterator<Item = Hop>) -> u32 {
        let len = hops.len();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.all.push(Bundle { hops_at: 0, hops: 0, room: 0, ..like.clone() });
            self.all.len() as u32 - 1
        });
        let bundle = &mut self.all[slot as usize];
        if usize::from(bundle.room) < len {
            // The old place is lost; a slot is moved a few times at most, as paths are short.
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

    /// Its slot may be used again once rates have been worked out.
    pub(crate) fn remove(&mut self, bundle: u32) {
        self.gone.push(bundle);
    }

    /// Rates have been worked out.
    pub(crate) fn release(&mut self) {
        self.free.append(&mut self.gone);
    }
}

impl Bundle {
    /// What a bundle is before it has flows and hops.
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
            is_untold: false,
            has_more: false,
            is_fresh: false,
            is_gone: false,
        }
    }
}
