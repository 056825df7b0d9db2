//! [`Sabotage`]: broken parts around the core, which the checker has to find.

use bandwise_controller::core::Input;
use std::time::Duration;

/// A broken part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sabotage {
    /// The core is told that each write is stored before etcd has it.
    AnswersFirst,
    /// etcd carries out transactions whose condition does not hold.
    IgnoresConditions,
    /// The core is told that it holds its groups forever.
    HoldsForever,
    /// A check of a port finds no difference.
    OverlooksDifferences,
    /// The core is not told of the writes of others.
    LearnsNothing,
}

impl Sabotage {
    pub(super) const ALL: [Sabotage; 5] = [
        Sabotage::AnswersFirst,
        Sabotage::IgnoresConditions,
        Sabotage::HoldsForever,
        Sabotage::OverlooksDifferences,
        Sabotage::LearnsNothing,
    ];

    /// Changes an input of a core.
    pub(super) fn of_input(of: Option<Self>, input: Input) -> Input {
        match (of, input) {
            (Some(Sabotage::HoldsForever), Input::GroupsHeld { groups, given_back, .. }) => {
                let until = Duration::from_secs(1_000_000);
                Input::GroupsHeld { groups, given_back, until }
            }
            (Some(Sabotage::LearnsNothing), Input::StoredByOther { revision, .. }) => {
                Input::StoredByOther { revision, changes: Vec::new() }
            }
            (_, input) => input,
        }
    }
}
