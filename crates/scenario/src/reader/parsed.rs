//! [`Parsed`]: a scenario with the warnings about its document.

use bandwise_input::InputError;

/// A scenario, with the warnings about its document.
#[derive(Debug, Clone)]
pub struct Parsed<S> {
    /// Scenario.
    pub scenario: S,
    /// Values that are allowed and most likely mistakes.
    pub warnings: Vec<InputError>,
}
