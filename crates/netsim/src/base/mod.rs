//! Building blocks of both fabrics: queues, arenas, sets in words, prefetching, ranges of numbers,
//! and the search for circular waits.

pub(crate) mod bits;
pub(crate) mod circular_wait;
pub(crate) mod prefetch;
pub(crate) mod range;
pub(crate) mod ring;
pub(crate) mod slab;
