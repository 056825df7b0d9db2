//! Fuzzes the reader of InfiniBand scenarios, of the fabric and of OpenSM's configuration that they name: any bytes give
//! a scenario or a printable error, never a panic. What follows the first line `=== file` is the text of all named
//! files. Invalid UTF-8 is replaced by U+FFFD, as in the command.
#![no_main]

use bandwise_input::Source;
use bandwise_scenario::File;
use bandwise_scenario::infiniband::InfinibandScenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let all = String::from_utf8_lossy(data);
    let (text, file) = all.split_once("\n=== file\n").unwrap_or((&all, ""));
    let file = |name: &str| Ok(File { name: name.into(), text: file.into() });
    if let Err(error) = InfinibandScenario::from_text(&Source::new("fuzz", text), &[], file) {
        assert!(error.line() <= all.lines().count().max(1) + 1, "{error}");
        assert!(!error.message().is_empty());
    }
});
