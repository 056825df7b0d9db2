//! [`Srpt`].

use super::{Moves, Newcomer, Placement, Policy, QueueChoice, Scene};

/// Shortest remaining processing time: every link serves the flow with the fewest bytes left first,
/// as pFabric's switches do for each packet (Alizadeh et al., "pFabric: Minimal Near-Optimal
/// Datacenter Transport", SIGCOMM 2013, 3; Saba 2.5). On one link no order has a lower mean
/// completion time.
///
/// A flow's rank is its remainder at its start. When a flow starts, the flows that are served on
/// its links are ranked again by their present remainders. Two served flows with different rates
/// whose order of remainders changes keep their ranks until the next start there. Of equal flows
/// the served one continues, and those that have not begun share. So the order of starts at one
/// instant has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Srpt;

impl Policy for Srpt {
    // Ranks are twice the bytes, plus one if none has been sent.
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        Placement { rank: 2 * flow.left.get() + 1, queue: QueueChoice::One, kin: None, until: None }
    }

    fn arrange(&mut self, scene: &Scene<'_>, moves: &mut Moves) {
        for flow in scene.started() {
            for other in flow.path().flat_map(|link| scene.served(link)) {
                let has_begun = other.left() < other.bytes;
                if has_begun && 2 * other.left().get() < other.rank() {
                    moves.flow(&other, 2 * other.left().get());
                }
            }
        }
    }
}
