//! [`Parsed`]: a scenario with the warnings about its document.

use bandwise_input::InputError;

/// A scenario that was read, with the warnings about its document.
#[derive(Debug, Clone)]
pub struct Parsed<S> {
    /// Scenario.
    pub scenario: S,
    /// Values that are allowed, and most likely not meant.
    pub warnings: Vec<InputError>,
}
