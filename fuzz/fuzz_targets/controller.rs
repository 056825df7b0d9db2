//! Fuzzes the readers of a controller's settings and recordings: any bytes are read, or refused with the place of the
//! mistake.
#![no_main]

use bandwise_controller::daemon::Replay;
use bandwise_controller::settings::Settings;
use bandwise_input::Source;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = Settings::read(&Source::new("fuzz", &text), Path::new("/")) {
        assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
        assert!(!error.message().is_empty());
    }
    if let Err(error) = Replay::default().run(data, |_, _, _| ()) {
        assert!(!error.to_string().is_empty());
    }
});
