//! Rates over a network: the equilibrium of what all links give.
//!
//! **What a link gives.** A link serves ranks one after the other, the lowest first. Up to some rank
//! everybody gets what they can use; at that rank, the *cut*, flows want more than is left, and it is
//! shared among the queues and within each max-min fairly ([`fill`]); later ranks get nothing. So what
//! a link offers is described by the cut and, at the cut, a level for each queue: the most that a flow
//! in it gets. What a flow *can use* at a link is the least that its cap and its other links offer.
//!
//! **The allocation** is an equilibrium: every link's offer is what its scheduler gives when each flow
//! claims what it can use, and each flow has the least of its offers. Then every flow either has its cap
//! or has a bottleneck: a link that is full (or a reserved queue that is), where no flow of its queue and
//! rank has more, no queue has more beyond its guarantee per weight, and later ranks have nothing.
//! Nothing is left that a flow could use, and no link carries more than its capacity.
//!
//! With one queue a link, these conditions have one solution: max-min fairness (Bertsekas and Gallager,
//! "Data Networks", 6.5.2), within a rank on what those before leave. A level then depends on lower ones
//! alone, so links are asked in order of what they would offer, the least first, and come to rest exactly
//! ([`settle`]); after a change only those are asked that it matters to.
//!
//! With several queues a link (even of equal weights, as each link sees other flows) there may be several
//! solutions, or a continuum: of two flows that cross the same two links, one with weights 3:1 and one with
//! 1:3, any split between 3:1 and 1:3 is one. **Chosen** is the one at which the links come to rest when they
//! take turns, starting from the rates before the change: who was asked less often comes first, then who
//! would offer the least, then the lower number. From its third turn on a level that swings goes only a part
//! of its way ([`course`]). It is at rest within 2^-20 of a level. So the choice depends on no order of flows,
//! but on what was before. Some networks, with long paths, few flows a queue and very different weights, do not
//! come to rest; after a hundred turns of a link the gap is widened, no capacity is exceeded, and the round is
//! counted as *rough*. [`once`] is another allocation with several queues, in one pass and without a past, that
//! keeps less: each flow's part of each link by weight, and that somebody has what there is.
//!
//! **Units.** Rates are integers. A level is rounded down, so a full link may leave up to one unit (2^-16
//! bits per second) a flow and queue.

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
