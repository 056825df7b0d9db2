//! [`MaxMin`].

use super::{Newcomer, Placement, Policy};

/// Max-min fairness among all flows (Bertsekas and Gallager, "Data Networks", 6.5.2; Saba 2.5,
/// "flow-level fairness"). A transport like TCP converges to it with equal round trips; here
/// convergence is immediate and lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MaxMin;

impl Policy for MaxMin {
    fn place(&mut self, _flow: &Newcomer<'_>) -> Placement {
        Placement::COMMON
    }
}
