//! A C program under the library.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Returns the library that cargo has built: beside the test, or one up.
pub(crate) fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let there = |folder: &Path| folder.join("libsaba_preload.so");
    own.ancestors()
        .skip(1)
        .take(2)
        .map(there)
        .find(|path| path.exists())
        .expect("cargo has built it")
}

/// Compiles a file of this folder; returns `None` without a compiler.
pub(crate) fn compiled(name: &str, more: &[&str], to: &Path) -> Option<PathBuf> {
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

/// Returns whether unused addresses (RFC 5737) are routed; datagrams can't be sent to them otherwise.
pub(crate) fn is_connected() -> bool {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let is = socket.connect("198.51.100.1:9").is_ok();
    if !is {
        println!("SKIP connections to elsewhere: this machine has no route there");
    }
    is
}

/// Builds and runs a program under the library, with these variables of Saba. Returns its output; `None` without a
/// compiler.
pub(crate) fn ran_c(name: &str, more: &[&str], variables: &[(&str, &str)]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = under_the_library(&compiled(name, more, &folder.path().join("program"))?);
    let output = command.envs(variables.iter().copied()).stdin(Stdio::null()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(output.status.success(), "{name}: {}: {text}", output.status);
    Some(text)
}

/// Returns the command that runs a program under the library, without variables of Saba.
fn under_the_library(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SABA_")) {
        command.env_remove(name);
    }
    command.env("LD_PRELOAD", library());
    command
}

/// A running program.
pub(crate) struct Program {
    child: Child,
    lines: ChildStdin,
    responses: BufReader<ChildStdout>,
}

impl Program {
    /// Starts the program with these variables; returns `None` if it can't be built.
    pub(crate) fn start(variables: &[(&str, &str)]) -> Option<Program> {
        Some(Program::of(program()?, &[], variables))
    }

    /// Starts a program.
    pub(crate) fn of(program: &Path, words: &[&str], variables: &[(&str, &str)]) -> Program {
        let mut command = under_the_library(program);
        command.args(words).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = child.stdin.take().unwrap();
        let responses = BufReader::new(child.stdout.take().unwrap());
        Program { child, lines, responses }
    }

    /// Sends a line. Returns the program's response.
    pub(crate) fn request(&mut self, line: &str) -> String {
        writeln!(self.lines, "{line}").unwrap();
        self.next_line()
    }

    /// Returns the program's next line.
    pub(crate) fn next_line(&mut self) -> String {
        let mut response = String::new();
        self.responses.read_line(&mut response).unwrap();
        response.trim_end().to_owned()
    }

    /// Sends a line without a response.
    pub(crate) fn send(&mut self, line: &str) {
        writeln!(self.lines, "{line}").unwrap();
    }

    /// Waits for the program's end. Returns its exit code.
    pub(crate) fn ends(self) -> Option<i32> {
        self.status().code()
    }

    /// Waits for the end of the program, and returns its status.
    pub(crate) fn status(mut self) -> ExitStatus {
        drop(self.lines);
        self.child.wait().unwrap()
    }
}
