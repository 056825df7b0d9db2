//! [`Priorities`].

use super::{Newcomer, Placement, Policy};

/// Strict priority by class, the lowest first, and max-min fairness within a class: queues that a
/// switch empties in order (Saba 2.5, "priority-scheduled queues").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Priorities;

impl Policy for Priorities {
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        Placement { rank: u64::from(flow.class), ..Placement::COMMON }
    }
}
