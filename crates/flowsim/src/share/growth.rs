//! [`Growth`]: rates that grow together until each is stopped.

use super::Bundles;
use crate::rate::Rate;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bundles whose flows grow at one pace, each until a link of its path is full or its demand is
/// met: max-min fairness in the rest of links (Bertsekas and Gallager, "Data Networks", 6.5.2). The
/// memory is reused.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth {
    growing: Vec<Growing>,
    /// The number of growing flows of each link, and the first of its `crossings`.
    links: Vec<(u64, u32)>,
    /// Bundles by link, as linked lists: index in `growing`, and next entry of the link.
    crossings: Vec<(u32, u32)>,
    /// The links with growing flows.
    touched: Vec<u32>,
    /// The growth at which a link or bundle stops: a link, or (numbered after links) a bundle of
    /// `growing`.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
}

#[derive(Debug, Clone, Copy)]
struct Growing {
    bundle: u32,
    flows: u32,
    is_done: bool,
}

/// The end of a list.
const NONE: u32 = u32::MAX;

impl Growth {
    /// Adds a bundle whose flows grow by at most `most`.
    pub(super) fn add(&mut self, bundles: &Bundles, bundle: u32, most: Rate, links: u32) {
        self.links.resize(links as usize, (0, NONE));
        let (place, flows) = (self.growing.len() as u32, bundles.get(bundle).flows);
        self.growing.push(Growing { bundle, flows, is_done: false });
        if most != Rate::UNLIMITED {
            self.ends.push(Reverse((most.0, links + place)));
        }
        for hop in bundles.hops(bundle) {
            let (growing, first) = &mut self.links[hop.link as usize];
            if *first == NONE {
                self.touched.push(hop.link);
            }
            *growing += u64::from(flows);
            let crossing = self.crossings.len() as u32;
            self.crossings.push((place, std::mem::replace(first, crossing)));
        }
    }

    /// Grows all added bundles, and reports the growth of each. `rests` is the rest of each link. A
    /// link that has stopped a bundle counts as exhausted, even if a unit per flow remains.
    pub(super) fn run(
        &mut self,
        bundles: &Bundles,
        rests: &mut [u64],
        mut tell: impl FnMut(u32, Rate),
    ) {
        let first_bundle = self.links.len() as u32;
        for &link in &self.touched {
            let even = rests[link as usize] / self.links[link as usize].0;
            self.ends.push(Reverse((even, link)));
        }
        while let Some(Reverse((grown, end))) = self.ends.pop() {
            if let Some(place) = end.checked_sub(first_bundle) {
                self.stop(bundles, rests, place, grown, &mut tell);
                continue;
            }
            let (flows, mut next) = self.links[end as usize];
            // Others may have stopped below an equal part.
            match rests[end as usize].checked_div(flows) {
                None => continue,
                Some(even) if even > grown => {
                    self.ends.push(Reverse((even, end)));
                    continue;
                }
                Some(_) => {}
            }
            while let Some(&(place, after)) = self.crossings.get(next as usize) {
                self.stop(bundles, rests, place, grown, &mut tell);
                next = after;
            }
            rests[end as usize] = 0;
        }
        for link in self.touched.drain(..) {
            self.links[link as usize] = (0, NONE);
        }
        self.growing.clear();
        self.crossings.clear();
    }

    fn stop(
        &mut self,
        bundles: &Bundles,
        rests: &mut [u64],
        place: u32,
        grown: u64,
        tell: &mut impl FnMut(u32, Rate),
    ) {
        let Growing { bundle, flows, is_done } = &mut self.growing[place as usize];
        if std::mem::replace(is_done, true) {
            return;
        }
        for hop in bundles.hops(*bundle) {
            rests[hop.link as usize] -= grown * u64::from(*flows);
            self.links[hop.link as usize].0 -= u64::from(*flows);
        }
        tell(*bundle, Rate(grown));
    }
}
