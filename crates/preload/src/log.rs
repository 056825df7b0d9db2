//! [`Log`]: the messages of the library, for people.

use std::io::Write;
use std::path::PathBuf;

/// The application's name, and the log file if the environment names one.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) name: String,
    pub(crate) path: Option<PathBuf>,
}

impl Log {
    /// Appends a line. The file is opened each time, since the program may close descriptors that it did not open.
    pub(crate) fn write(&self, text: &str) {
        let Some(path) = &self.path else { return };
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        if let Ok(mut file) = file {
            let line = format!("{} ({}): {text}\n", self.name, std::process::id());
            // A failure can't be reported to anyone.
            let _ = file.write_all(line.as_bytes());
        }
    }
}
