//! [`Record`]: a recording that survives write errors.

use super::EventLoop;
use crate::core::{Input, Snapshot};
use crate::daemon::Recording;
use crate::daemon::recording::Sum;
use std::io;
use std::time::Duration;

/// The delay before a failed recording continues in another file.
const AGAIN: Duration = Duration::from_secs(60);

/// A recording that survives write errors.
#[derive(Debug)]
pub(super) struct Record {
    recording: Recording,
    /// The time at which the recording continues in another file, after a write error.
    again: Option<Duration>,
}

/// An input that is being recorded, and the hash of its outputs so far.
pub(super) struct Line {
    input: Input,
    pub(super) outputs: Sum,
}

impl Record {
    pub(super) fn new(mut recording: Recording) -> Self {
        let fault = recording.take_fault();
        let mut record = Record { recording, again: None };
        fault.inspect(|error| record.ends(Duration::ZERO, error));
        record
    }

    /// Returns a line for an input, unless the recording is interrupted.
    pub(super) fn line(&self, input: &Input) -> Option<Line> {
        self.again.is_none().then(|| Line { input: input.clone(), outputs: Sum::new() })
    }

    /// Records a line. After a write error, the recording continues in another file as soon as that
    /// is possible. So lost inputs are always at the end of a file.
    fn write_down(
        &mut self,
        now: Duration,
        line: Option<Line>,
        snapshot: impl FnOnce() -> Snapshot,
    ) {
        let begins_again = self.again.is_some_and(|again| again <= now);
        let written = match line {
            Some(Line { input, outputs }) => self.recording.record(now, input, outputs),
            None => Ok(()),
        };
        let begins = begins_again || (self.again.is_none() && self.recording.is_full());
        let written = written.and_then(|()| match begins {
            true => self.recording.begin_another(snapshot()),
            false => Ok(()),
        });
        match written {
            Ok(()) if begins_again => {
                tracing::info!("continued recording in another file");
                self.again = None;
            }
            Ok(()) => {}
            Err(error) => self.ends(now, &error),
        }
    }

    fn flush(&mut self, now: Duration) {
        if self.again.is_none()
            && let Err(error) = self.recording.flush()
        {
            self.ends(now, &error);
        }
    }

    fn ends(&mut self, now: Duration, error: &io::Error) {
        let again_s = AGAIN.as_secs();
        tracing::error!(%error, again_s, "interrupted recording");
        self.again = Some(now + AGAIN);
    }
}

impl<S> EventLoop<S> {
    pub(super) fn write_down(&mut self, now: Duration, line: Option<Line>) {
        if let Some(record) = &mut self.record {
            record.write_down(now, line, || self.core.snapshot());
        }
    }

    pub(super) fn flush_record(&mut self) {
        if let Some(record) = &mut self.record {
            record.flush(self.began.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Clustering, Core, Rules, State, Ticket};
    use crate::daemon::{Beginning, Replay, RotatingFile};
    use bandwise_units::Bytes;
    use std::fs;
    use std::num::NonZeroU16;

    fn hears(record: &mut Record, core: &mut Core, now: Duration) {
        let input = Input::Hello { ticket: Ticket(1), owner: "somebody".into() };
        let mut line = record.line(&input);
        core.handle(now, input);
        while let Some(output) = core.poll() {
            line.iter_mut().for_each(|line| line.outputs.add(&output));
        }
        record.write_down(now, line, || core.snapshot());
    }

    #[test]
    fn recording_resumes_after_write_errors_with_a_gap() {
        let folder = tempfile::tempdir().unwrap();
        let (own, away) = (folder.path().join("own"), folder.path().join("away"));
        fs::create_dir(&own).unwrap();
        let table = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n".to_owned();
        let clustering = Clustering { levels: NonZeroU16::new(4).unwrap(), seed: 1 };
        let beginning = Beginning::new(Rules::default(), clustering, table, &State::default());
        let mut core = beginning.core().unwrap();
        let rotating = RotatingFile::new(own.join("recording"), Bytes::new(1), 100);
        let mut record = Record::new(Recording::begin(rotating, beginning).unwrap());
        // No file can be created there until the folder is back.
        fs::rename(&own, &away).unwrap();
        let mut now = Duration::ZERO;
        let mut heard = 0;
        while record.again.is_none() {
            now += Duration::from_millis(1);
            hears(&mut record, &mut core, now);
            heard += 1;
        }
        for _ in 0..3 {
            hears(&mut record, &mut core, now);
        }
        fs::rename(&away, &own).unwrap();
        hears(&mut record, &mut core, now + AGAIN - Duration::from_millis(1));
        assert!(record.again.is_some(), "the retry interval has not passed");
        hears(&mut record, &mut core, now + AGAIN);
        hears(&mut record, &mut core, now + AGAIN);
        record.flush(now + AGAIN);
        assert!(record.again.is_none());
        let mut replay = Replay::default();
        let mut replayed = |name: &str| {
            let text = fs::read(own.join(name)).unwrap();
            replay.run(&text[..], |_, _, _| ()).unwrap()
        };
        let (before, after) = (replayed("recording.part-000001"), replayed("recording"));
        assert_eq!((before.inputs, before.cut, before.differs), (heard, 0, None));
        assert_eq!((after.inputs, after.gaps, after.differs), (1, 1, None));
    }

    /// A recording that can't be begun stops nothing, and begins later.
    #[test]
    fn recording_begins_as_soon_as_that_is_possible() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        let table = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n".to_owned();
        let clustering = Clustering { levels: NonZeroU16::new(4).unwrap(), seed: 1 };
        let beginning = Beginning::new(Rules::default(), clustering, table, &State::default());
        let mut core = beginning.core().unwrap();
        let rotating = RotatingFile::new(own.join("recording"), Bytes::new(1 << 20), 2);
        let mut record = Record::new(Recording::begin(rotating, beginning).unwrap());
        hears(&mut record, &mut core, Duration::from_millis(1));
        fs::create_dir(&own).unwrap();
        for milliseconds in 0..3 {
            hears(&mut record, &mut core, AGAIN + Duration::from_millis(milliseconds));
        }
        record.flush(AGAIN);
        let text = fs::read(own.join("recording")).unwrap();
        let replayed = Replay::default().run(&text[..], |_, _, _| ()).unwrap();
        assert_eq!((replayed.inputs, replayed.cut, replayed.differs), (2, 0, None));
    }
}
