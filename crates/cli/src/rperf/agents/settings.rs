//! [`Settings`]: a plan and its origin.

use crate::files::Text;
use bandwise_agents::Plan;

/// A plan and its origin.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) plan: Plan,
    pub(super) text: Text,
    /// The command line.
    pub(super) command: String,
}
