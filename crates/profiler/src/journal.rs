//! [`Journal`]: the persistent state of a profile, as text: a line for the program, and one for
//! each run.

use crate::{Outcome, Purpose, Run};
use bandwise_input::{InputError, Source};
use bandwise_saba::Share;
use bandwise_units::Time;
use serde::{Deserialize, Serialize};

/// The subject of a profile. Runs of another subject do not belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// The format version.
    profile: u32,
    /// The application.
    pub application: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The limited links and their rates.
    pub links: String,
}

/// The format version of journals.
const FORM: u32 = 1;

/// The allowed inputs, for error messages.
const READABLE: &str = "a journal of `bandwise saba profile`, or a file that isn't there yet";

/// A difference between a journal and the subject of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differs {
    /// The part that differs.
    pub what: &'static str,
    /// The value in the journal.
    pub has: String,
    /// The value in the profile.
    pub wanted: String,
}

/// A run in the form of its line.
#[derive(Serialize, Deserialize)]
struct Line {
    share: f64,
    purpose: Purpose,
    time_ns: u64,
    outcome: Outcome,
}

impl Journal {
    /// Returns the journal of an application.
    pub fn new(application: String, command: Vec<String>, links: String) -> Self {
        Journal { profile: FORM, application, command, links }
    }

    /// Returns its first line.
    pub fn first_line(&self) -> String {
        line(self)
    }

    /// Returns the line of a run.
    pub fn line(run: &Run) -> String {
        let (share, purpose) = (run.share.get(), run.purpose);
        let time_ns = run.time.as_ps() / 1_000;
        line(&Line { share, purpose, time_ns, outcome: run.outcome.clone() })
    }

    /// Reads a journal. Returns the subject, the runs, and the number of bytes that they take. An
    /// incomplete last line follows them if a process was killed while it wrote; only that run is
    /// lost. Returns `None` if the first line is incomplete.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if the text is not a journal of this format version.
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

    /// Returns the first difference from another subject, if there is one.
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
            // The same words, divided differently into arguments.
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
