//! [`MaxMin`].

use super::{Newcomer, Place, Policy};

/// Every flow has the same right to every link: max-min fairness (Bertsekas and Gallager, "Data
/// Networks", 6.5.2; Saba 2.5, "flow-level fairness"). What a transport like TCP would come to with
/// equal round trips, at once and without losing throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MaxMin;

impl Policy for MaxMin {
    fn place(&mut self, _flow: &Newcomer<'_>) -> Place {
        Place::COMMON
    }
}
