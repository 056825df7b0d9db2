//! A buffer that all ports share: each may have `alpha` times what is free
//! ([`SharedBuffer`](super::SharedBuffer)).

use super::super::classes::Classes;
use super::ingress::{Ingress, Verdict};
use super::model::SharedBuffer;

/// A shared buffer in use.
#[derive(Debug)]
pub(super) struct Shared {
    alpha: f64,
    /// What is shared, and what of that is taken.
    pool: u32,
    used: u32,
    reserve: u32,
    headroom: u32,
    slack: u32,
    /// Classes that flow control stops, a set.
    lossless: u8,
    /// All that is held, and the most that ever was.
    held: u32,
    pub peak: u32,
}

impl Shared {
    /// The buffer of a switch with so many ports.
    pub fn new(model: &SharedBuffer, ports: usize, classes: &Classes) -> Self {
        let pool = model.pool(ports, classes.count, classes.lossless);
        Shared {
            alpha: model.alpha,
            pool: pool.expect("a buffer holds what is set aside of it").get() as u32,
            used: 0,
            reserve: model.reserve.get() as u32,
            headroom: model.pfc.map_or(0, |pfc| pfc.headroom.get() as u32),
            slack: model.pfc.map_or(0, |pfc| pfc.slack.get() as u32),
            lossless: if model.pfc.is_some() { classes.lossless } else { 0 },
            held: 0,
            peak: 0,
        }
    }

    /// Whether flow control stops a class, so that nothing of it is dropped.
    #[inline]
    fn stops(&self, class: usize) -> bool {
        self.lossless >> class & 1 == 1
    }

    /// Of what a place holds, that which is not its own.
    fn of_pool(&self, holds: u32) -> u32 {
        holds.saturating_sub(self.reserve)
    }

    /// Whether a place that holds `before` may hold `bytes` more; takes them from the pool.
    #[inline]
    fn take(&mut self, before: u32, bytes: u32) -> bool {
        let (had, has) = (self.of_pool(before), self.of_pool(before + bytes));
        let free = self.pool - self.used;
        let fits = has == 0 || has - had <= free && f64::from(has) <= self.alpha * f64::from(free);
        if fits {
            self.used += has - had;
        }
        fits
    }

    /// A place that held `before` gives `bytes` back.
    #[inline]
    fn give(&mut self, before: u32, bytes: u32) {
        self.used -= self.of_pool(before) - self.of_pool(before - bytes);
    }

    /// Whether a packet is taken, for an output where `queued` bytes of its class wait.
    #[inline]
    pub fn admit(
        &mut self,
        ingress: &mut Ingress,
        class: usize,
        queued: u32,
        bytes: u32,
    ) -> Verdict {
        let stops = self.stops(class);
        let before = if stops { ingress.held - ingress.beyond } else { queued };
        let mut verdict = Verdict::Keep;
        if !self.take(before, bytes) {
            if !stops || ingress.beyond + bytes > self.headroom {
                return Verdict::Drop;
            }
            ingress.beyond += bytes;
            verdict = Verdict::KeepAndStop;
        }
        ingress.keep(bytes);
        self.held += bytes;
        self.peak = self.peak.max(self.held);
        verdict
    }

    /// A packet leaves an output where, with it, `queued` bytes of its class waited. The headroom is
    /// emptied first. Whether its sender may go on.
    #[inline]
    pub fn release(
        &mut self,
        ingress: &mut Ingress,
        class: usize,
        queued: u32,
        bytes: u32,
    ) -> bool {
        self.held -= bytes;
        if !self.stops(class) {
            self.give(queued, bytes);
            ingress.held -= bytes;
            return false;
        }
        let of_headroom = bytes.min(ingress.beyond);
        self.give(ingress.held - ingress.beyond, bytes - of_headroom);
        ingress.beyond -= of_headroom;
        ingress.held -= bytes;
        ingress.beyond == 0 && self.is_below(self.of_pool(ingress.held), self.pool - self.used)
    }

    /// Whether what a place has of the pool is so far below the threshold that it may go on. Where
    /// it has nothing, it may always.
    fn is_below(&self, has: u32, free: u32) -> bool {
        has == 0 || f64::from(has) + f64::from(self.slack) <= self.alpha * f64::from(free)
    }

    /// Whether the sender may go on some day if that much of an input's stays for ever, and
    /// everything else leaves.
    pub fn may_go(&self, ingress: &Ingress, stays: u32) -> bool {
        let leaves = ingress.held - stays;
        if ingress.beyond > leaves {
            return false;
        }
        let has = self.of_pool(stays);
        self.is_below(has, self.pool.saturating_sub(has))
    }
}
