//! InfiniBand scenarios: what a document means and what it refuses, runs, congestion at hot spots.

mod builder;
mod hot_spots;
mod runs;
mod spec;
