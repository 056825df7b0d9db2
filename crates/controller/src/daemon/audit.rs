//! [`Audit`]: a line for each change of a port.

use crate::core::{Output, Task};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tracing_subscriber::fmt::{format::Writer, time::FormatTime, time::SystemTime};

/// The trail of what was done to ports: JSON lines, each with time, port, before, after and why. An order to write
/// stands there before it is given, so that nothing is done of which no line tells.
///
/// A line that can't be written, as the disk is full, goes to the log.
#[derive(Debug)]
pub struct Audit(File);

impl Audit {
    /// Goes on in this file, or begins it.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Audit(continued(path)?))
    }

    /// Writes a line, if what was said is about a port that is written. `name` is what people call the port.
    pub(super) fn line(&mut self, output: &Output, name: &str) {
        let Some(mut line) = line(output) else { return };
        line["time"] = json!(now());
        line["name"] = json!(name);
        let line = line.to_string();
        if let Err(error) = self.0.write_all(format!("{line}\n").as_bytes()) {
            tracing::error!(%error, line, "the audit trail lacks a line");
            // What there is of it is a line of its own, if that can be.
            let _ = self.0.write_all(b"\n");
        }
    }
}

/// A file that lines are added to. What a program left that was killed is a line of its own.
pub(super) fn continued(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != [b'\n'] {
        file.write_all(b"\n")?;
    }
    Ok(file)
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
