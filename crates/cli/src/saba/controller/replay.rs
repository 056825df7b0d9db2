//! `bandwise saba replay`.

use crate::failure::Failure;
use crate::output::print;
use anyhow::{Context, anyhow};
use bandwise_controller::core::{Output, Task};
use bandwise_controller::daemon::{Replay, Replayed};
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
  # Several files, the oldest first
  bandwise saba replay recording.jsonl.part-* recording.jsonl")]
pub(crate) struct Flags {
    /// Recording, or its files, the oldest first
    #[arg(required = true)]
    recording: Vec<PathBuf>,
    /// Print each order to a port and each write
    #[arg(long)]
    orders: bool,
}

impl Flags {
    /// Replays the recordings and compares the outputs.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut replay = Replay::default();
        let mut differs = None;
        for path in &self.recording {
            let name = path.display().to_string();
            let done = self.replay(&mut replay, path, &name)?;
            let prefix = if self.recording.len() > 1 { format!("{name}: ") } else { String::new() };
            print(&format!("{prefix}{}\n", summary(&done)))?;
            differs = differs.or(done.differs.map(|line| format!("{name}:{line}")));
        }
        match differs {
            None => print("all outputs are those of the recording\n"),
            Some(at) => Err(anyhow!("{at}: the output differs from the recording").into()),
        }
    }

    fn replay(&self, replay: &mut Replay, path: &Path, name: &str) -> Result<Replayed, Failure> {
        let file = File::open(path).map_err(|error| {
            let message = format!("{name}: can't be read: {}", bandwise_input::reason(&error));
            Failure::usage(message, "the recording of a controller")
        })?;
        let mut failed = None;
        let replayed = replay.run(BufReader::new(file), |line, at, output| {
            let order = if self.orders { order_text(output) } else { None };
            if let Some(order) = order
                && failed.is_none()
            {
                let at = at.as_secs_f64();
                failed = print(&format!("{at:12.6} s  line {line}: {order}\n")).err();
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(replayed.with_context(|| name.to_owned())?)
    }
}

/// Returns the content of a file as one line.
fn summary(done: &Replayed) -> String {
    let Replayed { starts, parts, gaps, inputs, outputs, orders, cut, .. } = done;
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
