//! Failures of commands: messages and exit codes.

use crate::output::{note, note_coloured, readable};
use crate::values::Refusal;
use bandwise_controller::client::ClientError;
#[cfg(feature = "etcd")]
use bandwise_controller::cluster::EtcdError;
use bandwise_controller::daemon::NoRecording;
use bandwise_controller::store::StoreError;
use bandwise_files::FileError;
use bandwise_input::{InputError, Source, is_printable};
use bandwise_lab::LabError;
use bandwise_runner::{RunnerError, Unfit};
use bandwise_scenario::ethernet::ArrivalError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};
use std::error::Error;
use std::fmt;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

/// The reason for which a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An unusable file. Exit code 2.
    Input(InputError),
    /// An unusable flag. Exit code 2.
    Usage {
        /// The mistake.
        message: String,
        /// The allowed values.
        allowed: String,
    },
    /// Failed work. Exit code 1.
    Work(anyhow::Error),
    /// An interrupt by Ctrl-C, after which the results so far have been printed. Exit code 130, the
    /// shells' code for SIGINT.
    Interrupted,
    /// An interrupt before there were results, with the state of the work. Exit code 130.
    Stopped(String),
    /// The exit code of a command that this program ran, and that has printed its own error.
    Command(u8),
}

impl Failure {
    /// Returns the failure for an unusable flag: the mistake, and the allowed values.
    pub(crate) fn usage(message: impl Into<String>, allowed: impl Into<String>) -> Self {
        Failure::Usage { message: message.into(), allowed: allowed.into() }
    }

    /// Returns the failure for a flag with an unusable file.
    pub(crate) fn of_file(flag: &str, FileError { path, why, allowed }: FileError) -> Self {
        Failure::usage(format!("{flag} {}: {why}", path.display()), allowed)
    }

    /// Returns the failure for a flag whose value the runner refused.
    pub(crate) fn unfit_for(flag: &str, unfit: Unfit) -> Self {
        Failure::usage(format!("{flag} {}", unfit.message), unfit.allowed)
    }

    /// Returns the failure for an error before the first run. `flag` gave the value that the runner
    /// refused.
    pub(crate) fn of_runner(flag: &str, error: RunnerError) -> Self {
        match error {
            RunnerError::Unfit(unfit) => Failure::unfit_for(flag, unfit),
            RunnerError::Input(error) => Failure::Input(error),
            RunnerError::Failed(error) => Failure::Work(error),
        }
    }

    /// Returns the failure for a command that needs a feature which this program was built without.
    #[cfg(not(all(feature = "etcd", feature = "verbs")))]
    pub(crate) fn without(feature: &str) -> Self {
        Failure::usage(
            format!(
                "this program was built without the feature `{feature}`, which the command needs"
            ),
            format!(
                "a program built by: cargo build --release -p bandwise-cli --features {feature}"
            ),
        )
    }

    /// Returns the failure in one line, for a log.
    pub(crate) fn line(&self) -> String {
        readable(&match self {
            Failure::Input(error) => shortened(&error.to_string()),
            Failure::Usage { message, allowed } => {
                shortened(&format!("{message} (allowed: {allowed})"))
            }
            Failure::Work(error) => format!("{error:#}"),
            Failure::Command(code) => format!("exit code {code}"),
            Failure::Interrupted => "interrupted".to_owned(),
            Failure::Stopped(state) => format!("interrupted: {state}"),
        })
    }

    /// Prints the failure on standard error and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Input(error) => {
                let colour = has_colour() && error.file().chars().all(is_printable);
                let text = render(error, colour);
                let print = if colour { note_coloured } else { |text: &str| note(text) };
                print(text.trim_end_matches('\n'));
                ExitCode::from(2)
            }
            Failure::Usage { message, allowed } => {
                let (message, allowed) = (shortened(message), shortened(allowed));
                note(format_args!("error: {message}\n  allowed: {allowed}"));
                ExitCode::from(2)
            }
            Failure::Work(error) => {
                note(format_args!("error: {error:#}"));
                ExitCode::from(1)
            }
            Failure::Command(code) => ExitCode::from(*code),
            Failure::Interrupted => {
                note("interrupted: the results are partial");
                ExitCode::from(130)
            }
            Failure::Stopped(state) => {
                note(format_args!("interrupted: {state}"));
                ExitCode::from(130)
            }
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error)
    }
}

impl From<FileError> for Failure {
    fn from(FileError { path, why, allowed }: FileError) -> Self {
        Failure::usage(format!("{}: {why}", path.display()), allowed)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let unusable = |path: &Path, why: String, allowed: String| {
            let allowed = format!("{allowed}; without the file, the controller starts anew");
            Failure::Input(InputError::whole(&path.display().to_string(), why).allowed(allowed))
        };
        match error {
            StoreError::Damaged { path, why } => {
                let why = format!("{why}: not a controller's store, or damaged");
                unusable(&path, why, "a store as a controller left it".into())
            }
            StoreError::OtherForm { path, found, known } => {
                unusable(&path, format!("store format {found}"), format!("format {known}"))
            }
            StoreError::Unusable(error) => error.into(),
            error => Failure::Work(error.into()),
        }
    }
}

impl From<NoRecording> for Failure {
    fn from(NoRecording { path, line, why }: NoRecording) -> Self {
        let allowed = "an intact recording of a controller, or no file";
        in_line(&path.display().to_string(), line, why).allowed(allowed).into()
    }
}

/// Returns the error of a line that is not shown, since it may be long or no text.
pub(crate) fn in_line(name: &str, line: u64, why: String) -> InputError {
    let line = usize::try_from(line).unwrap_or(usize::MAX);
    Source::excerpt(name, "", line).error_in_line(line, why)
}

#[cfg(feature = "etcd")]
impl From<EtcdError> for Failure {
    fn from(error: EtcdError) -> Self {
        Failure::Work(error.into())
    }
}

impl From<ArrivalError> for Failure {
    fn from(error: ArrivalError) -> Self {
        Failure::Work(error.into())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        Failure::Work(error.into())
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match &error {
            LabError::RolledBack(source) if matches!(**source, LabError::Interrupted) => {
                Failure::Stopped(error.to_string())
            }
            _ => Failure::Work(error.into()),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Work(error)
    }
}

/// Prints an error of clap and returns the exit code. An unusable value is printed as a
/// [`Failure`]. Help goes to standard output and is no failure.
pub(crate) fn of_flags(error: &clap::Error) -> ExitCode {
    if let Some(failure) = bad_value(error) {
        return failure.report();
    }
    let text = error.render().to_string();
    if readable(&text) == text {
        // A failure to print the message can't be reported.
        let _ = error.print();
    } else {
        note(text.trim_end_matches('\n'));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Returns the failure for the unusable value of a flag, with the allowed values.
pub(crate) fn bad_value(error: &clap::Error) -> Option<Failure> {
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.as_str()),
        _ => None,
    };
    let (flag, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
    let (why, allowed) = match error.kind() {
        ErrorKind::ValueValidation => {
            let refusal = error.source()?.downcast_ref::<Refusal>()?;
            (refusal.why.as_deref(), refusal.allowed.clone())
        }
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue)? {
            ContextValue::Strings(values) if !values.is_empty() => (None, values.join(", ")),
            _ => return None,
        },
        _ => return None,
    };
    // Removes the `<N>` that stands for the value.
    let flag = flag.split(' ').next().unwrap_or(flag);
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    Some(Failure::usage(format!("{flag} can't be {value:?}{why}"), allowed))
}

/// Returns whether standard error takes colours.
fn has_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Returns `file:line: mistake`, the lines around it, and the allowed values. Control characters are
/// those of colours only, if the file's name has none.
fn render(error: &InputError, colour: bool) -> String {
    let (file, line) = (error.file(), error.line());
    let mistake = readable(&shortened(error.message()));
    let mut out = format!("error: {file}:{line}: {mistake}\n");
    let snippet = Snippet(error);
    if snippet.is_fit_to_print() {
        let theme =
            if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let mut drawn = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
        if handler.render_report(&mut drawn, &snippet).is_ok() {
            // The first line is miette's own headline, which is empty here.
            out += drawn.split_once('\n').map_or("", |(_, lines)| lines);
        }
    }
    if let Some(allowed) = error.help() {
        out += &format!("  {}\n", readable(&shortened(&allowed.to_string())));
    }
    out
}

/// Returns the text with long runs of digits shortened, such as that of 1e308.
fn shortened(text: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = text.chars().collect();
    for run in chars.chunk_by(|a, b| a.is_ascii_digit() && b.is_ascii_digit()) {
        match run.len() > DIGITS {
            true => {
                out.extend(&run[..DIGITS / 2]);
                out += &format!("… ({} digits)", run.len());
            }
            false => out.extend(run),
        }
    }
    out
}

/// The longest run of digits that is printed whole: more than any number of 64 bits, as of a GUID, has.
const DIGITS: usize = 24;

/// The place of an error in its file, for miette to draw.
#[derive(Debug)]
struct Snippet<'a>(&'a InputError);

/// The number of lines shown before and after the erroneous line.
const CONTEXT: usize = 1;

impl Snippet<'_> {
    /// Returns `true` if the snippet has lines, and all are short and free of control characters.
    fn is_fit_to_print(&self) -> bool {
        let span = self.0.labels().and_then(|mut labels| labels.next());
        let Some((code, span)) = self.0.source_code().zip(span) else { return false };
        let Ok(lines) = code.read_span(span.inner(), CONTEXT, CONTEXT) else { return false };
        let fits = |line: &str| {
            line.chars().count() <= 200 && line.chars().all(|c| is_printable(c) || c == '\t')
        };
        let is_fit = |text: &str| !text.is_empty() && text.lines().all(fits);
        std::str::from_utf8(lines.data()).is_ok_and(is_fit)
    }
}

impl fmt::Display for Snippet<'_> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Snippet<'_> {}

impl Diagnostic for Snippet<'_> {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source_code()
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let unnamed = |label: LabeledSpan| LabeledSpan::new_with_span(None, *label.inner());
        Some(Box::new(self.0.labels()?.map(unnamed)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, shortened};
    use bandwise_lab::LabError;

    #[test]
    fn interrupted_lab_ends_with_the_code_of_an_interrupt() {
        let of = |source| Failure::from(LabError::RolledBack(Box::new(source)));
        let stopped = of(LabError::Interrupted);
        assert_eq!(stopped.line(), "interrupted: the incomplete lab was removed");
        assert_eq!(stopped.report(), std::process::ExitCode::from(130));
        assert_eq!(of(LabError::NeedsRoot).report(), std::process::ExitCode::from(1));
    }

    #[test]
    fn long_numbers_are_printed_in_short() {
        assert_eq!(shortened("18446744073709551615 ps"), "18446744073709551615 ps");
        let text = format!("{} ns, {:?}", 1e308, "1");
        assert_eq!(shortened(&text), "100000000000… (309 digits) ns, \"1\"");
        assert_eq!(shortened(""), "");
    }
}
