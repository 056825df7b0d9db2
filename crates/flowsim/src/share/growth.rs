//! [`Growth`]: rates that grow together until something stops each.

use super::Bundles;
use crate::rate::Rate;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bundles whose flows grow at one pace, each until a link of its path is full or it has what it can use: max-min
/// fairness in what is left of links (Bertsekas and Gallager, "Data Networks", 6.5.2). Its memory is used again.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth {
    growing: Vec<Growing>,
    /// By link: flows that grow, and the first of `crossings` there.
    links: Vec<(u64, u32)>,
    /// Bundles by links, as lists: place in `growing`, and the next one of the link.
    crossings: Vec<(u32, u32)>,
    /// Links with flows that grow.
    touched: Vec<u32>,
    /// By how much flows have grown when something ends that: a link, or behind all links a bundle of `growing`.
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
    /// The flows of a bundle grow by `most` at most.
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

    /// Lets all grow that were added, and says by how much each has. `rests` is what is left of each link; a link that
    /// has stopped a bundle has nothing left, though it be a unit a flow.
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
            // Others may have stopped at less than an even part.
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
