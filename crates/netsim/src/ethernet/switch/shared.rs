//! A buffer shared by all ports: each queue may hold `alpha` times the free space
//! ([`SharedBuffer`]).

use super::super::classes::Classes;
use super::ingress::{Admission, Ingress};
use super::model::SharedBuffer;
use bandwise_units::Bytes;

/// State of a shared buffer.
#[derive(Debug)]
pub(super) struct Shared {
    alpha: f64,
    /// Size and used bytes of the pool.
    pool: u32,
    used: u32,
    reserve: u32,
    /// Headroom of a lossless class, by input.
    headrooms: Vec<u32>,
    slack: u32,
    /// Set of classes that flow control pauses.
    lossless: u8,
    /// Bytes held in all, and their peak.
    held: u32,
    pub peak: u32,
}

impl Shared {
    /// Creates the buffer of a switch with these headrooms of a lossless class, one for each port.
    ///
    /// # Panics
    ///
    /// If the reserved parts exceed the buffer.
    pub(super) fn new(model: &SharedBuffer, headrooms: &[Bytes], classes: &Classes) -> Self {
        let pool = model.without_reserved(headrooms.iter().copied(), classes);
        Shared {
            alpha: model.alpha,
            pool: pool.expect("the buffer is larger than its reserved parts").get() as u32,
            used: 0,
            reserve: model.reserve.get() as u32,
            headrooms: headrooms.iter().map(|headroom| headroom.get() as u32).collect(),
            slack: model.pfc.map_or(0, |pfc| pfc.slack.get() as u32),
            lossless: if model.pfc.is_some() { classes.lossless } else { 0 },
            held: 0,
            peak: 0,
        }
    }

    /// Returns whether flow control pauses a class, so that none of its packets is dropped.
    #[inline]
    fn is_lossless(&self, class: usize) -> bool {
        self.lossless >> class & 1 == 1
    }

    /// Returns the part of a queue's bytes that is in the pool.
    fn pool_share(&self, holds: u32) -> u32 {
        holds.saturating_sub(self.reserve)
    }

    /// Takes `bytes` from the pool for a queue that holds `before`, if the threshold allows it.
    #[inline]
    fn take(&mut self, before: u32, bytes: u32) -> bool {
        let (had, has) = (self.pool_share(before), self.pool_share(before + bytes));
        let free = self.pool - self.used;
        let fits = has == 0 || has - had <= free && f64::from(has) <= self.alpha * f64::from(free);
        if fits {
            self.used += has - had;
        }
        fits
    }

    /// Returns `bytes` of a queue that held `before` to the pool.
    #[inline]
    fn return_to_pool(&mut self, before: u32, bytes: u32) {
        self.used -= self.pool_share(before) - self.pool_share(before - bytes);
    }

    /// Admits a packet from an input for an output where `queued` bytes of its class wait.
    #[inline]
    pub(super) fn admit(
        &mut self,
        ingress: &mut Ingress,
        input: usize,
        class: usize,
        queued: u32,
        bytes: u32,
    ) -> Admission {
        let is_lossless = self.is_lossless(class);
        let before = if is_lossless { ingress.held - ingress.in_headroom } else { queued };
        let mut admission = Admission::Accept;
        if !self.take(before, bytes) {
            if !is_lossless || ingress.in_headroom + bytes > self.headrooms[input] {
                return Admission::Drop;
            }
            ingress.in_headroom += bytes;
            admission = Admission::AcceptAndPause;
        }
        ingress.add(bytes);
        self.held += bytes;
        self.peak = self.peak.max(self.held);
        admission
    }

    /// Replaces the last packet of an output where `queued` bytes of its class wait, of `old` bytes,
    /// by one of `new` bytes. Returns whether flow control does not pause the class and the new
    /// packet fits.
    pub(super) fn replace(&mut self, class: usize, queued: u32, old: u32, new: u32) -> bool {
        if self.is_lossless(class) {
            return false;
        }
        let used = self.used;
        self.return_to_pool(queued, old);
        let fits = self.take(queued - old, new);
        if fits {
            self.held = self.held - old + new;
            self.peak = self.peak.max(self.held);
        } else {
            self.used = used;
        }
        fits
    }

    /// Removes a packet from an output where `queued` bytes of its class waited, including it. The
    /// headroom is emptied first. Returns whether its sender may be resumed.
    #[inline]
    pub(super) fn release(
        &mut self,
        ingress: &mut Ingress,
        class: usize,
        queued: u32,
        bytes: u32,
    ) -> bool {
        self.held -= bytes;
        if !self.is_lossless(class) {
            self.return_to_pool(queued, bytes);
            ingress.held -= bytes;
            return false;
        }
        let of_headroom = bytes.min(ingress.in_headroom);
        self.return_to_pool(ingress.held - ingress.in_headroom, bytes - of_headroom);
        ingress.in_headroom -= of_headroom;
        ingress.held -= bytes;
        ingress.in_headroom == 0
            && self.is_below(self.pool_share(ingress.held), self.pool - self.used)
    }

    /// Returns whether a queue with `has` bytes of the pool is far enough below the threshold to be
    /// resumed. A queue without any always is.
    fn is_below(&self, has: u32, free: u32) -> bool {
        has == 0 || f64::from(has) + f64::from(self.slack) <= self.alpha * f64::from(free)
    }

    /// Returns whether the sender could be resumed if `remaining` bytes of an input remained forever,
    /// and all other packets left.
    pub(super) fn may_resume(&self, ingress: &Ingress, remaining: u32) -> bool {
        let leaves = ingress.held - remaining;
        if ingress.in_headroom > leaves {
            return false;
        }
        let has = self.pool_share(remaining);
        self.is_below(has, self.pool.saturating_sub(has))
    }
}
