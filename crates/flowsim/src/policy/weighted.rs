//! [`WeightedQueues`].

use super::{Newcomer, Place, Policy, QueueChoice};

/// Queues by class, with the weights that somebody else sets at each link
/// ([`Simulation::set_link`](crate::Simulation::set_link)), also while the simulation runs: what Saba's
/// controller does (Saba 4.3.2 and 4.3.3), where the class is the priority level. A link that nothing
/// was set for has one queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WeightedQueues;

impl Policy for WeightedQueues {
    fn place(&mut self, _flow: &Newcomer<'_>) -> Place {
        Place { queue: QueueChoice::ByClass, ..Place::COMMON }
    }
}
