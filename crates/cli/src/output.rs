//! Outputs of commands: standard output, and files that are written as a whole or not at all.

use crate::answer::Answer;
use crate::failure::Failure;
use bandwise_input::{InputError, is_printable, reason};
use bandwise_report::html;
use bandwise_saba::table::{Table, write as table};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufWriter, ErrorKind, IntoInnerError, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file, or `-` for standard output.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// `-`
    Stdout,
    /// A path.
    File(PathBuf),
}

impl From<PathBuf> for Target {
    fn from(path: PathBuf) -> Self {
        if path == Path::new("-") { Target::Stdout } else { Target::File(path) }
    }
}

/// The flag of all commands that print text.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Json {
    /// Write JSON to FILE, or to standard output in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

impl Json {
    /// Returns whether the flag is given.
    pub(crate) fn is_given(&self) -> bool {
        self.json.is_some()
    }

    /// Returns the checked output: see [`Outputs::new`].
    pub(crate) fn resolve(self, inputs: &[&Path]) -> Result<Outputs, Failure> {
        Outputs::new(self, Report::default(), Rows::default(), inputs)
    }
}

/// The flag of commands that have plots.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Report {
    /// Write a report with plots as one HTML file, which needs no network
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

/// The flags of commands that write files during a run, or counters of ports at its end.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Rows {
    /// Write a row for each finished flow: flow,start_ns,src,dst,bytes,fct_ns,slowdown; as Parquet
    /// if FILE ends in .parquet, otherwise as CSV
    #[arg(long, value_name = "FILE")]
    flow_results: Option<PathBuf>,
    /// Write packets with all headers for Wireshark: those of --trace-flow and --trace-port, or of
    /// all ports
    #[arg(long, value_name = "FILE.pcapng")]
    trace: Option<PathBuf>,
    /// Write a row for each port: packets sent, dropped and marked, and the time that it was paused
    #[arg(long, value_name = "FILE.csv")]
    port_results: Option<PathBuf>,
}

impl Rows {
    /// Returns the name of a flag that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--flow-results", &self.flow_results),
            ("--trace", &self.trace),
            ("--port-results", &self.port_results),
        ]
        .into_iter()
        .find_map(|(flag, path)| path.is_some().then_some(flag))
    }
}

/// The flag of commands that run several scenarios.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Points {
    /// Write a row for each point of a sweep, with its metrics
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
}

impl Points {
    /// Returns the name of a flag that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        self.csv.is_some().then_some("--csv")
    }
}

/// The flag of commands that make models of applications.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SavedModels {
    /// Write the samples of all models as a sensitivity table, TOML or CSV by the ending of FILE
    #[arg(long, value_name = "FILE")]
    save_models: Option<PathBuf>,
}

/// The outputs of a command.
#[derive(Debug)]
pub(crate) struct Outputs {
    json: Option<Target>,
    report: Option<Target>,
    rows: Option<Target>,
    ports: Option<Target>,
    trace: Option<Target>,
    points: Option<Target>,
    models: Option<Target>,
    /// Files that are read or written already, as [`identity`] returns them.
    used: Vec<PathBuf>,
}

impl Outputs {
    /// Returns the outputs of the flags. Refuses files that can't be written, files that two flags
    /// name, and files that are read.
    pub(crate) fn new(
        json: Json,
        report: Report,
        rows: Rows,
        inputs: &[&Path],
    ) -> Result<Self, Failure> {
        let mut outputs = Outputs {
            json: None,
            report: None,
            rows: None,
            ports: None,
            trace: None,
            points: None,
            models: None,
            used: inputs.iter().filter_map(|i| identity(i)).collect(),
        };
        outputs.json = outputs.target("--json", json.json)?;
        outputs.report = outputs.target("--report", report.report)?;
        outputs.rows = outputs.target("--flow-results", rows.flow_results)?;
        outputs.trace = outputs.target("--trace", rows.trace)?;
        outputs.ports = outputs.target("--port-results", rows.port_results)?;
        Ok(outputs)
    }

    /// Adds the file with a row for each point, if the flag is given.
    pub(crate) fn and(mut self, points: Points) -> Result<Self, Failure> {
        self.points = self.target("--csv", points.csv)?;
        Ok(self)
    }

    /// Adds the file of the sensitivity table, if the flag is given.
    pub(crate) fn with_models(mut self, saved: SavedModels) -> Result<Self, Failure> {
        const FLAG: &str = "--save-models";
        if let Some(path) = &saved.save_models {
            check_ending(FLAG, path)?;
        }
        self.models = self.target(FLAG, saved.save_models)?;
        Ok(self)
    }

    /// Writes a sensitivity table, if the flag is given.
    pub(crate) fn models(&self, table: impl FnOnce() -> Table) -> Result<(), Failure> {
        match &self.models {
            Some(Target::File(path)) => write_table(path, &table()),
            _ => Ok(()),
        }
    }

    /// Returns the checked target of a flag.
    fn target(&mut self, flag: &str, path: Option<PathBuf>) -> Result<Option<Target>, Failure> {
        let target = path.map(Target::from);
        match &target {
            Some(Target::File(path)) => {
                check(flag, path)?;
                if is_parquet(path) && flag != "--flow-results" {
                    let message = format!("{flag} {}: is not written as Parquet", path.display());
                    return Err(Failure::usage(message, "a file whose name ends otherwise"));
                }
                let file = identity(path);
                if file.as_ref().is_some_and(|file| self.used.contains(file)) {
                    let message = format!("{flag} {}: the file is used twice", path.display());
                    return Err(Failure::usage(message, "a file of its own"));
                }
                self.used.extend(file);
            }
            Some(Target::Stdout) if flag != "--json" => {
                return Err(Failure::usage(format!("{flag} -: needs a file"), "a file name"));
            }
            _ => {}
        }
        Ok(target)
    }

    /// Returns `true` if a row for each flow is wanted.
    pub(crate) fn wants_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Returns `true` if a row for each point is wanted.
    pub(crate) fn wants_points(&self) -> bool {
        self.points.is_some()
    }

    /// Writes the lines of all points.
    pub(crate) fn points(&self, csv: &str) -> Result<(), Failure> {
        match &self.points {
            Some(Target::File(path)) => write(path, csv),
            _ => Ok(()),
        }
    }

    /// Returns `true` if a report is wanted.
    pub(crate) fn wants_report(&self) -> bool {
        self.report.is_some()
    }

    /// Writes the JSON and the report that are wanted, and prints the text unless the JSON goes to standard output.
    pub(crate) fn answer(&self, answer: &impl Answer) -> Result<(), Failure> {
        match &self.json {
            Some(Target::Stdout) => print_data(&document(&answer.json()))?,
            Some(Target::File(path)) => {
                write(path, &document(&answer.json()))?;
                print(&answer.text())?;
            }
            None => print(&answer.text())?,
        }
        if self.wants_report()
            && let Some(report) = answer.report()
        {
            self.report(&html::render(&report))?;
        }
        Ok(())
    }

    /// Creates the file with a row for each flow, if the flag is given. The file appears when it is
    /// complete.
    pub(crate) fn rows(&self) -> Result<Option<Stream>, Failure> {
        stream(&self.rows)
    }

    /// Returns `true` if the rows of flows are to be Parquet.
    pub(crate) fn rows_are_parquet(&self) -> bool {
        let ending = |target: &Target| match target {
            Target::File(path) => is_parquet(path),
            Target::Stdout => false,
        };
        self.rows.as_ref().is_some_and(ending)
    }

    /// Creates the file of packets, if the flag is given. The file appears when it is complete.
    pub(crate) fn trace(&self) -> Result<Option<Stream>, Failure> {
        stream(&self.trace)
    }

    /// Returns `true` if a trace of packets is wanted.
    pub(crate) fn wants_trace(&self) -> bool {
        self.trace.is_some()
    }

    /// Writes a line for each port, if the flag is given.
    pub(crate) fn ports(&self, csv: impl FnOnce() -> String) -> Result<(), Failure> {
        match &self.ports {
            Some(Target::File(path)) => write(path, &csv()),
            _ => Ok(()),
        }
    }

    /// Writes the report and prints its path.
    fn report(&self, html: &str) -> Result<(), Failure> {
        if let Some(Target::File(path)) = &self.report {
            write(path, html)?;
            note(format_args!("report: {}", path.display()));
        }
        Ok(())
    }
}

fn stream(target: &Option<Target>) -> Result<Option<Stream>, Failure> {
    match target {
        Some(Target::File(path)) => Ok(Some(Stream::create(path)?)),
        _ => Ok(None),
    }
}

/// Returns `true` if the path ends in `.csv`.
fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "csv")
}

/// Refuses a file for a sensitivity table that ends neither in `.toml` nor in `.csv`.
fn check_ending(flag: &str, path: &Path) -> Result<(), Failure> {
    if is_csv(path) || path.extension().is_some_and(|ending| ending == "toml") {
        return Ok(());
    }
    let message = format!("{flag} {}: TOML or CSV?", path.display());
    Err(Failure::usage(message, "a file whose name ends in .toml or .csv"))
}

/// Refuses a file to which no sensitivity table can be written.
pub(crate) fn check_table(flag: &str, path: &Path) -> Result<(), Failure> {
    check_ending(flag, path)?;
    check(flag, path)
}

/// Writes a sensitivity table: CSV or TOML, by the file's name.
pub(crate) fn write_table(path: &Path, table: &Table) -> Result<(), Failure> {
    write(path, &if is_csv(path) { table::csv(table) } else { table::toml(table) })
}

/// Returns `true` if the path ends in `.parquet`.
fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

/// Returns a JSON document as one line.
fn document(json: &serde_json::Value) -> String {
    format!("{json}\n")
}

/// Prints text for people on standard output, made [`readable`]. A closed pipe (`| head`) is no
/// failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_data(&readable(text))
}

/// Prints text for programs on standard output, such as JSON, as it is.
pub(crate) fn print_data(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(e).context("standard output").into())
        }
        _ => Ok(()),
    }
}

/// Prints a message that is not a result on standard error, made [`readable`]. A failed write, as
/// after `2>&1 | head -1` or on a full disk, changes neither the work nor the exit code.
pub(crate) fn note(text: impl std::fmt::Display) {
    note_coloured(&readable(&text.to_string()));
}

/// Prints a message whose colours are control characters, and whose other text is readable already.
pub(crate) fn note_coloured(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Returns the text with other characters than printable ones and line breaks replaced, so that names
/// and texts of files can't move the cursor or colour the screen.
pub(crate) fn readable(text: &str) -> String {
    text.chars().map(|c| if is_printable(c) || c == '\n' { c } else { '\u{fffd}' }).collect()
}

/// Prints a warning about an input that is allowed and most likely a mistake.
pub(crate) fn warn(warning: &InputError) {
    note(format_args!("warning: {warning}"));
}

/// Returns the same path for all paths of a file, which need not exist yet.
fn identity(path: &Path) -> Option<PathBuf> {
    let whole = std::fs::canonicalize(path).ok();
    whole.or_else(|| Some(std::fs::canonicalize(folder_of(path)).ok()?.join(path.file_name()?)))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Checks that a file can be written, before the work begins. Leaves no file behind.
fn check(flag: &str, path: &Path) -> Result<(), Failure> {
    let refuse = |what: String, allowed: &str| {
        Err(Failure::usage(format!("{flag} {}: {what}", path.display()), allowed))
    };
    let folder = folder_of(path);
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            return refuse("is a folder".into(), "a file name");
        }
        // A pipe or a device is written in place.
        Ok(metadata) if !metadata.is_file() => return Ok(()),
        Ok(metadata) if metadata.permissions().readonly() => {
            return refuse("is read-only".into(), "a file that can be written");
        }
        _ => {}
    }
    if !folder.is_dir() {
        let what = format!("there is no folder {}", folder.display());
        return refuse(what, "a file in a folder that exists");
    }
    match tempfile::Builder::new().prefix(".bandwise-").tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(e) => {
            let what = format!("can't write in {}: {}", folder.display(), reason(&e));
            refuse(what, "a file in a folder that can be written")
        }
    }
}

/// Writes a file as a whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut stream = Stream::create(path)?;
    stream.write(text)?;
    stream.finish()
}

/// A file that is written in parts, and appears as a whole or not at all.
#[derive(Debug)]
pub(crate) struct Stream {
    path: PathBuf,
    to: To,
}

#[derive(Debug)]
enum To {
    /// A temporary file in the same folder, which is renamed at the end.
    New(BufWriter<NamedTempFile>),
    /// A pipe or a device, which is written in place.
    InPlace(BufWriter<File>),
}

impl Stream {
    /// Creates the file.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let attempt = || {
            // Resolves a symbolic link, so that the rename replaces the file and not the link.
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let to = if std::fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
                To::InPlace(BufWriter::new(OpenOptions::new().write(true).open(&path)?))
            } else {
                let mut file = tempfile::Builder::new();
                let file = file.prefix(".bandwise-").permissions(Permissions::from_mode(0o666));
                To::New(BufWriter::new(file.tempfile_in(folder_of(&path))?))
            };
            Ok(Stream { path, to })
        };
        Ok(attempt().map_err(|error| failed(path, error))?)
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
        self.write_all(bytes.as_ref()).map_err(|error| self.failed(error))
    }

    /// Adds the file's path to an error.
    pub(crate) fn failed(&self, error: std::io::Error) -> anyhow::Error {
        failed(&self.path, error)
    }

    /// Completes the file.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Stream { path, to } = self;
        let attempt = || {
            match to {
                To::New(file) => {
                    let file = file.into_inner().map_err(IntoInnerError::into_error)?;
                    file.as_file().sync_all()?;
                    file.persist(&path)?;
                }
                To::InPlace(mut file) => file.flush()?,
            }
            Ok(())
        };
        Ok(attempt().map_err(|error| failed(&path, error))?)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.to {
            To::New(file) => file.write(bytes),
            To::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.to {
            To::New(file) => file.flush(),
            To::InPlace(file) => file.flush(),
        }
    }
}

fn failed(path: &Path, error: std::io::Error) -> anyhow::Error {
    anyhow::Error::new(error).context(format!("writing {}", path.display()))
}
