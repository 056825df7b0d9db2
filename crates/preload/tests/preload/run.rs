//! A program in C under the library.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// What cargo has built for this test: beside it, or one up.
pub fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let there = |folder: &Path| folder.join("libsaba_preload.so");
    own.ancestors()
        .skip(1)
        .take(2)
        .map(there)
        .find(|path| path.exists())
        .expect("cargo has built it")
}

/// Compiles a file of this folder; none where there is no compiler.
pub fn compiled(name: &str, more: &[&str], to: &Path) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(to)
        .arg(here.join(name))
        .args(more);
    match cc.status() {
        Ok(status) => assert!(status.success(), "{name}"),
        Err(_) => {
            println!("SKIP a program under the library: there is no cc");
            return None;
        }
    }
    Some(to.to_owned())
}

fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<(TempDir, PathBuf)>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = compiled("program.c", &[], &folder.path().join("program"))?;
        Some((folder, path))
    });
    program.as_ref().map(|program| program.1.as_path())
}

/// Whether there is a way to addresses that nobody has (RFC 5737): datagrams are sent to none here.
pub fn is_connected() -> bool {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let is = socket.connect("198.51.100.1:9").is_ok();
    if !is {
        println!("SKIP connections to elsewhere: this machine has no way there");
    }
    is
}

/// One that runs.
pub struct Program {
    child: Child,
    lines: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// With these in its environment; none where it can't be had.
    pub fn start(variables: &[(&str, &str)]) -> Option<Program> {
        let mut command = Command::new(program()?);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SABA_")) {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).env("LD_PRELOAD", library());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Some(Program { child, lines, answers })
    }

    /// Its answer to a line.
    pub fn does(&mut self, line: &str) -> String {
        writeln!(self.lines, "{line}").unwrap();
        self.hears()
    }

    /// What it says next.
    pub fn hears(&mut self) -> String {
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }

    /// A line that has no answer.
    pub fn told(&mut self, line: &str) {
        writeln!(self.lines, "{line}").unwrap();
    }

    /// Waits for its end: the exit code.
    pub fn ends(mut self) -> Option<i32> {
        drop(self.lines);
        self.child.wait().unwrap().code()
    }
}
