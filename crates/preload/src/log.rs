//! [`Log`]: what people are told of an application that says nothing itself.

use std::io::Write;
use std::path::PathBuf;

/// A file, if the environment names one, and by which name the application stands there.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) name: String,
    pub(crate) path: Option<PathBuf>,
}

impl Log {
    /// Appends a line. The file is opened for each: the program may have closed what it did not open.
    pub(crate) fn say(&self, text: &str) {
        let Some(path) = &self.path else { return };
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        if let Ok(mut file) = file {
            let line = format!("{} ({}): {text}\n", self.name, std::process::id());
            // Who can't write it has nobody to tell that.
            let _ = file.write_all(line.as_bytes());
        }
    }
}
