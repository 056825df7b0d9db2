//! Any bytes as a scenario: a scenario or an error that can be printed, never a panic. Bytes that
//! are no UTF-8 come in as the program hands them over, with U+FFFD in their place.
#![no_main]

use bandwise_input::Source;
use bandwise_scenario::infiniband::InfinibandScenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = InfinibandScenario::from_text(&Source::new("fuzz", &text)) {
        assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
        assert!(!error.message().is_empty());
    }
});
