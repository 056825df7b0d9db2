//! [`Run`]: a batch of lines for `tc`, and what came of it.

use std::io::{self, Write};
use std::process::{Command, Stdio};

/// What came of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What the lines that show something showed.
    pub shown: String,
    /// If a line was refused, which, and in whose words; those after it were not run.
    pub refused: Option<String>,
}

/// Who runs `tc`.
pub trait Run {
    /// Runs lines one after another in a network namespace, or in this program's own, up to the first
    /// that is refused.
    fn run(&mut self, namespace: Option<&str>, lines: &[&str]) -> io::Result<Ran>;
}

/// The program `tc`. One process a batch, as starting it takes longer than what it does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Program;

impl Run for Program {
    fn run(&mut self, namespace: Option<&str>, lines: &[&str]) -> io::Result<Ran> {
        let mut tc = Command::new("tc");
        if let Some(namespace) = namespace {
            tc.args(["-netns", namespace]);
        }
        tc.args(["-details", "-batch", "-"]);
        tc.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = tc.spawn()?;
        let mut batch = lines.join("\n");
        batch.push('\n');
        // It may stop at a line and not read the rest. It shows something at the end alone, so it reads as
        // long as there is something to write.
        let written = child.stdin.take().map(|mut stdin| stdin.write_all(batch.as_bytes()));
        let output = child.wait_with_output()?;
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            written.transpose()?;
            return Ok(Ran { shown, refused: None });
        }
        Ok(Ran { shown, refused: Some(words(&String::from_utf8_lossy(&output.stderr), lines)) })
    }
}

/// `tc`'s words, and the line that they are about: `Command failed -:3`.
fn words(said: &str, lines: &[&str]) -> String {
    let mut why = Vec::new();
    let mut about = None;
    for said in said.lines().map(str::trim) {
        match said.strip_prefix("Command failed -:") {
            Some(number) => about = number.parse::<usize>().ok(),
            None if said.is_empty() || said.starts_with("Warning: ") => {}
            None => why.push(said),
        }
    }
    let why = if why.is_empty() { "tc failed".to_owned() } else { why.join(" ") };
    match about.and_then(|number| lines.get(number.checked_sub(1)?)) {
        Some(line) => format!("{why} (tc {line})"),
        None => why,
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_line_at_fault_is_named() {
        let said =
            "Warning: sch_htb: quantum is big.\nError: HTB class in use.\nCommand failed -:2\n";
        assert_eq!(words(said, &["a", "b", "c"]), "Error: HTB class in use. (tc b)");
        let said = "Cannot open network namespace \"x\": No such file or directory\n";
        assert!(words(said, &["a"]).ends_with("No such file or directory"));
        assert_eq!(words("", &["a"]), "tc failed");
    }
}
