//! Running the command in a folder of its own.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// An empty folder in which the command runs.
pub(crate) struct Place(TempDir);

/// The result of a run: exit code and outputs.
#[derive(Debug)]
pub(crate) struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The names of all files there are.
    pub(crate) fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    fn start(&self, args: &[&str], input: Stdio) -> Child {
        Command::new(env!("CARGO_BIN_EXE_bandwise"))
            .args(args)
            .current_dir(self.path())
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// With that on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self.start(args, Stdio::piped());
        // A program that refuses its input may not read all of it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Sends the program a signal once a file exists, and checks that it ends within 1 s.
    #[cfg(unix)]
    pub(crate) fn signalled(&self, args: &[&str], name: &str, file: &str) -> Ran {
        let child = self.start(args, Stdio::null());
        let until = Instant::now() + Duration::from_secs(10);
        while !self.path().join(file).exists() {
            assert!(Instant::now() < until, "there is no {file}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let began = Instant::now();
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert!(began.elapsed() < Duration::from_secs(1), "{name}: {:?}", began.elapsed());
        Ran::of(output)
    }

    /// Interrupts the program some time after it wrote `begun` on standard error and handles signals.
    #[cfg(unix)]
    pub(crate) fn interrupted(&self, args: &[&str], begun: &str, after: Duration) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bandwise"))
            .args(args)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut from = child.stderr.take().unwrap();
        let mut stderr = String::new();
        while !stderr.contains(begun) {
            let mut buffer = [0; 64];
            let n = from.read(&mut buffer).unwrap();
            assert!(n > 0, "{stderr}");
            stderr += &String::from_utf8_lossy(&buffer[..n]);
        }
        std::thread::sleep(after);
        signal(&child, "INT");
        let output = child.wait_with_output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        from.read_to_string(&mut stderr).unwrap();
        Ran { code: output.status.code(), stdout, stderr }
    }
}

/// Sends a signal to a running program.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let arguments = [format!("-{name}"), child.id().to_string()];
    assert!(Command::new("kill").args(arguments).status().unwrap().success());
}

impl Ran {
    fn of(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks that the run succeeded.
    #[track_caller]
    pub(crate) fn good(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Checks that the run refused its input with these texts and printed no result.
    #[track_caller]
    pub(crate) fn refused(self, parts: &[&str]) -> Self {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:#?}");
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in {}", self.stderr);
        }
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }
}

/// Two hosts and a cable.
pub(crate) const BACK_TO_BACK: &str = "\
[fabric]
build = \"back-to-back\"
link = { rate = \"54.545454545 Gbps\", delay = \"24 ns\" }
";

/// A file of the topology crate's.
pub(crate) fn fixture(name: &str) -> String {
    format!("{}/../topology/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}
