//! [`Record`]: the recording, and what is done when it can't be written.

use super::EventLoop;
use crate::core::{Input, Moment};
use crate::daemon::Recording;
use crate::daemon::recording::Sum;
use std::io;
use std::time::Duration;

/// After how long a recording that could not be written is begun again.
const AGAIN: Duration = Duration::from_secs(60);

/// The recording.
#[derive(Debug)]
pub(super) struct Record {
    recording: Recording,
    /// It lacks something since it could not be written; when another file is begun.
    again: Option<Duration>,
}

/// What is to be written down: an input, and a sum over what is said to it.
pub(super) struct Line {
    input: Input,
    pub(super) said: Sum,
}

impl Record {
    pub(super) fn new(recording: Recording) -> Self {
        Record { recording, again: None }
    }

    /// What is to be written down of this input, if it can be.
    pub(super) fn line(&self, input: &Input) -> Option<Line> {
        self.again.is_none().then(|| Line { input: input.clone(), said: Sum::new() })
    }

    /// Goes on. Where something could not be written another file is begun, when it can be: what a file lacks is lacking
    /// at its end.
    fn write_down(&mut self, now: Duration, line: Option<Line>, moment: impl FnOnce() -> Moment) {
        let begins_again = self.again.is_some_and(|again| again <= now);
        let written = match line {
            Some(Line { input, said }) => self.recording.heard(now, input, said),
            None => Ok(()),
        };
        let begins = begins_again || (self.again.is_none() && self.recording.is_full());
        let written = written.and_then(|()| match begins {
            true => self.recording.begin_another(moment()),
            false => Ok(()),
        });
        match written {
            Ok(()) if begins_again => {
                tracing::info!("the recording goes on, in another file");
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
        tracing::error!(%error, again_s, "the recording ends here: it can't be written");
        self.again = Some(now + AGAIN);
    }
}

impl<S> EventLoop<S> {
    pub(super) fn write_down(&mut self, now: Duration, line: Option<Line>) {
        if let Some(record) = &mut self.record {
            record.write_down(now, line, || self.core.moment());
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
    use crate::core::{Core, Rules, State, Ticket};
    use crate::daemon::{Beginning, Replay, RotatingFile};
    use bandwise_units::Bytes;
    use std::fs;
    use std::num::NonZeroU16;

    fn hears(record: &mut Record, core: &mut Core, now: Duration) {
        let input = Input::Hello { ticket: Ticket(1), owner: "somebody".into() };
        let mut line = record.line(&input);
        core.handle(now, input);
        while let Some(output) = core.poll() {
            line.iter_mut().for_each(|line| line.said.add(&output));
        }
        record.write_down(now, line, || core.moment());
    }

    #[test]
    fn what_could_not_be_written_is_lacking_and_then_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (own, away) = (folder.path().join("own"), folder.path().join("away"));
        fs::create_dir(&own).unwrap();
        let table = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n".to_owned();
        let by = (NonZeroU16::new(4).unwrap(), 1);
        let beginning = Beginning::new(Rules::default(), by, table, &State::default());
        let mut core = beginning.core().unwrap();
        let rotating = RotatingFile::new(own.join("recording"), Bytes::new(1), 100);
        let mut record = Record::new(Recording::begin(rotating, beginning).unwrap());
        // Nothing can be begun there until it is back.
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
        assert!(record.again.is_some(), "it waits");
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
}
