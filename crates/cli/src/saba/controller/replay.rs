//! `bandwise saba replay`.

use crate::failure::Failure;
use crate::output::print;
use anyhow::{Context, anyhow};
use bandwise_controller::core::{Output, Task};
use bandwise_controller::daemon::Replay;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Flags of `bandwise saba replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A recording has all that a controller heard (`recording` in its settings), and a sum over what it said. Heard
again, it says the same, or it is told at which line not, with exit code 1. No port is touched.

Examples:
  bandwise saba replay recording.jsonl
  bandwise saba replay recording.jsonl --orders")]
pub struct Flags {
    /// A recording
    recording: PathBuf,
    /// Print each order to a port and each write
    #[arg(long)]
    orders: bool,
}

impl Flags {
    /// Hears it all again.
    pub fn run(self) -> Result<(), Failure> {
        let name = self.recording.display().to_string();
        let file = File::open(&self.recording).map_err(|error| {
            let message = format!("{name}: can't be read: {}", crate::files::reason(&error));
            Failure::usage(message, "the recording of a controller")
        })?;
        let mut failed = None;
        let replayed = Replay::run(BufReader::new(file), |line, at, output| {
            let told = if self.orders { told(output) } else { None };
            if let Some(told) = told
                && failed.is_none()
            {
                let at = at.as_secs_f64();
                failed = print(&format!("{at:12.6} s  line {line}: {told}\n")).err();
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let done = replayed.with_context(|| name.clone())?;
        let cut = match done.cut {
            0 => String::new(),
            starts => format!("; the last line of {starts} starts is cut"),
        };
        print(&format!(
            "{} starts, {} inputs, {} outputs, {} orders to ports{cut}\n",
            done.starts, done.inputs, done.outputs, done.orders
        ))?;
        match done.differs {
            None => print("the same was said as then\n"),
            Some(line) => Err(anyhow!("{name}:{line}: something else was said then").into()),
        }
    }
}

fn told(output: &Output) -> Option<String> {
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
        Output::Moved { connections } => Some(format!("{connections} connections moved")),
        Output::Failed { port: id, said, .. } => Some(format!("{} failed: {said}", port(id))),
        _ => None,
    }
}
