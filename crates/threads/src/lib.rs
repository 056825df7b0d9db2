//! Threads for pure crates: a [`Team`] runs the parts of a network in parallel, and [`in_order`]
//! runs jobs in parallel with ordered results.
//!
//! ```
//! let squares = bandwise_threads::in_order(2, &[1, 2, 3], |&n| Ok::<_, ()>(n * n));
//! assert_eq!(squares, Ok(vec![1, 4, 9]));
//! ```

mod barrier;
mod jobs;
mod team;

pub use jobs::in_order;
pub use team::Team;
