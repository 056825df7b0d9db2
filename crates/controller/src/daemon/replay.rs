//! [`Replay`]: the replay of recordings.

use super::recording::{Beginning, Entry, Lines, ReplayError, Sum};
use crate::core::{Core, Output};
use std::io::BufRead;
use std::time::Duration;

/// The statistics of a replayed file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The number of starts of the daemon.
    pub starts: u64,
    /// The number of parts that continue another file.
    pub parts: u64,
    /// The number of parts whose preceding inputs are missing.
    pub gaps: u64,
    /// The number of inputs.
    pub inputs: u64,
    /// The number of outputs.
    pub outputs: u64,
    /// The number of orders to ports.
    pub orders: u64,
    /// The number of starts with a truncated last line, as after a kill of the daemon.
    pub cut: u64,
    /// The first line with other outputs than in the recording.
    pub differs: Option<u64>,
}

/// A core that replays recordings, one after another.
#[derive(Debug, Default)]
pub struct Replay {
    core: Option<Core>,
}

impl Replay {
    /// Replays a file. `each` gets every output with its line's number and time.
    ///
    /// # Errors
    ///
    /// Returns a [`ReplayError`] if the file can't be read or a line is invalid.
    pub fn run(
        &mut self,
        from: impl BufRead,
        mut report: impl FnMut(u64, Duration, &Output),
    ) -> Result<Replayed, ReplayError> {
        let mut done = Replayed::default();
        let mut lines = Lines::new(from);
        while let Some(entry) = lines.next()? {
            let line = match entry {
                Entry::Beginning(beginning) => {
                    self.begin(&beginning, &mut done).map_err(|why| lines.wrong(why))?;
                    continue;
                }
                Entry::Input(line) => line,
            };
            let core = self.core.as_mut().expect("an initial state comes before inputs");
            let (at, mut sum) = (Duration::from_nanos(line.at_ns), Sum::new());
            done.inputs += 1;
            core.handle(at, line.input);
            while let Some(output) = core.poll() {
                sum.add(&output);
                done.outputs += 1;
                done.orders += u64::from(matches!(output, Output::Order { .. }));
                report(lines.number, at, &output);
            }
            if sum.text() != line.outputs && done.differs.is_none() {
                done.differs = Some(lines.number);
            }
        }
        done.cut = lines.cut;
        match lines.is_begun {
            true => Ok(done),
            false => Err(lines.wrong("the file ends before the initial state of the core")),
        }
    }

    fn begin(&mut self, beginning: &Beginning, done: &mut Replayed) -> Result<(), String> {
        match &beginning.snapshot {
            None => done.starts += 1,
            Some(snapshot) => {
                done.parts += 1;
                let before = self.core.as_ref().map(Core::snapshot);
                done.gaps += u64::from(before.is_some_and(|before| before != **snapshot));
            }
        }
        self.core = Some(beginning.core()?);
        Ok(())
    }
}
