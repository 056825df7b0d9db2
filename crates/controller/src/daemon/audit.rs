//! [`Audit`]: a line for each change of a port.

use super::RotatingFile;
use crate::core::{Output, Task};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Write};
use tracing_subscriber::fmt::{format::Writer, time::FormatTime, time::SystemTime};

/// The trail of what was done to ports: JSON lines, each with time, port, before, after and why. An order to write
/// stands there before it is given, so that nothing is done of which no line tells.
///
/// A line that can't be written, as the disk is full, goes to the log.
#[derive(Debug)]
pub struct Audit {
    rotating: RotatingFile,
    file: File,
    length: u64,
    /// How long it is when another file is begun.
    full: u64,
}

impl Audit {
    /// Goes on in this file, or begins it.
    pub fn open(rotating: RotatingFile) -> io::Result<Self> {
        rotating.check()?;
        let (file, length) = rotating.open()?;
        let full = rotating.size().get();
        Ok(Audit { rotating, file, length, full })
    }

    /// Writes a line, if what was said is about a port that is written. `name` is what people call the port.
    pub(super) fn line(&mut self, output: &Output, name: &str) {
        let Some(mut line) = line(output) else { return };
        line["time"] = json!(now());
        line["name"] = json!(name);
        self.make_room();
        let line = format!("{line}\n");
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => self.length += line.len() as u64,
            Err(error) => {
                tracing::error!(%error, line = line.trim_end(), "the audit trail lacks a line");
                // What there is of it is a line of its own, if that can be.
                let _ = self.file.write_all(b"\n");
                // A file that is full of lines that were not written would push out one that has some.
                self.length = self.file.metadata().map_or(self.length, |file| file.len());
            }
        }
    }

    /// Begins another file if this one is full. If that can't be, it is gone on in, as a trail that lacks nothing is worth
    /// more than room; it is tried again when it has grown by a part.
    fn make_room(&mut self) {
        if self.length < self.full {
            return;
        }
        if let Err(error) = self.begin_another() {
            tracing::error!(%error, "the audit trail grows: another file can't be begun");
            self.full = self.length + self.rotating.size().get() / 16;
        }
    }

    fn begin_another(&mut self) -> io::Result<()> {
        self.rotating.archive()?;
        (self.file, self.length) = self.rotating.open()?;
        self.full = self.rotating.size().get();
        self.rotating.prune()
    }
}

fn line(output: &Output) -> Option<Value> {
    match output {
        Output::Order { task: Task::Read | Task::Check(_), .. } => None,
        Output::Order { order, port, task, why } => {
            let after = match task {
                Task::Share(config) => json!(config),
                _ => json!("as found"),
            };
            Some(
                json!({ "what": "ordered", "order": order, "port": port, "after": after, "why": why }),
            )
        }
        Output::Written { order, port, before, after, why } => Some(json!({
            "what": "written", "order": order, "port": port, "before": before, "after": after, "why": why,
        })),
        Output::Overwritten { order, port, before, found } => Some(json!({
            "what": "overwritten", "order": order, "port": port, "before": before, "after": found,
        })),
        Output::Failed { order, port, said, why } => Some(
            json!({ "what": "failed", "order": order, "port": port, "said": said, "why": why }),
        ),
        _ => None,
    }
}

/// The time by the wall clock, as RFC 3339 has it.
fn now() -> String {
    let mut text = String::new();
    match SystemTime.format_time(&mut Writer::new(&mut text)) {
        Ok(()) => text,
        Err(_) => "unknown".into(),
    }
}
