//! [`WeightedQueues`].

use super::{Newcomer, Placement, Policy, QueueChoice};

/// Queues by class, with weights that the caller sets at each link
/// ([`Simulation::set_link`](crate::Simulation::set_link)), also during the simulation. Saba's
/// controller does so (Saba 4.3.2 and 4.3.3), with the priority level as class. A link that has not
/// been configured has one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WeightedQueues;

impl Policy for WeightedQueues {
    fn place(&mut self, _flow: &Newcomer<'_>) -> Placement {
        Placement { queue: QueueChoice::ByClass, ..Placement::COMMON }
    }
}
