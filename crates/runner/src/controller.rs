//! [`ControllerSettings`] and [`Controller`]: a controller that runs during a step, with its own
//! store, and restores ports at its end.

use crate::OutputFile;
use crate::process::Running;
use anyhow::{Context, Result, bail};
use bandwise_controller::client::{self, ClientError};
use bandwise_controller::http::StatusDocument;
use bandwise_controller::settings::Listen;
use bandwise_profiler::Sharing;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

/// The interval at which a starting controller is queried.
const POLL: Duration = Duration::from_millis(50);
/// The longest time until all ports are settled, and until they are restored.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The settings of all controllers of a comparison.
#[derive(Debug)]
pub struct ControllerSettings {
    /// The command `bandwise`, which runs controllers.
    pub executable: PathBuf,
    /// The user's settings file.
    pub config: PathBuf,
    /// The text of that file.
    pub text: String,
    /// The address of controllers.
    pub listen: Listen,
}

impl ControllerSettings {
    /// Returns the address for the environment of programs, which does not depend on their
    /// directory.
    pub fn address(&self) -> String {
        match &self.listen {
            Listen::Unix { path, mode } => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                Listen::Unix { path, mode: *mode }.to_string()
            }
            loopback @ Listen::Loopback(_) => loopback.to_string(),
        }
    }

    /// Returns `true` if a controller answers at the address.
    pub fn is_answered(&self) -> bool {
        let status = client::status(&self.listen);
        matches!(status, Ok(_) | Err(ClientError::OtherDocument { .. }))
    }

    /// Starts a dry run of a controller, which reads its ports and writes nothing. Its messages go
    /// to standard error.
    ///
    /// # Errors
    ///
    /// Returns an error if no process can be started. A refusal is an exit status.
    pub fn dry_run(&self) -> Result<ExitStatus> {
        let folder = tempfile::tempdir()?;
        let settings = self.settings(Sharing::Saba, &folder.path().join("store"))?;
        let mut command = self.controller(settings.path());
        command.arg("--dry-run").stdin(Stdio::null()).stdout(Stdio::null());
        command.status().context("the controller")
    }

    /// Writes the user's settings with another store, other weights, and ports restored at the end.
    /// The file is in the folder of the user's file, because paths are relative to it, and is
    /// deleted on drop.
    fn settings(&self, sharing: Sharing, store: &Path) -> Result<NamedTempFile> {
        let mut settings: toml::Table = self.text.parse()?;
        let weights = if sharing == Sharing::Equal { "equal" } else { "sensitivity" };
        let store = std::path::absolute(store)?;
        let store = store.to_str().context("the folder for temporary files is no text")?;
        for (key, value) in [("store", store), ("on-exit", "restore"), ("weights", weights)] {
            settings.insert(key.into(), value.into());
        }
        let folder = self.config.parent().filter(|path| !path.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        let file = builder.prefix(".bandwise-").suffix(".toml").tempfile_in(folder);
        let mut file =
            file.with_context(|| format!("settings for a controller in {}", folder.display()))?;
        file.write_all(settings.to_string().as_bytes())?;
        Ok(file)
    }

    fn controller(&self, settings: &Path) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(["saba", "controller", "--config"].map(OsStr::new)).arg(settings);
        command
    }
}

/// A running controller.
#[derive(Debug)]
pub(crate) struct Controller {
    running: Running,
    output: PathBuf,
    _settings: NamedTempFile,
    _store: TempDir,
}

impl Controller {
    /// Starts a controller, and waits until it answers, all ports are settled, and `unready`
    /// returns `None`. `unready` takes the time left and returns the reason to wait. Returns `None`
    /// if the caller asks to stop.
    pub(crate) fn start(
        settings: &ControllerSettings,
        sharing: Sharing,
        output: &OutputFile,
        unready: &dyn Fn(Duration) -> Result<Option<String>>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Self>> {
        let store = tempfile::tempdir()?;
        let file = settings.settings(sharing, &store.path().join("store"))?;
        let running = Running::start(&mut settings.controller(file.path()), output.for_program()?)?;
        let output = output.path().to_owned();
        let mut controller = Controller { running, output, _settings: file, _store: store };
        let began = Instant::now();
        loop {
            if interrupted() {
                controller.stop()?;
                return Ok(None);
            }
            if let Some(status) = controller.running.wait(POLL)? {
                bail!(
                    "the controller ended, {status}; {} has the reason",
                    controller.output.display()
                );
            }
            let left = TIMEOUT.saturating_sub(began.elapsed());
            let waits_for = match client::status(&settings.listen) {
                Ok(status) => match unsettled(&status) {
                    None => unready(left)?,
                    unsettled => unsettled,
                },
                Err(error) => Some(format!("{:#}", anyhow::Error::from(error))),
            };
            let Some(waits_for) = waits_for else { return Ok(Some(controller)) };
            if left.is_zero() {
                let _ = controller.stop();
                bail!("not ready after {} s: {waits_for}", TIMEOUT.as_secs());
            }
        }
    }

    /// Stops the controller, which restores its ports.
    pub(crate) fn stop(mut self) -> Result<()> {
        self.running.terminate();
        match self.running.wait(TIMEOUT)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                bail!("the controller failed, {status}; {} has the reason", self.output.display())
            }
            None => bail!(
                "the controller did not end within {} s: ports may still be shared",
                TIMEOUT.as_secs()
            ),
        }
    }
}

/// Returns the first port that is not settled, and the reason.
fn unsettled(status: &StatusDocument) -> Option<String> {
    let port = status.ports.iter().find(|port| !port.settled)?;
    let why = port.fault.as_deref().unwrap_or("is not settled");
    Some(format!("{}: {why}", port.name))
}
