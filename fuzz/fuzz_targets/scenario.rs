//! Fuzzes the reader of InfiniBand scenarios: any bytes give a scenario or a printable error, never a panic. Invalid
//! UTF-8 is replaced by U+FFFD, as in the command.
#![no_main]

use bandwise_input::Source;
use bandwise_scenario::infiniband::InfinibandScenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Err(error) =
        InfinibandScenario::from_text(&Source::new("fuzz", &text), &[], bandwise_scenario::no_files)
    {
        assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
        assert!(!error.message().is_empty());
    }
});
