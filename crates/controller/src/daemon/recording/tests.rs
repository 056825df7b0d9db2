use super::*;
use crate::core::Ticket;
use crate::daemon::Replay;
use bandwise_units::Bytes;
use std::fs;
use std::path::Path;

const TABLE: &str = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n";

/// A core, and what it hears written down.
struct Written {
    core: Core,
    recording: Recording,
    now: Duration,
}

impl Written {
    fn begin(folder: &Path) -> Self {
        let rotating = RotatingFile::new(folder.join("recording"), Bytes::new(1000), 100);
        let levels = NonZeroU16::new(4).unwrap();
        let beginning =
            Beginning::new(Rules::default(), (levels, 1), TABLE.into(), &State::default());
        let core = beginning.core().unwrap();
        let recording = Recording::begin(rotating, beginning).unwrap();
        Written { core, recording, now: Duration::ZERO }
    }

    fn hears(&mut self, input: Input) {
        self.now += Duration::from_millis(1);
        let mut said = Sum::new();
        self.core.handle(self.now, input.clone());
        while let Some(output) = self.core.poll() {
            said.add(&output);
        }
        self.recording.heard(self.now, input, said).unwrap();
    }

    /// Some clients say hello, and what comes after that waits for the store.
    fn hears_some(&mut self) {
        for number in 0..5 {
            self.hears(Input::Hello { ticket: Ticket(number), owner: "somebody".into() });
        }
    }
}

/// How many inputs there are in all files, each of which is heard again by itself.
fn inputs(folder: &Path) -> u64 {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let heard = paths.filter(|path| path.extension().is_none_or(|of| of != "new")).map(|path| {
        let text = fs::read(&path).unwrap();
        let heard = Replay::default().run(&text[..], |_, _, _| ()).unwrap();
        assert_eq!((heard.differs, heard.cut), (None, 0), "{path:?}");
        heard.inputs
    });
    heard.sum()
}

/// Killed between any two steps by which another file is begun, it has lost nothing that was written, and goes on.
#[test]
fn killed_while_another_file_is_begun_nothing_is_lost() {
    for step in 0..5usize {
        let folder = tempfile::tempdir().unwrap();
        let mut written = Written::begin(folder.path());
        written.hears_some();
        let moment = written.core.moment();
        written.recording.flush().unwrap();
        let rotating = written.recording.rotating.clone();
        match step {
            0 => fs::write(folder.path().join("recording.new"), "{\"recording\":4,\"vers").unwrap(),
            _ => drop(written.recording.draft(moment).unwrap()),
        }
        let steps: [fn(&RotatingFile) -> io::Result<()>; 3] =
            [RotatingFile::archive, RotatingFile::install_draft, RotatingFile::prune];
        steps[..step.saturating_sub(1)].iter().for_each(|step| step(&rotating).unwrap());
        assert_eq!(inputs(folder.path()), 5, "killed at step {step}");
        drop(written);
        let mut written = Written::begin(folder.path());
        written.hears_some();
        written.recording.begin_another(written.core.moment()).unwrap();
        written.hears_some();
        written.recording.flush().unwrap();
        assert_eq!(inputs(folder.path()), 15, "killed at step {step}");
        assert!(!folder.path().join("recording.new").exists());
    }
}

/// What could not be begun is begun when it can be, with what is lacking at the end of a file.
#[test]
fn where_no_file_can_be_begun_it_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let (own, away) = (folder.path().join("own"), folder.path().join("away"));
    fs::create_dir(&own).unwrap();
    let mut written = Written::begin(&own);
    let mut heard = 0;
    while !written.recording.is_full() {
        written.hears_some();
        heard += 5;
    }
    fs::rename(&own, &away).unwrap();
    assert!(written.recording.begin_another(written.core.moment()).is_err());
    fs::rename(&away, &own).unwrap();
    written.recording.begin_another(written.core.moment()).unwrap();
    assert!(!written.recording.is_full());
    written.hears_some();
    written.recording.flush().unwrap();
    assert_eq!(inputs(&own), heard + 5);
}

/// One that begins with more than its size is full when it has as much of what was heard.
#[test]
fn what_a_file_begins_with_is_not_written_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Written::begin(folder.path());
    let mut begun = 0;
    for _ in 0..100 {
        written.hears_some();
        if written.recording.is_full() {
            written.recording.begin_another(written.core.moment()).unwrap();
            begun += 1;
        }
    }
    written.recording.flush().unwrap();
    let lengths =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().metadata().unwrap().len());
    let all: u64 = lengths.sum();
    let heard: u64 = 500 * 100;
    assert!((2..60).contains(&begun), "{begun} files");
    assert!(all < 4 * heard + 4000, "{all} bytes for {heard}");
    assert_eq!(inputs(folder.path()), 500);
}
