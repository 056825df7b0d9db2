//! The named random streams of [`bandwise_random`], where users of the simulator look for them.

pub use bandwise_random::Stream;
