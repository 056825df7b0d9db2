//! The program `tc`.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs lines with `tc -batch` and returns its output, or its error.
pub(crate) fn run(namespace: &str, lines: &[String]) -> Result<String, String> {
    let mut tc = Command::new("tc");
    tc.args(["-netns", namespace, "-details", "-batch", "-"]);
    tc.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = tc.spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{}\n", lines.join("\n")).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout).unwrap()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
