//! [`Journal`]: what outlives the process, as text: a line that says what is profiled, and one for each run.

use crate::{Outcome, Purpose, Run};
use bandwise_input::{InputError, Source};
use bandwise_saba::Share;
use bandwise_units::Time;
use serde::{Deserialize, Serialize};

/// What is profiled. Runs of something else are none of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// In which form the journal is.
    profile: u32,
    /// The application.
    pub application: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Which links are limited, and what they carry.
    pub links: String,
}

/// The form of journals.
const FORM: u32 = 1;

/// What a journal looks like, for who has something else.
const READABLE: &str = "a journal of `bandwise saba profile`, or a file that isn't there yet";

/// In what a journal differs from what is to be profiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differs {
    /// In what.
    pub what: &'static str,
    /// What the journal has.
    pub has: String,
    /// What is to be profiled.
    pub wanted: String,
}

/// A run, as a line has it.
#[derive(Serialize, Deserialize)]
struct Line {
    share: f64,
    purpose: Purpose,
    time_ns: u64,
    outcome: Outcome,
}

impl Journal {
    /// The journal of an application.
    pub fn new(application: String, command: Vec<String>, links: String) -> Self {
        Journal { profile: FORM, application, command, links }
    }

    /// Its first line.
    pub fn first_line(&self) -> String {
        line(self)
    }

    /// The line of a run.
    pub fn line(run: &Run) -> String {
        let (share, purpose) = (run.share.get(), run.purpose);
        let time_ns = run.time.as_ps() / 1_000;
        line(&Line { share, purpose, time_ns, outcome: run.outcome.clone() })
    }

    /// Reads a journal: what is profiled, the runs, and how many bytes of the text they are. What follows is a
    /// line whose end is missing, as of a process that was killed while it wrote: no run is lost with it but
    /// that one. None if not even the first line is whole.
    pub fn read(source: &Source) -> Result<Option<(Journal, Vec<Run>, usize)>, InputError> {
        let whole = source.text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = (1..).zip(source.text[..whole].lines());
        let Some((_, first)) = lines.next() else {
            return match source.text.is_empty() || source.text.starts_with("{\"profile\":") {
                true => Ok(None),
                false => Err(source.error_in_line(1, "no journal").allowed(READABLE)),
            };
        };
        let wrong = |line: usize, error: serde_json::Error| {
            source.error_in_line(line, format!("no line of a journal: {error}")).allowed(READABLE)
        };
        let journal: Journal = serde_json::from_str(first).map_err(|error| wrong(1, error))?;
        if journal.profile != FORM {
            let message = format!("a journal of form {}", journal.profile);
            return Err(source.error_in_line(1, message).allowed(format!("form {FORM}")));
        }
        let run = |(number, text): (usize, &str)| {
            let line: Line = serde_json::from_str(text).map_err(|error| wrong(number, error))?;
            let share = Share::try_from(line.share).map_err(|error| {
                source
                    .error_in_line(number, error.to_string())
                    .allowed(bandwise_saba::ShareError::ALLOWED)
            })?;
            let time = line.time_ns.checked_mul(1_000).filter(|&ps| ps > 0).ok_or_else(|| {
                let message = format!("a run of {} ns", line.time_ns);
                source.error_in_line(number, message).allowed("1 ns to 213 days")
            })?;
            let (time, outcome) = (Time::from_ps(time), line.outcome);
            Ok(Run { share, purpose: line.purpose, time, outcome })
        };
        let runs = lines.map(run).collect::<Result<Vec<Run>, InputError>>()?;
        Ok(Some((journal, runs, whole)))
    }

    /// In what it differs from what is to be profiled, if it does.
    pub fn differs(&self, wanted: &Journal) -> Option<Differs> {
        let parts = |journal: &Journal| {
            [
                ("application", journal.application.clone()),
                ("command", journal.command.join(" ")),
                ("links", journal.links.clone()),
            ]
        };
        let both = parts(self).into_iter().zip(parts(wanted));
        let mut differing = both.filter(|(has, wanted)| has != wanted);
        let ((what, has), (_, wanted)) = differing.next().or_else(|| {
            // The same words, otherwise parted.
            (self != wanted).then(|| {
                (("command", format!("{:?}", self.command)), ("", format!("{:?}", wanted.command)))
            })
        })?;
        Some(Differs { what, has, wanted })
    }
}

fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("strings and numbers");
    text.push('\n');
    text
}
