//! `bandwise saba replay`.

use crate::answer::{Answer, Stats};
use crate::failure::{Failure, in_line};
use crate::output::Json;
use anyhow::anyhow;
use bandwise_controller::core::{Output, Task};
use bandwise_controller::daemon::{Replay, ReplayError, Replayed};
use serde::Serialize;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Flags of `bandwise saba replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A recording (`recording` in the settings) has all inputs of a controller and a checksum of its
outputs. If a replay has other outputs, the command prints the line and exits with 1. No port is
touched. Each file of a recording can be replayed alone; several, in order, are checked for gaps.

Examples:
  bandwise saba replay recording.jsonl
  bandwise saba replay recording.jsonl --orders
  bandwise saba replay recording.jsonl --json
  # Several files, the oldest first
  bandwise saba replay recording.jsonl.part-* recording.jsonl")]
pub(crate) struct Flags {
    /// Recording, or its files, the oldest first
    #[arg(required = true)]
    recording: Vec<PathBuf>,
    /// Print each order to a port and each write
    #[arg(long)]
    orders: bool,
    #[command(flatten)]
    json: Json,
}

/// The replayed files.
#[derive(Serialize)]
struct ReplayAnswer {
    schema: u32,
    files: Vec<FileRow>,
    /// The first line with other outputs than in the recording.
    differs: Option<Place>,
    stats: Stats,
}

/// A replayed file: the numbers of its entries, and orders if they are asked for.
#[derive(Serialize)]
struct FileRow {
    file: String,
    starts: u64,
    parts: u64,
    gaps: u64,
    inputs: u64,
    outputs: u64,
    orders: u64,
    cut: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<EventRow>>,
}

/// An order to a port, or its result.
#[derive(Serialize)]
struct EventRow {
    time_s: f64,
    line: u64,
    event: String,
}

/// A line of a file.
#[derive(Serialize)]
struct Place {
    file: String,
    line: u64,
}

impl Flags {
    /// Replays the recordings and compares the outputs.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let inputs: Vec<&Path> = self.recording.iter().map(PathBuf::as_path).collect();
        let outputs = self.json.clone().resolve(&inputs)?;
        let (mut replay, mut files, mut differs) = (Replay::default(), Vec::new(), None);
        for path in &self.recording {
            let (file, line) = self.replay(&mut replay, path)?;
            differs = differs.or(line.map(|line| Place { file: file.file.clone(), line }));
            files.push(file);
        }
        let answer = ReplayAnswer { schema: 1, files, differs, stats: Stats::HERE };
        outputs.answer(&answer)?;
        match answer.differs {
            None => Ok(()),
            Some(Place { file, line }) => {
                Err(anyhow!("{file}:{line}: the output differs from the recording").into())
            }
        }
    }

    /// Replays a file. Also returns the first line with other outputs.
    fn replay(&self, replay: &mut Replay, path: &Path) -> Result<(FileRow, Option<u64>), Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| {
            let message = format!("{name}: can't be read: {}", bandwise_input::reason(&error));
            Failure::usage(message, "the recording of a controller")
        })?;
        let mut events = self.orders.then(Vec::new);
        let replayed = replay.run(BufReader::new(file), |line, at, output| {
            if let Some(events) = &mut events
                && let Some(event) = order_text(output)
            {
                events.push(EventRow { time_s: at.as_secs_f64(), line, event });
            }
        });
        let Replayed { starts, parts, gaps, inputs, outputs, orders, cut, differs } =
            replayed.map_err(|error| unreadable(&name, error))?;
        let row = FileRow { file: name, starts, parts, gaps, inputs, outputs, orders, cut, events };
        Ok((row, differs))
    }
}

impl Answer for ReplayAnswer {
    fn text(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            for EventRow { time_s, line, event } in file.events.iter().flatten() {
                text += &format!("{time_s:12.6} s  line {line}: {event}\n");
            }
            if self.files.len() > 1 {
                text += &format!("{}: ", file.file);
            }
            text += &format!("{}\n", summary(file));
        }
        if self.differs.is_none() {
            text += "all outputs are those of the recording\n";
        }
        text
    }
}

/// Returns the failure for a file that can't be replayed.
fn unreadable(name: &str, error: ReplayError) -> Failure {
    match error {
        ReplayError::Io(error) => {
            Failure::Work(anyhow::Error::from(error).context(name.to_owned()))
        }
        ReplayError::Line { line, why } => {
            let allowed = "a recording as a controller of this version wrote it";
            in_line(name, line, why).allowed(allowed).into()
        }
    }
}

/// Returns the content of a file as one line.
fn summary(file: &FileRow) -> String {
    let FileRow { starts, parts, gaps, inputs, outputs, orders, cut, .. } = file;
    let mut text =
        format!("{starts} starts, {inputs} inputs, {outputs} outputs, {orders} orders to ports");
    if *parts > 0 {
        text.push_str("; continues another file");
    }
    if *gaps > 0 {
        text.push_str(" that is not the previous one: inputs between them are missing");
    }
    if *cut > 0 {
        text.push_str(&format!("; the last line of {cut} starts is incomplete"));
    }
    text
}

fn order_text(output: &Output) -> Option<String> {
    let port = |port: &bandwise_saba::controller::PortId| format!("port {}", port.0);
    match output {
        Output::Order { port: id, task, why, .. } => {
            let task = match task {
                Task::Read | Task::Check(_) => "is read".to_owned(),
                Task::Share(config) => format!("is to have weights {:?}", config.weights),
                Task::AsFound => "is to be as it was found".to_owned(),
            };
            Some(format!("{} {task} ({:?})", port(id), why.cause))
        }
        Output::Written { port: id, after, .. } => {
            Some(format!("{} has weights {:?}", port(id), after.weights))
        }
        Output::Overwritten { port: id, found, .. } => {
            Some(format!("{} was overwritten: weights {:?}", port(id), found.weights))
        }
        Output::RecordIgnored { error } => Some(format!("ignored record: {error}")),
        Output::Rerouted { connections } => Some(format!("{connections} connections moved")),
        Output::Failed { port: id, error, .. } => Some(format!("{} failed: {error}", port(id))),
        _ => None,
    }
}
