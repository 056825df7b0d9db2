//! [`Audit`]: the log of changes to ports.

use super::{Call, RotatingFile};
use crate::core::{Output, Owner, Task};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Write};
use tracing_subscriber::fmt::{format::Writer, time::FormatTime, time::SystemTime};

/// The audit log: JSON lines, each with the time, the port, the configurations before and after,
/// and the reason. An order that writes is logged before it is given, so no port is written without
/// a line in the log.
///
/// A line that can't be written, for example to a full disk, goes to the log of the daemon.
#[derive(Debug)]
pub struct Audit {
    rotating: RotatingFile,
    file: File,
    length: u64,
    /// The length at which the next file begins.
    full: u64,
}

impl Audit {
    /// Opens the audit log, or creates it.
    ///
    /// # Errors
    ///
    /// Returns an error if the file, or another one beside it, can't be written.
    pub fn open(rotating: RotatingFile) -> io::Result<Self> {
        rotating.check()?;
        let (file, length) = rotating.open()?;
        let full = rotating.size().get();
        Ok(Audit { rotating, file, length, full })
    }

    /// Logs an output that concerns a written port. `name` is the port's name for people.
    pub(super) fn line(&mut self, output: &Output, name: &str) {
        let Some(mut line) = line(output) else { return };
        line["name"] = json!(name);
        self.write(line);
    }

    /// Logs an order of an operator to these ports: all if it is [`Reset`](OperatorOrder::Reset) or the list is empty.
    pub(super) fn operator_order(&mut self, owner: &Owner, order: OperatorOrder, ports: &[&str]) {
        self.write(match order {
            OperatorOrder::Reset => json!({ "event": order, "by": owner }),
            _ => json!({ "event": order, "by": owner, "ports": ports }),
        });
    }

    /// Logs that an order of an operator was refused and had no effect.
    pub(super) fn refused(&mut self, owner: &Owner, order: OperatorOrder, error: &str) {
        self.write(json!({ "event": "refused", "by": owner, "order": order, "error": error }));
    }

    fn write(&mut self, mut line: Value) {
        line["time"] = json!(now());
        self.make_room();
        let line = format!("{line}\n");
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => self.length += line.len() as u64,
            Err(error) => {
                tracing::error!(%error, line = line.trim_end(), "audit log lacks a line: write failed");
                // The part of the line that was written gets a line of its own.
                let _ = self.file.write_all(b"\n");
                // Lines that were not written must not count, as rotation would delete a file with content for an empty
                // one.
                self.length = self.file.metadata().map_or(self.length, |file| file.len());
            }
        }
    }

    /// Begins the next file if this one is full. If that fails, the file grows, since a complete log is worth more than
    /// disk space. The next attempt follows after some growth.
    fn make_room(&mut self) {
        if self.length < self.full {
            return;
        }
        if let Err(error) = self.begin_another() {
            tracing::error!(%error, "audit log grows: creating the next file failed");
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

/// An order of an operator for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OperatorOrder {
    /// Ports are drained.
    Drained,
    /// Ports are shared again.
    Shared,
    /// All clients are ended.
    Reset,
}

impl OperatorOrder {
    /// Returns the order of a call, if it is one.
    pub(super) fn of(call: &Call) -> Option<Self> {
        match call {
            Call::Drain(_, true) => Some(OperatorOrder::Drained),
            Call::Drain(_, false) => Some(OperatorOrder::Shared),
            Call::Reset => Some(OperatorOrder::Reset),
            Call::Hello | Call::Renew(_) | Call::Goodbye(_) | Call::Request(_) => None,
        }
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
                json!({ "event": "ordered", "order": order, "port": port, "after": after, "why": why }),
            )
        }
        Output::Written { order, port, before, after, why } => Some(json!({
            "event": "written", "order": order, "port": port, "before": before, "after": after, "why": why,
        })),
        Output::Overwritten { order, port, before, found } => Some(json!({
            "event": "overwritten", "order": order, "port": port, "before": before, "after": found,
        })),
        Output::Failed { order, port, error, why } => Some(
            json!({ "event": "failed", "order": order, "port": port, "error": error, "why": why }),
        ),
        _ => None,
    }
}

/// Returns the wall-clock time in the format of RFC 3339.
fn now() -> String {
    let mut text = String::new();
    match SystemTime.format_time(&mut Writer::new(&mut text)) {
        Ok(()) => text,
        Err(_) => "unknown".into(),
    }
}
