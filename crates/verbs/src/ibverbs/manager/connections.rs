//! [`Connections`]: the connections of all queue pairs of a side.

use super::channel::{Channel, Id};
use std::time::Duration;

/// The time that both sides have to connect all queue pairs.
pub(super) const PATIENCE: Duration = Duration::from_secs(4);

/// Established connections. They end when this value is dropped.
pub struct Connections {
    // The ids are in the order in which they may be dropped.
    pub(super) _ids: Vec<Id>,
    pub(super) _channel: Channel,
}
