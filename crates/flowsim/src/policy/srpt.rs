//! [`Srpt`].

use super::{Moves, Newcomer, Place, Policy, QueueChoice, Scene};

/// Shortest remaining processing time: at every link the flow with the fewest bytes left goes first, as
/// pFabric's switches do with each packet (Alizadeh and others, "pFabric: Minimal Near-Optimal Datacenter
/// Transport", SIGCOMM 2013, 3; Saba 2.5). On one link no order gives a lower mean completion time.
///
/// A flow has its place by what it has left when it starts. Those that are being served where a new one
/// comes by are placed anew by what they have left then. Two flows that are both being served, at
/// different rates, and that would come to change places keep them until the next flow starts there. Of
/// equal ones the flow that is being served goes on, and those that have not begun share, so that the order
/// of starts at one instant means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Srpt;

impl Policy for Srpt {
    // Ranks are twice the bytes, plus one if none has been sent.
    fn place(&mut self, flow: &Newcomer<'_>) -> Place {
        Place { rank: 2 * flow.left.get() + 1, queue: QueueChoice::One, kin: None, until: None }
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
