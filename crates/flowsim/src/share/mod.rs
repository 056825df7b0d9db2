//! Rates over a network: the equilibrium of all links' offers.
//!
//! **Offers.** A link serves ranks in order, the lowest first. Up to some rank all flows get all
//! that they can use. At that rank, the *cut*, flows want more than the remaining rate. The rate is
//! shared among the queues, and within each max-min fairly ([`fill`]). Later ranks get nothing. So
//! an offer consists of the cut and a level for each queue at the cut: the largest rate of a flow
//! in the queue. The *demand* of a flow at a link is the least that its cap and its other links
//! offer.
//!
//! **The allocation** is an equilibrium: each link's offer is the result of its scheduler for the
//! demands of its flows, and each flow has the least of its offers. Every flow then either has its
//! cap or has a bottleneck. A bottleneck is a full link (or a full reserved queue) at which no flow
//! of its queue and rank has more, no queue has more beyond its guarantee per weight, and later
//! ranks have nothing. No usable rate is left over, and no link exceeds its capacity.
//!
//! With one queue a link, these conditions have one solution: max-min fairness (Bertsekas and
//! Gallager, "Data Networks", 6.5.2), within a rank on the rest of earlier ranks. A level then
//! depends only on lower ones. Links are visited in order of their offers, the least first, and
//! converge exactly ([`settle`]); after a change only affected links are visited.
//!
//! With several queues a link there may be several solutions or a continuum, even with equal
//! weights, because each link has other flows. If two flows cross the same two links, one with
//! weights 3:1 and one with 1:3, any split between 3:1 and 1:3 is a solution. **The chosen
//! solution** is the one to which the links converge when they are visited one after another,
//! starting from the rates before the change. The link with the fewest visits comes first, then the
//! one with the least offer, then the lower number. From the third visit on, an oscillating level
//! moves only a part of the distance
//! of flows, but on the previous rates. Some networks, with long paths, few flows a queue and very
//! different weights, do not converge. After a hundred visits of a link the tolerated gap grows, no
//! capacity is exceeded, and the round is counted as *rough*. [`once`] is another allocation for
//! several queues, in one pass and without history. It guarantees less: each flow's part of each
//! link by weight, and that no usable rate is left over.
//!
//! **Units.** Rates are integers. A level is rounded down, so a full link may leave up to one unit
//! (2^-16 bits per second) per flow and queue.

mod bundle;
mod course;
mod fill;
mod growth;
mod ladder;
mod links;
mod members;
mod once;
mod settle;

pub use bundle::QueueChoice;
pub(crate) use bundle::{Bundle, Bundles, Hop};
pub(crate) use links::Sharing;
