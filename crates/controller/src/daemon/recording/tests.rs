use super::format::{FIRST, FORM};
use super::*;
use crate::core::{Clustering, Core, Rules, State, Ticket};
use crate::daemon::Replay;
use bandwise_units::Bytes;
use std::fs;
use std::num::NonZeroU16;
use std::path::Path;

const TABLE: &str = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n";

/// A core whose inputs are recorded.
struct Written {
    core: Core,
    recording: Recording,
    now: Duration,
}

impl Written {
    fn begin(folder: &Path) -> Self {
        let rotating = RotatingFile::new(folder.join("recording"), Bytes::new(1000), 100);
        let levels = NonZeroU16::new(4).unwrap();
        let beginning = Beginning::new(
            Rules::default(),
            Clustering { levels, seed: 1 },
            TABLE.into(),
            &State::default(),
        );
        let core = beginning.core().unwrap();
        let recording = Recording::begin(rotating, beginning).unwrap();
        assert!(recording.fault.is_none());
        Written { core, recording, now: Duration::ZERO }
    }

    fn record(&mut self, input: Input) {
        self.now += Duration::from_millis(1);
        let mut outputs = Sum::new();
        self.core.handle(self.now, input.clone());
        while let Some(output) = self.core.poll() {
            outputs.add(&output);
        }
        self.recording.record(self.now, input, outputs).unwrap();
    }

    /// Some clients say hello. The first hello starts a write; the others wait for it.
    fn record_some(&mut self) {
        for number in 0..5 {
            self.record(Input::Hello { ticket: Ticket(number), owner: "somebody".into() });
        }
    }
}

/// Replays each file by itself and returns the number of inputs in all of them.
fn inputs(folder: &Path) -> u64 {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let counts = paths.filter(|path| path.extension().is_none_or(|of| of != "new")).map(|path| {
        let text = fs::read(&path).unwrap();
        let replayed = Replay::default().run(&text[..], |_, _, _| ()).unwrap();
        assert_eq!((replayed.differs, replayed.cut), (None, 0), "{path:?}");
        replayed.inputs
    });
    counts.sum()
}

/// A kill between any two steps of a rotation loses no inputs, and the recording continues afterwards.
#[test]
fn kill_during_rotation_loses_no_input() {
    for step in 0..5usize {
        let folder = tempfile::tempdir().unwrap();
        let mut written = Written::begin(folder.path());
        written.record_some();
        let snapshot = written.core.snapshot();
        written.recording.flush().unwrap();
        let rotating = written.recording.rotating.clone();
        match step {
            0 => fs::write(folder.path().join("recording.new"), "{\"recording\":5,\"vers").unwrap(),
            _ => drop(written.recording.draft(snapshot).unwrap()),
        }
        let steps: [fn(&RotatingFile) -> io::Result<()>; 3] =
            [RotatingFile::archive, RotatingFile::install_draft, RotatingFile::prune];
        steps[..step.saturating_sub(1)].iter().for_each(|step| step(&rotating).unwrap());
        assert_eq!(inputs(folder.path()), 5, "killed at step {step}");
        drop(written);
        let mut written = Written::begin(folder.path());
        written.record_some();
        written.recording.begin_another(written.core.snapshot()).unwrap();
        written.record_some();
        written.recording.flush().unwrap();
        assert_eq!(inputs(folder.path()), 15, "killed at step {step}");
        assert!(!folder.path().join("recording.new").exists());
    }
}

/// A failed rotation is repeated later, and the inputs in between stay in the old file.
#[test]
fn failed_rotation_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    let (own, away) = (folder.path().join("own"), folder.path().join("away"));
    fs::create_dir(&own).unwrap();
    let mut written = Written::begin(&own);
    let mut inputs_written = 0;
    while !written.recording.is_full() {
        written.record_some();
        inputs_written += 5;
    }
    fs::rename(&own, &away).unwrap();
    assert!(written.recording.begin_another(written.core.snapshot()).is_err());
    fs::rename(&away, &own).unwrap();
    written.recording.begin_another(written.core.snapshot()).unwrap();
    assert!(!written.recording.is_full());
    written.record_some();
    written.recording.flush().unwrap();
    assert_eq!(inputs(&own), inputs_written + 5);
}

/// A file whose initial state exceeds its size holds as many bytes of inputs.
#[test]
fn large_initial_state_does_not_force_frequent_rotation() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Written::begin(folder.path());
    let mut begun = 0;
    for _ in 0..100 {
        written.record_some();
        if written.recording.is_full() {
            written.recording.begin_another(written.core.snapshot()).unwrap();
            begun += 1;
        }
    }
    written.recording.flush().unwrap();
    let lengths =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().metadata().unwrap().len());
    let all: u64 = lengths.sum();
    let input_bytes: u64 = 500 * 100;
    assert!((2..60).contains(&begun), "{begun} files");
    assert!(all < 4 * input_bytes + 4000, "{all} bytes for {input_bytes}");
    assert_eq!(inputs(folder.path()), 500);
}

/// A recording of another format is kept beside the new one, and a file of another kind stays as it is.
#[test]
fn files_of_others_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (own, older) =
        (folder.path().join("recording"), folder.path().join("recording.part-000001"));
    let other = format!("{FIRST}{},\"version\":\"0.0.1\"}}\n", FORM - 1);
    fs::write(&own, &other).unwrap();
    let mut written = Written::begin(folder.path());
    written.record_some();
    written.recording.flush().unwrap();
    assert_eq!(fs::read_to_string(&older).unwrap(), other);
    fs::remove_file(older).unwrap();
    assert_eq!(inputs(folder.path()), 5);

    for foreign in ["a text\n", "{\"recording\":x", "{}", "{\"recording\":8, not JSON\n"] {
        assert_eq!(refused(&written, foreign.as_bytes()).line, 1, "{foreign}");
    }
}

/// Returns the error of a start with this content of the file, which stays as it is.
fn refused(written: &Written, content: &[u8]) -> NoRecording {
    let Recording { rotating, beginning, .. } = &written.recording;
    fs::write(rotating.path(), content).unwrap();
    let error = Recording::begin(rotating.clone(), beginning.clone()).unwrap_err();
    assert_eq!(fs::read(rotating.path()).unwrap(), content);
    error
}

/// A replay would not reach the inputs of another start behind the damage.
#[test]
fn damaged_recording_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Written::begin(folder.path());
    written.record_some();
    written.recording.flush().unwrap();
    let whole = fs::read(written.recording.rotating.path()).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    assert_eq!(ends.len(), 6);
    for (line, at) in [(1, 20), (1, ends[0] - 2), (3, ends[1] + 1), (5, ends[4] - 1)] {
        for bit in [1, 7] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            assert_eq!(refused(&written, &bytes).line, line, "bit {bit} of byte {at}");
            let error = Replay::default().run(&bytes[..], |_, _, _| ()).unwrap_err();
            assert!(error.to_string().starts_with(&format!("line {line}: ")), "{error}");
        }
    }
}

/// A kill truncates the first line of a new file, or that of a further start.
#[test]
fn truncated_recording_continues() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Written::begin(folder.path());
    written.record_some();
    written.recording.flush().unwrap();
    let path = written.recording.rotating.path().to_owned();
    let whole = fs::read(&path).unwrap();
    let part = folder.path().join("recording.part-000001");
    fs::write(&path, &whole[..100]).unwrap();
    Written::begin(folder.path()).record_some();
    assert_eq!(fs::read(&part).unwrap(), whole[..100]);
    fs::remove_file(part).unwrap();
    assert_eq!(inputs(folder.path()), 5);

    fs::write(&path, [&whole[..], &whole[..100]].concat()).unwrap();
    let replayed = Replay::default().run(&fs::read(&path).unwrap()[..], |_, _, _| ()).unwrap();
    assert_eq!((replayed.starts, replayed.inputs, replayed.cut), (1, 5, 1));
    assert_eq!(Found::of(&path).unwrap().unwrap(), Found::Recording);
}

/// A state of more than half a file is not recorded, and leaves nothing in the file.
#[test]
fn too_large_states_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Written::begin(folder.path());
    written.record_some();
    written.recording.flush().unwrap();
    let text = || fs::read_to_string(folder.path().join("recording")).unwrap();
    let before = text();
    let mut beginning = written.recording.beginning.clone();
    beginning.table = format!("# {}\n{TABLE}", "x".repeat(SMALL as usize));
    let rotating = RotatingFile::new(folder.path().join("recording"), Bytes::new(10_000), 2);
    let mut refused = Recording::begin(rotating, beginning).unwrap();
    let fault = refused.take_fault().unwrap().to_string();
    assert!(fault.contains("more than half of a file of 10000 B"), "{fault}");
    assert!(refused.begin_another(written.core.snapshot()).is_err());
    assert_eq!(text(), before);
    assert!(!folder.path().join("recording.new").exists());
}
