//! [`Controller`]: one that is started for some runs, and puts ports back when it is stopped.

use super::answer;
use super::flags::Settings;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::saba::controller::ask;
use crate::saba::program::{self, Ended, Running};
use anyhow::{Context, Result, bail};
use bandwise_controller::settings::Listen;
use bandwise_profiler::{Outcome, Sharing};
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

/// What stays the same from one controller to the next.
#[derive(Debug)]
pub(super) struct Place {
    config: PathBuf,
    text: String,
    listen: Listen,
}

/// How often a controller is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(50);
/// How long it may take until all ports are settled, and until they are as they were found.
const PATIENCE: Duration = Duration::from_secs(60);

impl Place {
    pub fn new(config: PathBuf, text: String, listen: Listen) -> Self {
        Place { config, text, listen }
    }

    pub fn listen(&self) -> &Listen {
        &self.listen
    }

    /// As programs find it in their environment.
    pub fn name(&self) -> String {
        match &self.listen {
            Listen::Unix { path, .. } => {
                // It has a folder of its own, which is absolute or begins where we are.
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                format!("unix:{}", path.display())
            }
            Listen::Loopback(address) => format!("http://{address}"),
        }
    }

    pub fn config(&self) -> &Path {
        &self.config
    }

    /// The operator's settings, but for the store, for what becomes of ports, and for who gets what. In the folder of
    /// theirs, as paths are relative to it; gone when it is dropped.
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

    /// Whether a controller could run: ports are there and can be read. Writes nothing.
    pub fn check(&self) -> Result<(), Failure> {
        let folder = tempfile::tempdir().map_err(anyhow::Error::from)?;
        let settings = self.settings(Sharing::Saba, &folder.path().join("store"))?;
        let mut command = controller(settings.path())?;
        command.arg("--dry-run").stdin(Stdio::null()).stdout(Stdio::null());
        let status = command.status().context("the controller")?;
        match status.success() {
            true => Ok(()),
            // It has said why.
            false => Err(Failure::Command(status.code().map_or(1, |code| code as u8))),
        }
    }
}

fn controller(settings: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let arguments = ["saba", "controller", "--config"].map(OsStr::new);
    command.args(arguments).arg(settings);
    Ok(command)
}

/// A controller that runs.
#[derive(Debug)]
pub(super) struct Controller {
    running: Running,
    printed: String,
    _settings: NamedTempFile,
    _store: TempDir,
}

impl Controller {
    /// Starts one, and waits until it answers, all ports are settled, and the user's command finds programs ready. None
    /// if somebody asks to stop.
    pub fn start(
        settings: &Settings,
        sharing: Sharing,
        interrupt: &Interrupt,
    ) -> Result<Option<Self>> {
        let store = tempfile::tempdir()?;
        let file = settings.place.settings(sharing, &store.path().join("store"))?;
        let output = settings.printed.try_clone()?;
        let mut controller = Controller {
            running: Running::start(&mut controller(file.path())?, output)?,
            printed: settings.output.display().to_string(),
            _settings: file,
            _store: store,
        };
        let began = Instant::now();
        loop {
            if interrupt.asked() {
                controller.stop()?;
                return Ok(None);
            }
            if let Some(status) = controller.running.wait(LOOK)? {
                bail!("the controller ended, {status}; {} says why", controller.printed);
            }
            let left = PATIENCE.saturating_sub(began.elapsed());
            let waits_for = match ask::get(settings.place.listen(), "/v1/status") {
                Ok(status) => match unsettled(&status) {
                    None => unready(settings, left, interrupt)?,
                    unsettled => unsettled,
                },
                Err(error) => Some(format!("{error:#}")),
            };
            let Some(waits_for) = waits_for else { return Ok(Some(controller)) };
            if left.is_zero() {
                let _ = controller.stop();
                bail!("not ready after {} s: {waits_for}", PATIENCE.as_secs());
            }
        }
    }

    /// Stops it: ports are as they were found.
    pub fn stop(mut self) -> Result<()> {
        self.running.ask_to_end();
        let ended = self.running.wait(PATIENCE)?;
        match ended {
            Some(status) if status.success() => Ok(()),
            Some(status) => {
                bail!("the controller did not end well, {status}; {} says why", self.printed)
            }
            None => bail!(
                "the controller did not end within {} s: ports may still be shared",
                PATIENCE.as_secs()
            ),
        }
    }
}

/// A port that is not as it should be, and why, if there is one.
fn unsettled(status: &Value) -> Option<String> {
    let port = status["ports"].as_array()?.iter().find(|port| port["settled"] != true)?;
    let name = port["name"].as_str().unwrap_or_default();
    let why = port["fault"].as_str().unwrap_or("is not settled");
    Some(format!("{name}: {why}"))
}

/// What the user's command says that programs are not ready, if it does.
fn unready(settings: &Settings, left: Duration, interrupt: &Interrupt) -> Result<Option<String>> {
    let Some(command) = &settings.ready else { return Ok(None) };
    let looks = vec![(settings.shell(command), settings.printed.try_clone()?)];
    Ok(match program::run(looks, Some(left), interrupt)? {
        Ended::Themselves(timed) => match &timed[0].outcome {
            Outcome::Success => None,
            Outcome::Late => Some(format!("--ready {command}: does not end")),
            outcome => Some(format!("--ready {command}: {}", answer::outcome(outcome))),
        },
        Ended::Interrupted => Some("somebody asked to stop".into()),
    })
}
